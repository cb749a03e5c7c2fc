"""METEOR: alignment by hand, equality with NLTK and with a textbook pairwise walk, pickling, threads, both kernels."""

from __future__ import annotations

import gc
import pickle
import random
import sys
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.lexicons.synonyms import NoSynonyms, TableLexicon, collect
from fullmarks.text import kernel, meteor, overlap
from fullmarks.text.meteor import Alignment, Meteor, count_chunks
from fullmarks.text.porter import porter_stem
from tests.hard_texts import hard_texts
from tests.held_memory import resident_kilobytes

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


@pytest.mark.parametrize("count", [300, pytest.param(1_500, marks=pytest.mark.deep)])
def test_equals_nltk_on_random_sentences(count: int) -> None:
    pytest.importorskip("nltk", reason="needs nltk: make install")
    from nltk.translate.meteor_score import single_meteor_score

    rng = random.Random(11)
    for _ in range(count):
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

    aligner = Meteor(stem, NoSynonyms().synonyms)
    for _ in range(3):
        aligner.score(["b", "a", "b"], ["c", "c"])
    assert sorted(asked) == ["a", "b", "c"]


NEEDS_COMPILED = pytest.mark.skipif(
    kernel.IMPLEMENTATION != "c", reason="needs the compiled kernel: make install, and FULLMARKS_KERNEL not set"
)
BOTH_KERNELS = pytest.mark.parametrize(
    ("rows", "tokeniser"),
    [(meteor.meteor_rows, overlap.Tokeniser(str.lower)), (kernel.meteor_rows, kernel.Tokeniser(str.lower))],
    ids=["python", "kernel"],
)


def both_kernels(
    predictions: list[str], references: list[list[str]], make: Callable[[], Meteor], normal: Callable[[str], str]
) -> tuple[array[float], array[float]]:
    """The rows of the statement and of the kernel in use, each with a METEOR of its own."""
    plain, fast = overlap.Tokeniser(str.lower), kernel.Tokeniser(str.lower)
    gold, fast_gold = overlap.Tokeniser(normal), kernel.Tokeniser(normal)
    return (
        meteor.meteor_rows(predictions, references, meteor=make(), tokeniser=plain, gold_tokeniser=gold),
        kernel.meteor_rows(predictions, references, meteor=make(), tokeniser=fast, gold_tokeniser=fast_gold),
    )


def assert_same(predictions: list[str], references: list[list[str]], make: Callable[[], Meteor]) -> None:
    plain, fast = both_kernels(predictions, references, make, str.lower)
    for at, (one, other) in enumerate(zip(plain, fast, strict=True)):
        assert one == other, (predictions[at], references[at])


def few_words(rng: random.Random) -> Callable[[], Meteor]:
    """A METEOR over a handful of words: stems that meet and that are words themselves, synonyms in circles."""
    words = list("abcdefgh")
    stems = {word: rng.choice([*words[:5], word]) for word in words}
    names = {word: frozenset(rng.sample([*words, "x"], rng.randrange(6))) for word in words}
    options = {
        "alpha": rng.random(),
        "beta": rng.choice([3.0, 4 * rng.random()]),
        "gamma": rng.choice([0, rng.random()]),
    }
    return lambda: Meteor(lambda word: stems.get(word, word), lambda stem: names.get(stem, frozenset()), **options)


@pytest.mark.parametrize("times", [40, pytest.param(300, marks=pytest.mark.deep)])
def test_kernels_agree_on_random_texts_of_few_words(times: int) -> None:
    rng = random.Random(21)

    def text() -> str:
        return " ".join(rng.choices("abcdefghAB"[: rng.randint(2, 10)], k=rng.randrange(14)))

    for _ in range(times):
        predictions = [text() for _ in range(60)]
        references = [[text() for _ in range(rng.randint(1, 3))] for _ in predictions]
        assert_same(predictions, references, few_words(rng))


def short_texts(letters: str, most: int) -> Iterator[str]:
    for size in range(most + 1):
        yield from map(" ".join, product(letters, repeat=size))


@pytest.mark.parametrize(("longest", "count"), [(3, 40), pytest.param(4, 121, marks=pytest.mark.deep)])
@pytest.mark.parametrize("seed", range(6))
def test_kernels_agree_on_all_short_texts(seed: int, longest: int, count: int) -> None:
    pairs = list(product(short_texts("abc", longest), repeat=2))
    assert len(pairs) == count**2
    assert_same([one for one, _ in pairs], [[other] for _, other in pairs], few_words(random.Random(seed)))


@pytest.mark.parametrize("count", [600, pytest.param(6_000, marks=pytest.mark.deep)])
def test_kernels_agree_on_hard_texts(count: int) -> None:
    texts = hard_texts(count, 31)
    rng = random.Random(32)
    names = {text: frozenset(rng.sample(texts, 3)) | frozenset(rng.sample(VOCABULARY, 5)) for text in VOCABULARY}

    def make() -> Meteor:
        return Meteor(porter_stem, lambda stem: names.get(stem, frozenset((stem, stem[:1], ""))))

    mixed = [" ".join(rng.sample([text, *VOCABULARY], 8)) for text in texts]
    assert_same(mixed, [[text, other, other] for text, other in zip(texts, mixed[1:] + mixed[:1], strict=True)], make)


def test_kernels_agree_on_long_texts_and_many_words() -> None:
    rng = random.Random(41)
    words = [f"w{number:x}" * rng.randint(1, 4) for number in range(3_000)]
    names = {word: frozenset(rng.sample(words, 40)) for word in words}

    def make() -> Meteor:
        return Meteor(lambda word: word[:5], lambda stem: names.get(stem, frozenset((stem,))))

    predictions = [" ".join(rng.choices(words, k=size)) for size in (0, 1, 2_000, 3, 9_000)]
    references = [[" ".join(rng.choices(words, k=size)) for size in (0, 5_000, 40)] for _ in predictions]
    assert_same(predictions, references, make)


def test_references_may_be_cut_otherwise() -> None:
    def swapped(text: str) -> str:
        return text.lower().replace("b", "a b").swapcase().lower()

    rng = random.Random(8)
    predictions = [" ".join(rng.choices("abc", k=5)) for _ in range(200)]
    plain, fast = both_kernels(predictions, [[text[::-1]] for text in predictions], lambda: METEOR, swapped)
    assert plain == fast
    assert plain != both_kernels(predictions, [[text[::-1]] for text in predictions], lambda: METEOR, str.lower)[0]


@BOTH_KERNELS
def test_rows_are_the_best_of_the_scores(rows: Any, tokeniser: Any) -> None:
    golds = ["x", "the big cat", "a large cat runs"]
    found = rows(["The cats run"], [golds], meteor=METEOR, tokeniser=tokeniser, gold_tokeniser=tokeniser)
    scores = [METEOR.score(["The", "cats", "run"], gold.split()) for gold in golds]
    assert found == array("d", [max(scores)])
    assert scores[0] == 0.0 < max(scores) < 1.0


@BOTH_KERNELS
def test_errors_of_both_kernels(rows: Any, tokeniser: Any) -> None:
    def run(predictions: Any, references: Any, aligner: Any = METEOR) -> None:
        rows(predictions, references, meteor=aligner, tokeniser=tokeniser, gold_tokeniser=tokeniser)

    with pytest.raises(ValueError, match="example 1 has no reference"):
        run(["a", "b"], [["a"], []])
    with pytest.raises(TypeError, match="prediction 1 is of type int"):
        run(["a", 5], [["a"], ["b"]])
    with pytest.raises(ValueError, match="1 predictions for 2 lists"):
        run(["a"], [["a"], ["b"]])
    with pytest.raises(ZeroDivisionError):
        run(["a b"], [["a"]], Meteor(porter_stem, LEXICON.synonyms, alpha=2.0))
    with pytest.raises(OverflowError):
        run(["a b c"], [["c a b"]], Meteor(porter_stem, LEXICON.synonyms, beta=-5000.0))

    def broken(word: str) -> Any:
        raise KeyError(word)

    for aligner in (Meteor(broken, LEXICON.synonyms), Meteor(porter_stem, broken)):
        with pytest.raises(KeyError, match="b"):
            run(["a b"], [["a c"]], aligner)


@NEEDS_COMPILED
@pytest.mark.parametrize("wrong", [{"stem": lambda _: 5}, {"synonyms": lambda _: [b"x"]}, {"synonyms": lambda _: 5}])
def test_compiled_rows_want_texts_of_the_lexicon(wrong: Any) -> None:
    aligner = Meteor(**{"stem": porter_stem, "synonyms": LEXICON.synonyms, **wrong})
    tokeniser = kernel.Tokeniser(str.lower)
    with pytest.raises(TypeError):
        kernel.meteor_rows(["a b"], [["a c"]], meteor=aligner, tokeniser=tokeniser, gold_tokeniser=tokeniser)


@NEEDS_COMPILED
def test_lists_may_change_while_words_are_looked_up() -> None:
    references = [["c d", "e f"] for _ in range(4)]

    def stem(word: str) -> str:
        for golds in references:
            golds.clear()
        return word

    tokeniser = kernel.Tokeniser(str.lower)
    aligner = Meteor(stem, NoSynonyms().synonyms)
    with pytest.raises(ValueError, match="example 1 has no reference"):
        kernel.meteor_rows(["a b"] * 4, references, meteor=aligner, tokeniser=tokeniser, gold_tokeniser=tokeniser)


@NEEDS_COMPILED
@pytest.mark.parametrize("times", [100, pytest.param(200, marks=pytest.mark.deep)])
def test_rows_leave_nothing_behind(times: int) -> None:
    rng = random.Random(3)
    predictions = [" ".join(rng.choices(VOCABULARY, k=30)) for _ in range(200)]
    references = [[text[::-1], text[5:]] for text in predictions]
    tokeniser = kernel.Tokeniser(str.lower)

    def run() -> None:
        aligner = Meteor(porter_stem, LEXICON.synonyms)
        for golds in (references, [*references[:-1], []]):
            with suppress(ValueError):
                kernel.meteor_rows(predictions, golds, meteor=aligner, tokeniser=tokeniser, gold_tokeniser=tokeniser)

    counts = [sys.getrefcount(text) for text in predictions]
    for _ in range(10):
        run()
    gc.collect()
    before = resident_kilobytes()
    for _ in range(times):
        run()
    gc.collect()
    # The words of one run lost at each of 100 would be 8 MB.
    assert resident_kilobytes() - before < 4_000
    assert [sys.getrefcount(text) for text in predictions] == counts
