"""Predictions with named parts, in every shape they may come in."""

from __future__ import annotations

import json

import pytest

from fullmarks.errors import InputError
from fullmarks.readers.prediction_parts import Part, PartsForm, drop_wrong_parts, read_parts
from fullmarks.readers.source import Source
from fullmarks.types import Audit

FORM = PartsForm({"answer": Part("answer"), "facts": Part("sp", "list")}, is_by_part=True)
EXPECTED = {"answer": {"a": "x", "b": "y"}, "facts": {"a": [["T", 0]]}}


def read(held, form=FORM, on_duplicate="error"):
    audit = Audit()
    return read_parts(Source(held, "predictions"), audit, on_duplicate=on_duplicate, form=form), audit


@pytest.mark.parametrize(
    "held",
    [
        {"answer": {"a": "x", "b": "y"}, "sp": {"a": [["T", 0]]}},
        [{"id": "a", "answer": "x", "sp": [["T", 0]]}, {"id": "b", "answer": "y"}],
        {"a": {"answer": "x", "sp": [["T", 0]]}, "b": {"answer": "y"}},
    ],
)
def test_the_shapes_of_one_file(held, tmp_path):
    found, audit = read(held)
    assert found == EXPECTED
    assert not audit.findings
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(held))
    assert read(str(path))[0] == EXPECTED


def test_json_lines(tmp_path):
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"id": "a", "answer": "x", "sp": [["T", 0]]}\n{"id": "b", "answer": "y"}\n')
    assert read(str(path))[0] == EXPECTED


def test_texts_alone_are_the_main_part():
    assert read({"a": "x"})[0] == {"answer": {"a": "x"}, "facts": {}}


def test_a_single_row():
    assert read({"id": "a", "sp": []}, PartsForm(FORM.parts))[0] == {"answer": {}, "facts": {"a": []}}


def test_several_fields_make_one_id():
    form = PartsForm({"answer": Part("answer")}, ("story", "turn"))
    assert read([{"story": "s", "turn": 2, "answer": "x"}], form)[0] == {"answer": {"s 2": "x"}}


def test_repeated_ids_are_counted():
    rows = [{"id": "a", "answer": "x", "sp": []}, {"id": "a", "answer": "y", "sp": []}]
    (finding,) = read(rows)[1].at_level("error")
    assert (finding.count, finding.first_ids) == (1, ["a"])
    assert read(rows, on_duplicate="last")[0]["answer"] == {"a": "y"}
    assert read(rows, on_duplicate="first")[0]["answer"] == {"a": "x"}


@pytest.mark.parametrize(("part", "value"), [("answer", 5), ("answer", None), ("sp", "text"), ("sp", None)])
def test_parts_of_a_wrong_kind_are_errors_where_a_question_asks_for_them(part, value):
    found, audit = read([{"id": "a", part: value}, {"id": "b", part: value}])
    drop_wrong_parts(found, {"a"}, FORM, audit, "predictions")
    (finding,) = audit.at_level("error")
    assert (finding.count, finding.first_ids) == (1, ["a"])
    assert "is not" in finding.kind
    assert list(found["answer" if part == "answer" else "facts"]) == ["b"]


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (5, "expected an object or a list of rows with 'answer', 'sp', found a number"),
        ([5], "record 1: expected an object, found a number"),
        ([{"answer": "x"}], "record 1: the field 'id' is missing, found 'answer'"),
        ([{"id": None, "answer": "x"}], "record 1: 'id' must be a string or a whole number, found null"),
        ({"answer": ["x"], "sp": {}}, "'answer' must be an object {id: value}, found a list"),
    ],
)
def test_errors_say_where(held, message):
    with pytest.raises(InputError) as caught:
        read(held)
    assert message in str(caught.value)


def test_a_list_of_texts_where_the_part_allows_it():
    form = PartsForm({"answer": Part("answer", "text or list")})
    assert read({"a": ["x", "y"], "b": "z"}, form)[0] == {"answer": {"a": ["x", "y"], "b": "z"}}
    found, audit = read({"a": ["x", 5]}, form)
    drop_wrong_parts(found, {"a"}, form, audit, "predictions")
    assert audit.at_level("error")


@pytest.mark.parametrize("content", ['{"answer": {"a": "x", "a": "y"}, "sp": {}}', '{"a": "x", "a": "y"}'])
def test_ids_that_come_twice_in_an_object_are_counted(tmp_path, content):
    path = tmp_path / "predictions.json"
    path.write_text(content)
    (finding,) = read(str(path))[1].at_level("error")
    assert (finding.count, finding.first_ids) == (1, ["a"])
    assert read(str(path), on_duplicate="last")[0]["answer"] == {"a": "y"}


@pytest.mark.parametrize(
    "content",
    [
        '{"a": {"answer": "x", "answer": "y"}}',
        '[{"id": "a", "id": "b", "answer": "x"}]',
        '{"answer": {"a": "x"}, "answer": {"a": "y"}, "sp": {}}',
    ],
)
def test_other_keys_that_come_twice_are_refused(tmp_path, content):
    path = tmp_path / "predictions.json"
    path.write_text(content)
    with pytest.raises(InputError, match="stands twice in one object"):
        read(str(path))


def test_every_repeat_is_counted():
    row = {"id": "a", "answer": "x", "sp": []}
    (finding,) = read([row, row, row, {"id": "b", "answer": "y"}, {"id": "b", "sp": []}])[1].at_level("error")
    assert (finding.count, finding.first_ids) == (2, ["a"])
