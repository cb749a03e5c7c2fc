"""ANLS, the average normalised Levenshtein similarity of short answers, as three programs read it.

All three compare lower-cased texts: `similarity = 1 - edit distance / length of the longer text`, the best gold counts,
and what falls below a threshold is 0. They differ in what is compared and whose length it is divided by, so a `Reading`
says both. `judge` states the rule for one answer; `best_similarities` computes many answers at once and gives the same doubles.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from fullmarks.text.edit_distance import edit_distance, edit_distances


class Compared(NamedTuple):
    """A text as it is compared, and the length that it counts with."""

    text: str
    length: int


class Reading(NamedTuple):
    """How one program reads ANLS."""

    prepare: Callable[[str], Compared]
    is_strict: bool
    """Whether a similarity of just the threshold counts 0."""
    description: str


class Pair(NamedTuple):
    """One answer against one gold."""

    gold: str
    compared: str
    distance: int
    length: int
    """That of the longer text."""
    similarity: float


def single_blanked(text: str) -> Compared:
    """Lower case and single blanks, but the length of the text as it came: blanks around it make it longer.

    The length is that of the upper-cased text, as in the published script.
    """
    return Compared(" ".join(text.lower().split()), len(text) if text.isascii() else len(text.upper()))


def stripped(text: str) -> Compared:
    """Lower case without white space around it; white space inside stays."""
    text = text.lower().strip()
    return Compared(text, len(text))


def lowered(text: str) -> Compared:
    """Lower case and nothing else."""
    text = text.lower()
    return Compared(text, len(text))


READINGS = {
    "rrc": Reading(single_blanked, False, "single blanks; divided by the length of the texts as they came"),
    "mmf": Reading(stripped, False, "no white space around; divided by the length of what is compared"),
    "pix2struct": Reading(lowered, True, "lower case alone; a distance of just half the length counts 0"),
}
"""The readings by name: the RRC script (DocVQA, InfographicVQA), mmf (ST-VQA) and pix2struct."""


def judge(prediction: str, gold: str, reading: Reading) -> Pair:
    """One answer against one gold; two texts of length 0 have the similarity 1.0."""
    ours, theirs = reading.prepare(prediction), reading.prepare(gold)
    distance, length = edit_distance(ours.text, theirs.text), max(ours.length, theirs.length)
    return Pair(gold, theirs.text, distance, length, 1 - distance / length if length else 1.0)


def cut(similarity: float, distance: float, reading: Reading, threshold: float) -> float:
    """The similarity that counts; `distance` is the one divided by the length."""
    counts = distance < 1 - threshold if reading.is_strict else similarity >= threshold
    return similarity if counts else 0.0


def best_similarities(
    predictions: Sequence[str], references: Sequence[Sequence[str]], reading: Reading, threshold: float
) -> array[float]:
    """What counts of each answer's similarity to its best gold; 0.0 where there is no gold.

    Every distinct text is prepared once and every distinct pair compared once, all of them in one native call.
    """
    import numpy as np

    counts = list(map(len, references))
    answers = chain.from_iterable(map(repeat, predictions, counts))
    places: dict[tuple[str, str], int] = {}
    positions = [
        places.setdefault(pair, len(places)) for pair in zip(answers, chain.from_iterable(references), strict=True)
    ]
    if not positions:
        return array("d", bytes(8 * len(counts)))
    similarities, distances = _similarities(list(places), reading)
    counting = distances < 1 - threshold if reading.is_strict else similarities >= threshold
    similarities[~counting] = 0.0
    if len(places) < len(positions):
        similarities = similarities[positions]
    has_gold = np.array(counts) > 0
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))[has_gold]
    best = np.zeros(len(counts))
    best[has_gold] = np.maximum.reduceat(similarities, starts)
    return array("d", best.tobytes())


def _similarities(pairs: list[tuple[str, str]], reading: Reading) -> tuple[Any, Any]:
    """The similarity of every pair, and the distance divided by the length."""
    import numpy as np

    prepare, known = reading.prepare, {}
    for text in dict.fromkeys(chain.from_iterable(pairs)):
        known[text] = prepare(text)
    (ours, our_lengths), (theirs, their_lengths) = (
        zip(*[known[pair[side]] for pair in pairs], strict=True) for side in (0, 1)
    )
    lengths = np.maximum(np.array(our_lengths), np.array(their_lengths))
    distances = edit_distances(ours, theirs) / np.where(lengths, lengths, 1)
    return 1 - distances, distances
