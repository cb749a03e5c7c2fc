"""Exact match and F1 over lists of texts: the compiled and the Python kernel against the plain rules."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

import official_squad2
from case import Case, Settings
from data import CYRILLIC, LATIN, Examples, make_examples, read_squad, shuffled, squad_files
from fullmarks.text import kernel, squad

WANTED = {
    "C": {"typical": 300, "shuffled": 150, "Cyrillic": 60},
    "Python": {"typical": 30, "shuffled": 15, "Cyrillic": 8},
}


def plain(examples: Examples) -> array[float]:
    rows = array("d")
    for prediction, golds in zip(*examples, strict=True):
        rows.extend(official_squad2.squad2_scores(prediction, golds))
    return rows


def ours(rows: Callable[..., array[float]], examples: Examples) -> array[float]:
    return rows(*examples, both_empty=1.0, drop_empty_references=True)


def transformers_scores(module: Any, examples: Examples) -> array[float]:
    """What the library's own loop over examples does, with its functions."""
    rows = array("d")
    for prediction, golds in zip(*examples, strict=True):
        kept = [gold for gold in golds if module.normalize_answer(gold)] or [""]
        rows.append(max(module.compute_exact(gold, prediction) for gold in kept))
        rows.append(max(module.compute_f1(gold, prediction) for gold in kept))
    return rows


def data_sets(settings: Settings) -> dict[str, tuple[str, Examples]]:
    name, gold, predictions = squad_files(settings.folder)
    real = read_squad(gold, predictions)
    cyrillic = make_examples(CYRILLIC, 10_000, 2)
    return {
        name: ("typical", real),
        f"{name}, shuffled": ("shuffled", shuffled(real)),
        "made, Latin": ("", make_examples(LATIN, 10_000, 1)),
        "made, Cyrillic": ("Cyrillic", cyrillic),
        "made, Cyrillic, shuffled": ("Cyrillic", shuffled(cyrillic)),
    }


def cases(settings: Settings) -> Iterator[Case]:
    kernels = {"Python": squad.squad_rows}
    if kernel.IMPLEMENTATION == "c":
        kernels["C"] = kernel.squad_rows
    else:
        settings.absent["the C kernel"] = "not built: no compiler when fullmarks was installed"
    module = settings.peer("transformers.data.metrics.squad_metrics")
    for name, (kind, examples) in data_sets(settings).items():
        for label, rows in kernels.items():
            theirs = {"plain rules": lambda examples=examples: plain(examples)}
            if module is not None and label == "C":
                theirs["transformers"] = lambda examples=examples: transformers_scores(module, examples)
            yield Case(
                f"exact match and F1, {label} kernel",
                name,
                len(examples[0]),
                lambda rows=rows, examples=examples: ours(rows, examples),
                theirs,
                wanted={"plain rules": WANTED[label][kind]} if kind else {},
                turns=5,
            )
