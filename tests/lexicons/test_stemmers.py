"""Russian stems against frozen NLTK results and NLTK itself; the others by name."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from fullmarks.errors import UsageError
from fullmarks.lexicons.russian_stemmer import russian_stem
from fullmarks.lexicons.stemmers import open_stemmer
from fullmarks.text import kernel
from tests.random_words import random_words

# NLTK 3.10.4: nltk.stem.SnowballStemmer("russian").stem(word)
RUSSIAN = {
    "": "", "cat's": "cat's", "кошки": "кошк", "велосипедистами": "велосипедист", "бежавший": "бежа",
    "красивейшая": "красив", "ценность": "ценност", "длинный": "длин", "Ёлка": "елк", "объём": "обь",
    "воюют": "вои^", "ликующая": "ликующ", "ликующий": "лик", "веснушчатый": "веснущат", "умывшись": "ум",
    "xбокс": "xбокс", "н": "н", "новость": "новост", "смеялась": "смея",
}  # fmt: skip


def test_russian_frozen() -> None:
    assert {word: russian_stem(word) for word in RUSSIAN} == RUSSIAN


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.deep)])
def test_russian_equals_nltk_on_random_words(count: int) -> None:
    nltk_stem = pytest.importorskip("nltk.stem", reason="needs nltk: make install").SnowballStemmer("russian").stem
    endings = (
        "ее ие ого ему их ую юю ая яя ою ем нн вш ющ щ ивш ывш ующ ла ете йте л н нно ила уйте ует ю ост ость "
        "ейш ейше ся сь вшись ов ие ье ь ъ шч ё э я x h ' a sh zh"
    )
    for word in random_words("абвгдеёжзийклмнопрстуфхцчшщъыьэюяqhxcАЮЯ-5", endings, count):
        assert russian_stem(word) == nltk_stem(word), word


def test_stemmers_by_name() -> None:
    assert open_stemmer("porter") is kernel.porter_stem
    assert open_stemmer("russian") is russian_stem
    with pytest.raises(UsageError, match=r"unknown stemmer 'poter'\. Did you mean 'porter'"):
        open_stemmer("poter")


def test_snowball_is_the_published_algorithm_pickles_and_serves_threads() -> None:
    package = pytest.importorskip("snowballstemmer", reason="needs snowballstemmer: make install")
    stem = pickle.loads(pickle.dumps(open_stemmer("snowball-russian")))
    words = random_words("абвгдежзийклмнопрстуы", "ами ого ость ующая ившись", 2_000)
    expected = [package.stemmer("russian").stemWord(word) for word in words]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(stem, words)) == expected
    assert stem("воюют") == "воюют" != russian_stem("воюют")
    with pytest.raises(UsageError, match=r"unknown stemmer 'snowball-rusian'\. Did you mean 'snowball-russian'"):
        open_stemmer("snowball-rusian")
