"""The table "Where all of them differ" of docs/protocols/README.md, row by row."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

import fullmarks
from tests.whole.test_card_rows import rows_of
from tools.protocol_pages import COMMON

GOLD = '{"data": [{"title": "t", "paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "cat"}]}]}]}]}'


def repeated_key(folder: Path) -> None:
    gold = folder / "gold.json"
    gold.write_text(GOLD.replace('"title": "t"', '"title": "t", "title": "u"'))
    with pytest.raises(fullmarks.InputError, match=r"line 1, column \d+: the key 'title' stands twice in one object"):
        fullmarks.score("squad2", gold, {"a": "cat"})


def byte_order_mark(folder: Path) -> None:
    paths = folder / "gold.json", folder / "predictions.json"
    for path, text in zip(paths, (GOLD, json.dumps({"a": "cat"})), strict=True):
        path.write_text(text, encoding="utf-8-sig")
    assert fullmarks.score("squad2", *paths).official["exact"] == 100.0


def newer_character(folder: Path) -> None:
    del folder
    letter = "\U0001e4d0"
    gold = json.loads(GOLD.replace('"cat"', f'"{letter} cat"'))
    is_known = unicodedata.category(letter) != "Cn"
    assert fullmarks.score("squad2", gold, {"a": f"the{letter} cat"}).official["exact"] == (0.0 if is_known else 100.0)


CASES: dict[str, Callable[[Path], None]] = {
    "a key that stands twice in an object of the gold": repeated_key,
    "a byte order mark at the beginning of a file": byte_order_mark,
    "a character that a newer Unicode version added": newer_character,
}


def test_every_common_row_has_a_case() -> None:
    assert rows_of(COMMON, "Where all of them differ") == list(CASES)


@pytest.mark.parametrize("row", CASES)
def test_a_common_row(row: str, tmp_path: Path) -> None:
    CASES[row](tmp_path)
