"""Exact match and F1 after every benchmark's recipe, against its rule written out plainly, on 10,000 questions."""

from __future__ import annotations

import json
import pickle
import random
from array import array
from collections.abc import Iterator

import plain_answers
from case import SHARED, Case, Settings
from data import LATIN, Examples, make_examples, read_squad, squad_files
from fullmarks.text import kernel
from fullmarks.text.recipes import Recipe, find_recipe

ACCENTED = LATIN + "áàäéèíóöüñçưếộ"
ARABIC = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"
DEVANAGARI = "अआइईउऊएकखगघचछजझटडतथदनपफबभमयरलवशसह"
CHINESE = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 2_000))
ALPHABETS = {"mlqa-ar": ARABIC, "mlqa-hi": DEVANAGARI, "mlqa-zh": CHINESE, "mlqa-ar-lm-eval": ARABIC}
ALPHABETS.update(dict.fromkeys(("mlqa-es", "mlqa-de", "mlqa-vi"), ACCENTED))

WANTED = {"mlqa-zh": 15, "mlqa-ar": 15}
UNPROMISED = {"drop", "triviaqa-lm-eval", "nq_open-lm-eval", "mlqa-ar-lm-eval"}
"""Rules whose steps are done one by one, once for each distinct text."""
NAMES = ("squad", "hotpotqa", "triviaqa", "nq_open", "twowiki-evidence", "mlqa-en", *ALPHABETS)
NAMES += tuple(sorted(UNPROMISED - {*ALPHABETS}))


def plain(name: str, examples: Examples) -> array[float]:
    rows = array("d")
    for prediction, golds in zip(*examples, strict=True):
        rows.extend(plain_answers.best(name, prediction, golds))
    return rows


def ours(recipe: Recipe, examples: Examples) -> array[float]:
    """By a fresh copy, which remembers no word of the turn before."""
    return pickle.loads(pickle.dumps(recipe)).rows(*examples)


def with_aliases(examples: Examples) -> Examples:
    """Eight references a question, all different, as TriviaQA's aliases are."""
    source = random.Random(9)
    words = [word for golds in examples[1][:2_000] for word in golds[0].split()]
    references = [
        [golds[0], *(f"{golds[0]} {' '.join(source.choices(words, k=source.randint(1, 2)))}" for _ in range(7))]
        for golds in examples[1]
    ]
    return examples[0], references


def real_nq_open() -> Examples | None:
    """NQ-open's development set with its made predictions, where it lies beside the repository."""
    folder = SHARED / "nq_open"
    if not folder.is_dir():
        return None
    lines = (folder / "NQ-open.dev.jsonl").read_text(encoding="utf-8").split("\n")
    gold = {record["question"]: record["answer"] for record in map(json.loads, filter(None, lines))}
    lines = (folder / "predictions_dev.jsonl").read_text(encoding="utf-8").split("\n")
    given = {record["question"]: record["prediction"] for record in map(json.loads, filter(None, lines))}
    return [given.get(question, "") for question in gold], list(gold.values())


def data_sets(name: str, settings: Settings) -> dict[str, Examples]:
    made = make_examples(ALPHABETS.get(name, LATIN), 10_000, 1)
    sets = {"made": made}
    if name == "triviaqa":
        title, gold, predictions = squad_files(settings.folder)
        sets = {"made, eight aliases": with_aliases(made), title: read_squad(gold, predictions)}
    real = real_nq_open()
    if name == "nq_open" and real is not None:
        sets["NQ-open dev"] = real
    return sets


def cases(settings: Settings) -> Iterator[Case]:
    if kernel.IMPLEMENTATION != "c":
        settings.absent["the C kernel for recipes"] = "not built: no compiler when fullmarks was installed"
    for name in NAMES:
        recipe = find_recipe(name)
        for title, examples in data_sets(name, settings).items():
            promised = name not in UNPROMISED and kernel.IMPLEMENTATION == "c"
            yield Case(
                f"exact match and F1 by the recipe {name}",
                title,
                len(examples[0]),
                lambda recipe=recipe, examples=examples: ours(recipe, examples),
                {"plain rules": lambda name=name, examples=examples: plain(name, examples)},
                wanted={"plain rules": WANTED.get(name, 30)} if promised else {},
                rounds=2 if settings.quick else 3,
                turns=3,
            )
