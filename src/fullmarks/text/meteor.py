"""METEOR: words of a prediction are aligned with words of a reference in three stages, then scored.

The stages are exact form, stem and synonym. A stage walks the prediction's free words from the last to the
first and takes for each the last free reference word that matches, so the alignment is a function of the two
token lists alone. The third stage sees stems, not words: it looks up the synonyms of a stem and compares them
with the reference's stems. That loses synonyms, and is how NLTK's `meteor_score` counts, whose digits we keep.
An `Alignment` is computed once; scores, chunks and explanations only read it. The compiled kernel walks the same way
over numbers in the place of words, and gives the same doubles.
Source: Lavie and Agarwal 2007, with stages, walk order and chunk count as in NLTK.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fullmarks.text.inputs import check_texts
from fullmarks.text.memo import Memo

Pair = tuple[int, int]


class Alignment(NamedTuple):
    """Which prediction word was matched with which reference word, stage by stage.

    The pairs hold positions (prediction, reference) in the order in which the walk found them; no position
    occurs twice in one column.
    """

    prediction: tuple[str, ...]
    reference: tuple[str, ...]
    exact: list[Pair]
    stem: list[Pair]
    synonym: list[Pair]

    @property
    def pairs(self) -> list[Pair]:
        """All matched positions, sorted by the prediction's."""
        return sorted(self.exact + self.stem + self.synonym)

    @property
    def chunks(self) -> int:
        """Number of runs of matches that are adjacent and in order in both texts; 0 without matches."""
        return count_chunks(self.pairs)

    def words(self, pairs: Iterable[Pair]) -> list[tuple[str, str]]:
        """The words behind pairs of positions, for display."""
        return [(self.prediction[i], self.reference[j]) for i, j in pairs]


def count_chunks(pairs: Sequence[Pair]) -> int:
    """Number of runs in sorted pairs where both positions grow by one; 0 for no pairs.

    >>> count_chunks([(0, 4), (1, 5), (2, 0)])
    2
    """
    chunks = 0
    next_i = next_j = -1
    for i, j in pairs:
        if i != next_i or j != next_j:
            chunks += 1
        next_i = i + 1
        next_j = j + 1
    return chunks


def meteor_value(alignment: Alignment, *, alpha: float, beta: float, gamma: float) -> float:
    """The weighted harmonic mean of precision and recall, less the penalty for fragmentation.

    0.0 when nothing matches, so also when either text is empty.
    """
    matches = len(alignment.exact) + len(alignment.stem) + len(alignment.synonym)
    if matches == 0:
        return 0.0
    precision = matches / len(alignment.prediction)
    recall = matches / len(alignment.reference)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    if gamma == 0:
        return mean
    penalty: float = gamma * (alignment.chunks / matches) ** beta
    return (1 - penalty) * mean


@dataclass(frozen=True)
class Meteor:
    """METEOR with its options; tokens are compared in lower case.

    `stem` gives a word's stem, `synonyms` the words that may stand for a stem; each is asked once per distinct word
    and remembered in `stems` and `names`.
    """

    stem: Callable[[str], str]
    synonyms: Callable[[str], frozenset[str]]
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    stems: Memo[str] = field(init=False, repr=False, compare=False)
    names: Memo[frozenset[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", Memo(self.stem))
        object.__setattr__(self, "names", Memo(self.synonyms))

    def align(self, prediction: Iterable[str], reference: Iterable[str]) -> Alignment:
        """Return the alignment of two token lists; empty lists give an alignment without matches."""
        words = tuple(map(str.lower, prediction))
        gold = tuple(map(str.lower, reference))
        exact, free, free_gold = _match_equal(words, gold)
        if not free or not free_gold:
            return Alignment(words, gold, exact, [], [])
        stem: list[Pair] = []
        stems = self.stems
        own_stems = [stems[words[i]] for i in free]
        gold_stems = [stems[gold[j]] for j in free_gold]
        if not set(own_stems).isdisjoint(gold_stems):
            found, left, left_gold = _match_equal(own_stems, gold_stems)
            stem = [(free[i], free_gold[j]) for i, j in found]
            free, own_stems = [free[i] for i in left], [own_stems[i] for i in left]
            free_gold, gold_stems = [free_gold[j] for j in left_gold], [gold_stems[j] for j in left_gold]
            if not free or not free_gold:
                return Alignment(words, gold, exact, stem, [])
        known = self.names
        found = _match_names([known[name] for name in own_stems], gold_stems)
        return Alignment(words, gold, exact, stem, [(free[i], free_gold[j]) for i, j in found])

    def score(self, prediction: Iterable[str], reference: Iterable[str]) -> float:
        """Return the METEOR score of two token lists, in [0, 1]; 0.0 if either is empty."""
        return self.value(self.align(prediction, reference))

    def value(self, alignment: Alignment) -> float:
        """Return the score of an alignment under this METEOR's options."""
        return meteor_value(alignment, alpha=self.alpha, beta=self.beta, gamma=self.gamma)


def meteor_rows(
    predictions: list[str],
    references: list[list[str]],
    *,
    meteor: Meteor,
    tokeniser: Callable[[str], list[str]],
    gold_tokeniser: Callable[[str], list[str]],
) -> array[float]:
    """The score of each example against its best reference; one without references is a ValueError."""
    check_texts(predictions, references)
    rows = array("d")
    for at, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        if not golds:
            raise ValueError(f"example {at} has no reference, expected at least one")
        words = tokeniser(prediction)
        rows.append(max([meteor.score(words, gold_tokeniser(gold)) for gold in golds]))
    return rows


def _match_equal(keys: Sequence[str], gold_keys: Sequence[str]) -> tuple[list[Pair], list[int], list[int]]:
    """Pair positions whose keys are equal, from the last key on; return also what stays free on either side."""
    latest, earlier = _places(gold_keys)
    pairs: list[Pair] = []
    free: list[int] = []
    i = len(keys)
    for key in reversed(keys):
        i -= 1
        j = latest.get(key, -1)
        if j >= 0:
            pairs.append((i, j))
            latest[key] = earlier[j]
        else:
            free.append(i)
    free.reverse()
    taken = {j for _, j in pairs}
    return pairs, free, [j for j in range(len(gold_keys)) if j not in taken]


def _match_names(names: Sequence[frozenset[str]], gold_keys: Sequence[str]) -> list[Pair]:
    """Pair each position with the last free gold position whose key is among its names, from the last on."""
    pairs: list[Pair] = []
    latest: dict[str, int] = {}
    # A set, so that an intersection costs the smaller side, however long the gold is.
    free_keys = set(gold_keys)
    for i in range(len(names) - 1, -1, -1):
        if free_keys.isdisjoint(names[i]):
            continue
        if not latest:
            latest, earlier = _places(gold_keys)
        key = max(free_keys & names[i], key=latest.__getitem__)
        j = latest[key]
        pairs.append((i, j))
        latest[key] = earlier[j]
        if earlier[j] < 0:
            free_keys.remove(key)
    return pairs


def _places(keys: Sequence[str]) -> tuple[dict[str, int], list[int]]:
    """The last position of each key, and for each position the one before it with the same key, or -1."""
    latest: dict[str, int] = {}
    earlier = [-1] * len(keys)
    for position, key in enumerate(keys):
        if key in latest:
            earlier[position] = latest[key]
        latest[key] = position
    return latest, earlier
