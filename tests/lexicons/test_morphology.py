"""Normal forms from pymorphy3."""

from __future__ import annotations

import pickle

import pytest

from fullmarks.lexicons.morphology import RussianLemmatiser

pytest.importorskip("pymorphy3", reason="needs pymorphy3: make install")


def test_most_probable_normal_form() -> None:
    lemmatise = RussianLemmatiser()
    assert [lemmatise(word) for word in ("кошки", "пяти", "бежит", "xyz", "", "1799")] == [
        "кошка", "пять", "бежать", "xyz", "", "1799",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["\U00017050", "\ud800"])
def test_what_pymorphy_cannot_read_stays(word: str) -> None:
    # A Tangut letter has no name in Python's Unicode table, for which pymorphy3 2.0.6 raises ValueError.
    assert RussianLemmatiser()(word) == word


def test_a_pickled_lemmatiser_opens_its_own_dictionary() -> None:
    assert pickle.loads(pickle.dumps(RussianLemmatiser()))("домов") == "дом"
