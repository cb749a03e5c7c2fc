"""Normal forms from pymorphy3."""

from __future__ import annotations

import pickle

import pytest

from fullmarks.lexicons.morphology import RussianLemmatiser

pytest.importorskip("pymorphy3", reason="pymorphy3 is not installed")


def test_most_probable_normal_form() -> None:
    lemmatise = RussianLemmatiser()
    assert [lemmatise(word) for word in ("кошки", "пяти", "бежит", "xyz", "", "1799")] == [
        "кошка", "пять", "бежать", "xyz", "", "1799",
    ]  # fmt: skip


def test_a_pickled_lemmatiser_opens_its_own_dictionary() -> None:
    assert pickle.loads(pickle.dumps(RussianLemmatiser()))("домов") == "дом"
