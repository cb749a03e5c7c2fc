"""Which values of an option are tried, each alone against the default.

Switches and declared choices are found in the declaration. Other options have their values here, by name, for metrics
and benchmarks alike; those that are not tried have the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fullmarks.frozen import declared_fields
from fullmarks.text.recipes import recipe_names

VALUES: dict[str, tuple[Any, ...]] = {
    "aggregate": ("mean", "min", "leave-one-out"),
    "alpha": (0.5,),
    "beta": (1.0,),
    "both_empty": (0.0, 0.5, 1.0),
    "cap": (0.5,),
    "categories": ("color",),
    "divisor": (2.0,),
    "extract": ("after-think+final-answer", "last-line", "number", "choice"),
    "gamma": (0.0,),
    "limit": (3,),
    "max_order": (1, 2),
    "na_prob_thresh": (-1.0, 0.3),
    "no_answer_threshold": (0.5,),
    "output_idx": (1, -1),
    "precision": (0, 5),
    "recipe": tuple(recipe_names()),
    "score_name": ("renamed",),
    "spacy_model": ("simple",),
    "split": ("val",),
    "stemmer": ("russian",),
    "stop": (".",),
    "task": ("hotpotqa", "TextQA"),
    "threshold": (0.0, 0.3, 0.8),
    "tolerance": (0.5,),
}
_A_FILE = "a file: given by samples and golden sets that have it"
_A_NETWORK = "for neural networks"
_A_SET = "has golden sets of its own"
NOT_TRIED = {
    "only": "concerns logs of other tools alone, which have tests of their own",
    "aliases": _A_FILE,
    "answer_field": _A_SET,
    "category": _A_SET,
    "columns": "names the columns of tables: samples and golden sets have the official names",
    "hidden": "needs all six sub-tasks of FusionBrain, two of which need networks",
    "choices": _A_FILE,
    "ids": _A_FILE,
    "input": _A_FILE,
    "lexicon": _A_FILE,
    "na_prob_file": _A_FILE,
    "questions": _A_FILE,
    "random_file": _A_FILE,
    "caculate_gain": "needs a file of random guesses, and is tested with one",
    "bart_model": _A_NETWORK,
    "bart_weights": _A_NETWORK,
    "batch_size": _A_NETWORK,
    "clip": _A_NETWORK,
    "clip_cache": _A_NETWORK,
    "device": _A_NETWORK,
    "gold_images": _A_NETWORK,
    "images": _A_NETWORK,
    "inception": _A_NETWORK,
    "input_images": _A_NETWORK,
    "measures": _A_NETWORK,
    "save_stats": _A_NETWORK,
    "synonyms": "its other value needs a lexicon that is not in the repository",
    "variant": "every variant has cases of its own",
}


def other_values(owner: Any) -> Iterator[tuple[str, Any]]:
    """Every option of a metric or benchmark with every value that is tried, the default left out.

    An option of which neither the declaration nor this file says anything is an error.
    """
    for name, option in declared_fields(owner).items():
        if name in NOT_TRIED:
            continue
        declared = tuple(option.metadata.get("choices") or ()) or ((True, False) if option.type == "bool" else ())
        if not declared and name not in VALUES:
            raise LookupError(f"{owner.name} has the option '{name}': add it to VALUES or NOT_TRIED of {__name__}")
        for value in declared or VALUES[name]:
            if value != option.default:
                yield name, value
