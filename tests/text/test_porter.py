"""Porter's stems by both kernels: against frozen NLTK results, NLTK itself and each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from fullmarks.text import kernel, porter
from tests.random_words import random_words

Stemmer = Callable[[str], str]

# NLTK 3.10.4: nltk.stem.PorterStemmer().stem(word)
PORTER = {
    "": "", "a": "a", "IS": "is", "news": "news", "Skies": "sky", "dying": "die", "dies": "die", "flies": "fli",
    "died": "die", "spied": "spi", "agreed": "agre", "feed": "feed", "hopping": "hop", "hoping": "hope",
    "falling": "fall", "sized": "size", "enjoy": "enjoy", "happy": "happi", "by": "by", "relational": "relat",
    "conditional": "condit", "generalizations": "gener", "geology": "geolog", "theologically": "theolog",
    "hopefully": "hope", "adoption": "adopt", "replacement": "replac", "controlling": "control", "roll": "roll",
    "cease": "ceas", "rate": "rate", "syzygy": "syzygi", "yyyy": "yyyi", "кошки": "кошки",
}  # fmt: skip
BOTH_KERNELS = pytest.mark.parametrize(
    "porter_stem", [porter.porter_stem, kernel.porter_stem], ids=["python", "kernel"]
)
ENDINGS = "s ed ing ies ied alli logi ation ational ness fulli ement ion y yy e ll ee bli izer iviti"


@BOTH_KERNELS
def test_frozen(porter_stem: Stemmer) -> None:
    assert {word: porter_stem(word) for word in PORTER} == PORTER


@BOTH_KERNELS
@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_equals_nltk_on_random_words(porter_stem: Stemmer, count: int) -> None:
    nltk_stem = pytest.importorskip("nltk.stem", reason="needs nltk: make install").PorterStemmer().stem
    for word in random_words("aeiouybcdlstwxzn", ENDINGS, count):
        assert porter_stem(word) == nltk_stem(word), word


@pytest.mark.parametrize("count", [4_000, pytest.param(40_000, marks=pytest.mark.deep)])
def test_both_kernels_agree(count: int) -> None:
    every_ending = [*porter._STEP_4, *dict([*porter._STEP_2, *porter._STEP_3]), *ENDINGS.split()]
    words = random_words("aeiouybcdlstwxznYÉéяİß\ud800\U0001d4d0", " ".join(every_ending), count)
    words += ["".join(letters) for size in range(5) for letters in product("aydelsi", repeat=size)]
    words += ["y" * 100_000, "b" * 63 + "ed", "b" * 62 + "ated", "ba" * 40 + "tional", *porter._IRREGULAR]
    for word in words:
        assert kernel.porter_stem(word) == porter.porter_stem(word), word
    with pytest.raises(TypeError if kernel.IMPLEMENTATION == "c" else AttributeError):
        kernel.porter_stem(5)  # type: ignore[arg-type]
