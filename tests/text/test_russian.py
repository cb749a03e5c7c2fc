"""Russian text preparation, against razdel and NLTK's tokeniser where they are installed."""

from __future__ import annotations

import pickle
import random

import pytest

from fullmarks.text.russian import (
    RussianNormaliser,
    caption_words,
    delete_punctuation,
    nltk_tokens,
    normalise_whole,
    numerals,
    option_letter,
    razdel_tokens,
)

LEMMAS = {"пяти": "пять", "коты": "кот", "никаких": "никакой"}


def lemmatise(word: str) -> str:
    return LEMMAS.get(word, word)


def test_numerals_are_the_published_thirteen() -> None:
    table = numerals()
    assert len(table) == 13
    assert table["нисколько"] == table["никакой"] == table["ноль"] == "0"
    assert table["десять"] == "10"


@pytest.mark.parametrize(
    ("text", "keep", "expected"),
    [
        ("", "", ""),
        (" ?! ", "", ""),
        ("Пяти КОТЫ, (никаких)!", "", "5 кот 0"),
        ("-3", "", "3"),
        ("-3", "-", "-3"),
        ("ярко-жёлтый", "", "яркожёлтый"),
        ("«коты» — пяти", "", "«коты» — 5"),
    ],
)
def test_normaliser(text: str, keep: str, expected: str) -> None:
    normalise = RussianNormaliser(lemmatise, keep=keep)
    assert normalise(text) == expected
    assert pickle.loads(pickle.dumps(normalise))(text) == expected


def test_each_distinct_word_is_lemmatised_once() -> None:
    asked: list[str] = []
    normalise = RussianNormaliser(lambda word: asked.append(word) or word)  # type: ignore[func-returns-value]
    normalise("кот кот")
    normalise("Кот!")
    assert asked == ["кот"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [("ответ: d) или a)", "d"), ("C", None), ("а б в г д е", None), ("xyz", None), ("", None), ("yes", "e")],
)
def test_option_letter_is_lower_case_latin(text: str, letter: str | None) -> None:
    assert option_letter(text) == letter


def test_whole_text_is_one_word_for_the_lemmatiser() -> None:
    assert normalise_whole("Пяти!", lemmatise) == "5"
    assert normalise_whole("пяти коты", lemmatise) == "пяти коты"
    assert normalise_whole("", lemmatise) == ""


def test_delete_punctuation_knows_ascii_only() -> None:
    assert delete_punctuation("a,b—«в»_г'") == "ab—«в»г"


# razdel 0.5.0, wordtodigits 1.0.2 and NLTK 3.9.1 (NLTKWordTokenizer) one after the other
CAPTIONS = [
    ("", [], []),
    ('Кот, "знак" (слева) 10%!', ["кот", "``", "знак", "``", "слева", "10"], None),
    ("three don't", ["three", "don", "'", "t"], ["3", "don", "'", "t"]),
    ("ярко-красный 10–20 -- ***", ["ярко-красный", "10–20", "--", "*", "*", "*"], None),
    ("Cannot gonna", ["can", "not", "gon", "na"], None),
    ("two point five", ["two", "point", "five"], ["2.5"]),
    ("@@UNKNOWN@@", ["@", "@", "unknown", "@", "@"], ["<", "unk", ">"]),
    ("два{кота} {{", ["два", "{", "кота", "{", "{"], None),
]


@pytest.mark.parametrize(("text", "plain", "with_digits"), CAPTIONS)
def test_caption_words(text: str, plain: list[str], with_digits: list[str] | None) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    assert caption_words(text, number_words=False) == plain
    assert caption_words(text, number_words=True) == (plain if with_digits is None else with_digits)


WORDS = "кот Ёж cannot gonna wanna gimme lemme gotta CanNot d'ye more'n 'tis don't x's 5 10 ² Δ ß İ ſ ö 日本"
MARKS = "— – - -- --- * ** ' '' \" \"\" ` `` « » “ ” ‘ ’ „ … ‒ ― ‑ − _ / \\ < > @ # $ & + = ^ | ~ № € \u0301 {"
PIECES = [*WORDS.split(), *MARKS.split(), *[" ", "  ", "\u00a0", "\t"] * 5]


def random_texts(count: int) -> list[str]:
    rng = random.Random(5)
    return ["".join(rng.choices(PIECES, k=rng.randint(0, 8))) for _ in range(count)]


@pytest.mark.parametrize("count", [500, pytest.param(3_000, marks=pytest.mark.deep)])
def test_razdel_tokens_equal_razdel(count: int) -> None:
    razdel = pytest.importorskip("razdel", reason="needs razdel: make install")
    plain = ["кот Собака", " a b\tв 5 ", "кот5", "a б", "İı K", "x\u0301 y"]
    for text in random_texts(count) + plain:
        assert razdel_tokens(text) == [token.text for token in razdel.tokenize(text)], text


@pytest.mark.parametrize("count", [500, pytest.param(3_000, marks=pytest.mark.deep)])
def test_nltk_tokens_equal_nltk(count: int) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    tokenizer = pytest.importorskip("nltk.tokenize", reason="needs nltk: make install").NLTKWordTokenizer()
    cuts_dashes = len(tokenizer.tokenize("1–2")) > 1  # 3.10.4 does, 3.9.1 and before do not
    for text in random_texts(count):
        words = [word.lower() for word in razdel_tokens(text)]
        assert nltk_tokens(words, cuts_dashes=cuts_dashes) == tokenizer.tokenize(" ".join(words)), text


# NLTK 3.9.1 and 3.10.4 (NLTKWordTokenizer)
@pytest.mark.parametrize(
    ("words", "before", "from_3_10"),
    [
        (["10–20"], ["10–20"], ["10", "–", "20"]),
        (["дом—река", "―", "a‒b"], ["дом—река", "―", "a‒b"], ["дом", "—", "река", "―", "a", "‒", "b"]),
        (["ярко-красный", "cannot—"], ["ярко-красный", "can", "not", "—"], ["ярко-красный", "can", "not", "—"]),
        (["wanna—x"], ["wanna—x"], ["wan", "na", "—", "x"]),
    ],
)
def test_long_dashes_of_two_releases_of_nltk(words: list[str], before: list[str], from_3_10: list[str]) -> None:
    assert nltk_tokens(words) == before
    assert nltk_tokens(words, cuts_dashes=True) == from_3_10
