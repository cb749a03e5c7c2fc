"""Porter (both kernels) and Russian stems against frozen NLTK results and NLTK itself; Snowball by name."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from fullmarks.errors import UsageError
from fullmarks.lexicons.russian_stemmer import russian_stem
from fullmarks.lexicons.stemmers import open_stemmer
from fullmarks.text import kernel, porter

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
# NLTK 3.10.4: nltk.stem.SnowballStemmer("russian").stem(word)
RUSSIAN = {
    "": "", "cat's": "cat's", "кошки": "кошк", "велосипедистами": "велосипедист", "бежавший": "бежа",
    "красивейшая": "красив", "ценность": "ценност", "длинный": "длин", "Ёлка": "елк", "объём": "обь",
    "воюют": "вои^", "ликующая": "ликующ", "ликующий": "лик", "веснушчатый": "веснущат", "умывшись": "ум",
    "xбокс": "xбокс", "н": "н", "новость": "новост", "смеялась": "смея",
}  # fmt: skip


BOTH_KERNELS = pytest.mark.parametrize(
    "porter_stem", [porter.porter_stem, kernel.porter_stem], ids=["python", "kernel"]
)
PORTER_ENDINGS = "s ed ing ies ied alli logi ation ational ness fulli ement ion y yy e ll ee bli izer iviti"


@BOTH_KERNELS
@pytest.mark.parametrize(("word", "stem"), PORTER.items())
def test_porter_frozen(word: str, stem: str, porter_stem: Stemmer) -> None:
    assert porter_stem(word) == stem


@pytest.mark.parametrize(("word", "stem"), RUSSIAN.items())
def test_russian_frozen(word: str, stem: str) -> None:
    assert russian_stem(word) == stem


def random_words(letters: str, endings: str, count: int) -> list[str]:
    rng = random.Random(2)
    parts = endings.split()
    return [
        "".join(rng.choices(letters, k=rng.randint(0, 6))) + "".join(rng.choices(parts, k=rng.randint(0, 3)))
        for _ in range(count)
    ]


@BOTH_KERNELS
def test_porter_equals_nltk_on_random_words(porter_stem: Stemmer) -> None:
    nltk_stem = pytest.importorskip("nltk.stem", reason="nltk is not installed").PorterStemmer().stem
    for word in random_words("aeiouybcdlstwxzn", PORTER_ENDINGS, 10_000):
        assert porter_stem(word) == nltk_stem(word), word


def test_porter_of_both_kernels() -> None:
    every_ending = [*porter._STEP_4, *dict([*porter._STEP_2, *porter._STEP_3]), *PORTER_ENDINGS.split()]
    words = random_words("aeiouybcdlstwxznYÉéяİß\ud800\U0001d4d0", " ".join(every_ending), 40_000)
    words += ["".join(letters) for size in range(5) for letters in product("aydelsi", repeat=size)]
    words += ["y" * 100_000, "b" * 63 + "ed", "b" * 62 + "ated", "ba" * 40 + "tional", *porter._IRREGULAR]
    for word in words:
        assert kernel.porter_stem(word) == porter.porter_stem(word), word
    with pytest.raises(TypeError if kernel.IMPLEMENTATION == "c" else AttributeError):
        kernel.porter_stem(5)  # type: ignore[arg-type]


def test_russian_equals_nltk_on_random_words() -> None:
    nltk_stem = pytest.importorskip("nltk.stem", reason="nltk is not installed").SnowballStemmer("russian").stem
    endings = (
        "ее ие ого ему их ую юю ая яя ою ем нн вш ющ щ ивш ывш ующ ла ете йте л н нно ила уйте ует ю ост ость "
        "ейш ейше ся сь вшись ов ие ье ь ъ шч ё э я x h ' a sh zh"
    )
    for word in random_words("абвгдеёжзийклмнопрстуфхцчшщъыьэюяqhxcАЮЯ-5", endings, 10_000):
        assert russian_stem(word) == nltk_stem(word), word


def test_stemmers_by_name() -> None:
    assert open_stemmer("porter") is kernel.porter_stem
    assert open_stemmer("russian") is russian_stem
    with pytest.raises(UsageError, match=r"unknown stemmer 'poter'\. Did you mean 'porter'"):
        open_stemmer("poter")


def test_snowball_is_the_published_algorithm_pickles_and_serves_threads() -> None:
    package = pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed")
    stem = pickle.loads(pickle.dumps(open_stemmer("snowball-russian")))
    words = random_words("абвгдежзийклмнопрстуы", "ами ого ость ующая ившись", 2_000)
    expected = [package.stemmer("russian").stemWord(word) for word in words]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(stem, words)) == expected
    assert stem("воюют") == "воюют" != russian_stem("воюют")
    with pytest.raises(UsageError, match=r"unknown stemmer 'snowball-rusian'\. Did you mean 'snowball-russian'"):
        open_stemmer("snowball-rusian")
