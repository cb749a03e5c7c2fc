"""Gold files described by a record form."""

from __future__ import annotations

import json

import pytest

from fullmarks.errors import InputError
from fullmarks.readers.paths import getter, place_of, steps_of, walk
from fullmarks.readers.records import RecordForm, read_records
from fullmarks.readers.source import Source

FORM = RecordForm("id", "answer", columns={"level": "level"}, facts={"support": "support"})
ROWS = [
    {"id": "a", "answer": "x", "level": "easy", "support": [["T", 0]]},
    {"id": 7, "answer": ["y", "z"], "support": []},
]


def read(held, form):
    return read_records(Source(held, "gold"), form)


def test_a_list_of_records():
    gold = read(ROWS, FORM)
    assert gold.ids == ["a", 7]
    assert gold.references == [["x"], ["y", "z"]]
    assert gold.columns == {"level": ["easy", None]}
    assert gold.facts == {"support": [[["T", 0]], []]}


@pytest.mark.parametrize("name", ["gold.json", "gold.jsonl", "gold.txt"])
def test_json_lines_are_told_by_their_content(tmp_path, name):
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n")
    assert read(str(path), FORM) == read(ROWS, FORM)


def test_lines_end_at_line_feeds_alone(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text(
        '{"id": "a", "answer": "x\u2028y\u0085z", "support": 0}\n{"id": "b", "answer": "", "support": 1}\n',
        encoding="utf-8",
    )
    assert read(str(path), FORM).references == [["x\u2028y\u0085z"], [""]]


def test_nested_records_know_the_keys_on_the_way():
    form = RecordForm("query_id", "answer.spans", at="{}.qa_pairs[]", columns={"passage": "@1", "number": "@2"})
    held = {
        "p": {"qa_pairs": [{"query_id": "q1", "answer": {"spans": ["s"]}}, {"query_id": "q2", "answer": {"spans": []}}]}
    }
    gold = read(held, form)
    assert gold.ids == ["q1", "q2"]
    assert gold.columns == {"passage": ["p", "p"], "number": [0, 1]}


def test_several_fields_make_one_id_and_several_hold_references():
    form = RecordForm(("story", "turn"), ("answer", "more[].text?"), at="data[]")
    held = {
        "data": [
            {"story": "s", "turn": 1, "answer": "x", "more": [{"text": "y"}]},
            {"story": "s", "turn": 2, "answer": "z"},
        ]
    }
    gold = read(held, form)
    assert gold.ids == ["s 1", "s 2"]
    assert gold.references == [["x", "y"], ["z"]]


def test_an_object_of_records_by_id():
    gold = read({"q": {"answer": "x"}}, RecordForm("@1", "answer", at="{}"))
    assert (gold.ids, gold.references) == (["q"], [["x"]])


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([{"answer": "x", "support": 0}], "gold: [0]: the field 'id' is missing"),
        ([ROWS[0], {"id": "b", "support": 0}], "gold: [1]: the field 'answer' is missing"),
        (
            [{"id": "a", "answer": 5, "support": 0}],
            "gold: [0]: 'answer' must be a text or a list of texts, found a number",
        ),
        ([{"id": "a", "answer": [5], "support": 0}], "gold: [0]: 'answer' must hold texts, found a number"),
        ([{"id": None, "answer": "x", "support": 0}], "gold: [0]: 'id' must be a string or a whole number, found null"),
        ([{"id": True, "answer": "x", "support": 0}], "'id' must be a string or a whole number, found true or false"),
        ({"data": []}, "gold: expected a list, found an object"),
        ([5], "gold: [0]: expected an object with the field 'id', found a number"),
    ],
)
def test_errors_name_record_and_field(held, message):
    with pytest.raises(InputError) as caught:
        read(held, FORM)
    assert message in str(caught.value)


def test_a_path_that_leads_nowhere():
    with pytest.raises(InputError, match=r"gold: data\[0\]: the field 'qas' is missing, found 'title'"):
        list(walk({"data": [{"title": "t"}]}, "data[].qas[]", "gold"))


def test_which_records_a_form_fits():
    assert FORM.fits(ROWS[0])
    assert not FORM.fits({"id": "a", "references": ["x"]})
    assert not FORM.fits("text")
    assert RecordForm("@1", "label").fits({"label": "x"})
    assert not RecordForm("id", "answer", at="data[]").fits({"id": 1, "answer": "x"})


def test_places_and_values():
    assert steps_of("data[].paragraphs[].qas[]") == ("data", "[]", "paragraphs", "[]", "qas", "[]")
    assert place_of("{}.qas[]", ("paper", 2)) == "['paper'].qas[2]"
    assert getter("a[].b[]")({"a": [{"b": [1, 2]}, {"b": [3]}]}, ()) == [1, 2, 3]
    assert getter("a.b?")({"a": {}}, ()) is None
    assert getter("a[].b?")({}, ()) == []


@pytest.mark.parametrize(
    "content", ['[{"id": "a", "answer": "x", "answer": "y", "support": 0}]', '{"id": "a", "id": "b"}\n{}']
)
def test_a_key_that_comes_twice_is_refused(tmp_path, content):
    path = tmp_path / "gold.json"
    path.write_text(content)
    with pytest.raises(InputError, match="stands twice in one object"):
        read(str(path), FORM)


def test_a_record_over_two_lines_is_no_json_line(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "a", "answer": "x", "support":\n 0}\n{"id": "b", "answer": "", "support": 1}\n')
    with pytest.raises(InputError, match=r"gold\.jsonl: line 1: not valid JSON"):
        read(str(path), FORM)
