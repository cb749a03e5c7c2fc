"""METEOR: alignment by hand, equality with NLTK, with a textbook pairwise walk, pickling and threads."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.lexicons.porter import porter_stem
from fullmarks.lexicons.synonyms import NoSynonyms, TableLexicon, collect
from fullmarks.text.meteor import Alignment, Meteor, count_chunks

GROUPS = ["car auto machine", "big large", "run dash sprint", "cat feline", "dog hound canine", "auto vehicl"]
LEXICON = TableLexicon(
    "groups",
    collect((word, name) for group in GROUPS for word in group.split() for name in group.split() if name != word),
)
OTHERS = "cats dogs running runs ran larger cars the the the a A The"
VOCABULARY = [*" ".join(GROUPS).split(), *OTHERS.split()]
METEOR = Meteor(porter_stem, LEXICON.synonyms)
SENTENCES = st.lists(st.sampled_from(VOCABULARY), max_size=9)


def test_stages_are_recorded_in_walk_order() -> None:
    alignment = METEOR.align(["The", "big", "cats", "run", "the"], ["the", "dash", "large", "cat", "the", "the"])
    assert alignment.exact == [(4, 5), (0, 4)]
    assert alignment.stem == [(2, 3)]
    assert alignment.synonym == [(3, 1)]
    assert alignment.words(alignment.stem + alignment.synonym) == [("cats", "cat"), ("run", "dash")]
    assert alignment.pairs == [(0, 4), (2, 3), (3, 1), (4, 5)]
    assert alignment.chunks == 4


def test_synonyms_are_looked_up_and_compared_as_stems() -> None:
    # "large" has the stem "larg", which the lexicon does not know: NLTK loses this synonym too.
    assert METEOR.align(["big"], ["large"]).synonym == []
    assert METEOR.align(["runs"], ["dashes"]).synonym == [(0, 0)]


@pytest.mark.parametrize(("prediction", "reference"), [("", ""), ("", "a"), ("a", ""), ("x y", "a b")])
def test_no_match_scores_zero(prediction: str, reference: str) -> None:
    assert METEOR.score(prediction.split(), reference.split()) == 0.0
    assert METEOR.align(prediction.split(), reference.split()).chunks == 0


def test_options_reach_the_formula() -> None:
    alignment = METEOR.align(["a", "b", "c", "x"], ["c", "a", "b"])
    assert alignment.chunks == 2
    precision, recall, fragments = 3 / 4, 1.0, 2 / 3
    mean = precision * recall / (0.9 * precision + (1 - 0.9) * recall)
    assert METEOR.value(alignment) == pytest.approx(mean * (1 - 0.5 * fragments**3), rel=1e-15)
    assert Meteor(porter_stem, LEXICON.synonyms, gamma=0).value(alignment) == mean
    # with alpha 0.9 and no penalty the formula is the one of the contest's document: 10PR / (R + 9P)
    assert mean == pytest.approx(10 * precision * recall / (recall + 9 * precision), rel=1e-15)


@pytest.mark.parametrize(
    ("pairs", "chunks"),
    [([], 0), ([(0, 0)], 1), ([(0, 0), (1, 1)], 1), ([(0, 0), (2, 1)], 2), ([(0, 1), (1, 0)], 2)],
)
def test_count_chunks(pairs: list[tuple[int, int]], chunks: int) -> None:
    assert count_chunks(pairs) == chunks


def pairwise_alignment(prediction: list[str], reference: list[str]) -> Alignment:
    """The definition, comparing all pairs."""
    words, gold = [word.lower() for word in prediction], [word.lower() for word in reference]
    free, free_gold = list(range(len(words)))[::-1], list(range(len(gold)))[::-1]

    def stage(matches: Any) -> list[tuple[int, int]]:
        pairs = []
        for i in list(free):
            for j in free_gold:
                if matches(words[i], gold[j]):
                    pairs.append((i, j))
                    free.remove(i)
                    free_gold.remove(j)
                    break
        return pairs

    return Alignment(
        tuple(words),
        tuple(gold),
        stage(lambda one, other: one == other),
        stage(lambda one, other: porter_stem(one) == porter_stem(other)),
        stage(lambda one, other: porter_stem(other) in LEXICON.synonyms(porter_stem(one))),
    )


@given(SENTENCES, SENTENCES)
def test_equals_the_pairwise_definition(prediction: list[str], reference: list[str]) -> None:
    assert METEOR.align(prediction, reference) == pairwise_alignment(prediction, reference)


class NamedLemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class OneSynset:
    def __init__(self, names: frozenset[str]) -> None:
        self._lemmas = [NamedLemma(name) for name in names]

    def lemmas(self) -> list[NamedLemma]:
        return self._lemmas


class LexiconAsWordNet:
    """What NLTK asks of a WordNet reader, answered from our lexicon."""

    def synsets(self, word: str) -> list[OneSynset]:
        return [OneSynset(LEXICON.synonyms(word))]


def test_equals_nltk_on_random_sentences() -> None:
    pytest.importorskip("nltk", reason="nltk is not installed")
    from nltk.translate.meteor_score import single_meteor_score

    rng = random.Random(11)
    for _ in range(1_500):
        prediction, reference = (rng.choices(VOCABULARY, k=rng.randint(0, 15)) for _ in range(2))
        options = {"alpha": rng.random(), "beta": 4 * rng.random(), "gamma": rng.random()}
        expected = single_meteor_score(reference, prediction, wordnet=LexiconAsWordNet(), **options)
        ours = Meteor(porter_stem, LEXICON.synonyms, **options).score(prediction, reference)
        assert ours == pytest.approx(expected, abs=1e-12)


def test_pickles_and_is_shared_by_threads() -> None:
    rng = random.Random(3)
    pairs = [[rng.choices(VOCABULARY, k=10) for _ in range(2)] for _ in range(300)]
    expected = [METEOR.score(prediction, reference) for prediction, reference in pairs]
    copy = pickle.loads(pickle.dumps(Meteor(porter_stem, LEXICON.synonyms)))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda pair: copy.score(*pair), pairs)) == expected


def test_each_distinct_word_is_stemmed_once() -> None:
    asked: list[str] = []

    def stem(word: str) -> str:
        asked.append(word)
        return word

    meteor = Meteor(stem, NoSynonyms().synonyms)
    for _ in range(3):
        meteor.score(["b", "a", "b"], ["c", "c"])
    assert sorted(asked) == ["a", "b", "c"]
