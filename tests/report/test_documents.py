from __future__ import annotations

import csv
import io
import json

import pytest

import fullmarks
from fullmarks.report.documents import (
    comma_separated,
    full_json,
    markdown,
    official_json,
    plain_json,
    shown_number,
    slice_rows,
)


@pytest.fixture
def result():
    table = [
        {"id": 1, "prediction": "a cat", "references": ["cat"], "kind": "x|y"},
        {"id": 2, "prediction": "dogs", "references": ["dog"], "kind": "z"},
        {"id": 3, "prediction": "black cat", "references": ["cat"], "kind": "z"},
    ]
    return fullmarks.score("squad1", table, by=("kind",))


def test_official_json_has_the_very_floats(result):
    text = official_json(result)
    assert text == json.dumps(result.official) + "\n"  # one line, as the published program prints it
    assert json.loads(text)["f1"] == 100.0 * (1.0 + 0.0 + 2 / 3) / 3


def test_full_json(result):
    document = json.loads(full_json(result))
    assert document["official"] == result.official
    assert document["slices"]["kind"]["z"] == {"exact": 0.0, "f1": 1 / 3, "n": 2}
    assert document["signature"] == result.signature


def test_plain_json_keeps_scripts_readable_and_survives_lone_surrogates():
    assert "Москва" in plain_json({"answer": "Москва"})
    assert json.loads(plain_json({"answer": "\ud800"})) == {"answer": "\ud800"}


def test_markdown_escapes_what_would_break_a_table(result):
    text = markdown(result, ["kind"])
    assert "| x\\|y | 100.0000 | 100.0000 | 1 |" in text
    assert "| z | 0.0000 | 33.3333 | 2 |" in text
    assert f"`{result.signature}`" in text


def test_comma_separated_is_exact(result):
    rows = list(csv.DictReader(io.StringIO(comma_separated(result, ["kind"]))))
    whole = {row["score"]: float(row["result"]) for row in rows if not row["column"]}
    assert whole == result.official
    part = {row["score"]: float(row["result"]) for row in rows if row["value"] == "z"}
    assert part == {"exact": 0.0, "f1": 100.0 * (1 / 3), "n": 2.0}


def test_slices_are_in_the_official_scale(result):
    header, rows = slice_rows(result, "kind")
    assert header == ["kind", "exact", "f1", "n"]
    assert rows == [["x|y", "100.0000", "100.0000", "1"], ["z", "0.0000", "33.3333", "2"]]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(7, "7"), (0.0, "0.0000"), (12.34567, "12.3457"), (1e-5, "1e-05"), (-2e-7, "-2e-07"), (0.001, "0.0010")],
)
def test_numbers_for_people(number, expected):
    assert shown_number(number) == expected
