"""ANLS, the average normalised Levenshtein similarity of short answers, as three programs read it.

All three compare lower-cased texts: `similarity = 1 - edit distance / length of the longer text`, the best gold
counts, and what falls below a threshold is 0. They differ in what is compared and whose length it is divided by, so a
`Reading` says both. `judge` states the rule for one answer; `best_similarities` computes many answers at once and
gives the same doubles.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from fullmarks.text.edit_distance import edit_distance, edit_distances


class Compared(NamedTuple):
    """A text as it is compared, and the length that it counts with."""

    text: str
    length: int


class Reading(NamedTuple):
    """How one program reads ANLS."""

    prepare: Callable[[str], Compared]
    prepare_all: Callable[[list[str]], tuple[list[str], list[int]]]
    """The same for many texts at once: what is compared, and the lengths."""
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


def all_single_blanked(texts: list[str]) -> tuple[list[str], list[int]]:
    """`single_blanked` of every text, those of ASCII alone in a few calls for all of them."""
    joined = _BETWEEN.join([text if text.isascii() else "" for text in texts])
    if joined.count(_BETWEEN) != len(texts) - 1:
        prepared = [single_blanked(text) for text in texts]
        return [text for text, _ in prepared], [length for _, length in prepared]
    small, lengths = _ascii_single_blanked(joined).split(_BETWEEN), list(map(len, texts))
    for at, text in enumerate(texts):
        if not text.isascii():
            small[at], lengths[at] = single_blanked(text)
    return small, lengths


def _ascii_single_blanked(joined: str) -> str:
    """Texts with `_BETWEEN` between them in lower case, with single blanks between their words and none around them."""
    joined = f"{_BETWEEN}{joined.lower()}{_BETWEEN}"
    for space in "\t\n\v\f\r\x1c\x1d\x1e\x1f":
        joined = joined.replace(space, " ")
    while "  " in joined:
        joined = joined.replace("  ", " ")
    return joined.replace(f" {_BETWEEN}", _BETWEEN).replace(f"{_BETWEEN} ", _BETWEEN)[1:-1]


def all_stripped(texts: list[str]) -> tuple[list[str], list[int]]:
    """`stripped` of every text."""
    small = list(map(str.strip, _all_lowered(texts)))
    return small, list(map(len, small))


def all_lowered(texts: list[str]) -> tuple[list[str], list[int]]:
    """`lowered` of every text."""
    small = _all_lowered(texts)
    return small, list(map(len, small))


def _all_lowered(texts: list[str]) -> list[str]:
    """Every text in lower case, all of them in one call: no letter of one touches the next."""
    joined = _BETWEEN.join(texts)
    if joined.count(_BETWEEN) != len(texts) - 1:
        return list(map(str.lower, texts))
    return joined.lower().split(_BETWEEN)


_BETWEEN = "\0"

READINGS = {
    "rrc": Reading(
        single_blanked, all_single_blanked, False, "single blanks; divided by the length of the texts as they came"
    ),
    "mmf": Reading(stripped, all_stripped, False, "no white space around; divided by the length of what is compared"),
    "pix2struct": Reading(lowered, all_lowered, True, "lower case alone; a distance of just half the length counts 0"),
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

    counts = np.fromiter(map(len, references), np.int64, len(references))
    places: dict[str, int] = {}
    golds = [places.setdefault(text, len(places)) for text in chain.from_iterable(references)]
    best = np.zeros(len(counts))
    if golds:
        answers = np.repeat([places.setdefault(text, len(places)) for text in predictions], counts)
        pairs, positions = np.unique(answers * len(places) + golds, return_inverse=True)
        similarities, distances = _similarities(list(places), *np.divmod(pairs, len(places)), reading)
        counting = distances < 1 - threshold if reading.is_strict else similarities >= threshold
        similarities[~counting] = 0.0
        has_gold = counts > 0
        starts = (np.cumsum(counts) - counts)[has_gold]
        best[has_gold] = np.maximum.reduceat(similarities[positions], starts)
    return array("d", best.tobytes())


def _similarities(texts: list[str], ours: Any, theirs: Any, reading: Reading) -> tuple[Any, Any]:
    """The similarity of every pair of texts, given by their places, and the distance divided by the length."""
    import numpy as np

    compared, lengths = reading.prepare_all(texts)
    text_at, length_of = compared.__getitem__, np.array(lengths)
    longer = np.maximum(length_of[ours], length_of[theirs])
    distances = edit_distances(list(map(text_at, ours.tolist())), list(map(text_at, theirs.tolist())))
    shares = distances / np.where(longer, longer, 1)
    return 1 - shares, shares
