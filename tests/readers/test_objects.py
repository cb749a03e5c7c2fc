"""Fields of plain objects, compiled and in Python; and SQuAD's gold read from objects as from a file."""

from __future__ import annotations

import copy
import io
import json
import random
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import pytest

import fullmarks
from fullmarks.readers import objects, squad
from fullmarks.readers.source import Source

compiled: Any = pytest.importorskip("fullmarks.readers._keys", reason="the compiled reader is not built here")


def both(python: Callable[..., Any], c: Callable[..., Any]) -> pytest.MarkDecorator:
    """A test of both implementations."""
    return pytest.mark.parametrize("function", [python, c], ids=["python", "c"])


COLUMNS = both(objects.columns_in_python, compiled.columns_of)
NAMES = both(objects.field_names_in_python, compiled.field_names)
INNER = both(objects.inner_texts_in_python, compiled.inner_texts)
ARE = both(objects.are_text_lists_in_python, compiled.are_text_lists)


class Text(str):
    """A text of another class."""


@COLUMNS
def test_columns(function: Callable[..., Any]) -> None:
    records = [{"a": 1, "b": "x"}, {"b": None}, OrderedDict(a=2), defaultdict(int, c=5)]
    assert function(records, ("a", "b")) == [[1, None, 2, None], ["x", None, None, None]]
    assert function(records, ()) == []
    assert function([], ("a",)) == [[]]
    assert function([{}, 5], ("a",)) is None


@COLUMNS
def test_columns_of_given_kinds(function: Callable[..., Any]) -> None:
    records = [{"a": "x", "b": [1]}, {"a": "y", "b": []}]
    assert function(records, ("a", "b"), (str, list)) == [["x", "y"], [[1], []]]
    assert function(records, ("a", "b"), (str, str)) is None
    assert function([*records, {"a": Text("z"), "b": []}], ("a", "b"), (str, list)) is None
    assert function([*records, {"b": []}], ("a", "b"), (str, list)) is None
    with pytest.raises(ValueError, match=r"kind for every name|shorter|longer"):
        function(records, ("a", "b"), (str,))


@NAMES
def test_names_come_in_the_order_of_first_appearance(function: Callable[[Any], Any]) -> None:
    assert function([{"b": 1, "a": 2}, {"a": 1, "c": 2}, {"c": 1, "b": 2}]) == ["b", "a", "c"]
    assert function([]) == []
    assert function([{}, {}]) == []
    assert function([{}, []]) is None


@NAMES
def test_names_of_records_of_every_kind(function: Callable[[Any], Any]) -> None:
    source = random.Random(4)
    for _ in range(200):
        names = [f"field {number}" for number in range(source.choice((1, 3, 40, 70)))]
        records = [
            {"".join(name): 0 for name in source.sample(names, source.randint(0, len(names)))} for _ in range(20)
        ]
        assert function(records) == list(dict.fromkeys(name for record in records for name in record))


@INNER
def test_inner_texts(function: Callable[..., Any]) -> None:
    assert function([[{"t": "a", "x": 1}, {"t": "b"}], []], "t") == [["a", "b"], []]
    assert function([], "t") == []
    for wrong in ([[{"t": "a"}, {}]], [[{"t": 5}]], [[{"t": Text("a")}]], [["a"]], [({"t": "a"},)], [None]):
        assert function(wrong, "t") is None


@INNER
def test_inner_texts_of_objects_marked_alike(function: Callable[..., Any]) -> None:
    """Marks are numbers or texts; those of the first list are asked of every other one."""
    first = [{"t": "a", "m": 1}, {"t": "b", "m": "2"}, {"t": "c", "m": 10**30}]
    assert function([first, copy.deepcopy(first)], "t", "m") == [["a", "b", "c"]] * 2
    assert function([], "t", "m") == []
    assert function([[], []], "t", "m") == [[], []]
    for place, mark in ((0, 2), (0, True), (0, 1.0), (1, 2), (1, Text("2")), (2, 10**30 + 1), (2, None)):
        other = copy.deepcopy(first)
        other[place]["m"] = mark
        assert function([first, other], "t", "m") is None, mark
        assert (function([other], "t", "m") is None) == (type(mark) not in (int, str))
    for wrong in (first[:2], [*first, first[0]], [], [{"t": "a"}, *first[1:]], [{"t": 5, "m": 1}, *first[1:]]):
        assert function([first, wrong], "t", "m") is None
    assert function([[{"t": "a", "m": None}]] * 2, "t", "m") is None


@ARE
def test_lists_of_texts(function: Callable[[Any], bool]) -> None:
    assert function([["a", "b"], []])
    assert function([])
    for wrong in ([["a"], ("b",)], [["a", 5]], [[Text("a")]], ["a"], (["a"],), "a", None):
        assert not function(wrong)


@pytest.mark.parametrize("call", [lambda: compiled.field_names(({},)), lambda: compiled.columns_of(({},), ("a",))])
def test_other_sequences_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()


class Strange:
    """A key that changes the records while it is compared."""

    def __init__(self, records: list[Any], name: str) -> None:
        self.records, self.name = records, name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        self.records.clear()
        return False


def test_records_may_change_while_they_are_looked_at() -> None:
    records: list[Any] = []
    records += [{Strange(records, "a"): number} for number in range(50)]
    assert compiled.columns_of(records, ("a",)) is None
    answers: list[Any] = []
    answers += [{Strange(answers, "t"): 1, "t": "x"} for _ in range(50)]
    assert compiled.inner_texts([answers], "t") is None


def test_nothing_is_held_that_was_looked_at() -> None:
    texts = [f"text {number}" for number in range(50)]
    records: list[Any] = [{"t": text, "n": number} for number, text in enumerate(texts)]
    before = [sys.getrefcount(each) for each in (*texts, *records)]
    for _ in range(20):
        compiled.columns_of(records, ("t", "n", "x"))
        compiled.columns_of([*records, 5], ("t",))
        compiled.columns_of(records, ("t", "n"), (str, str))
        compiled.field_names(records)
        compiled.field_names([*records, None])
        compiled.inner_texts([records, records[:3]], "t")
        compiled.inner_texts([records, records[:3]], "n")
        compiled.are_text_lists([texts])
        compiled.are_texts(texts)
        compiled.are_texts_by_text(dict.fromkeys(texts, "x"))
    assert [sys.getrefcount(each) for each in (*texts, *records)] == before


TEXTS = both(objects.are_texts_in_python, compiled.are_texts)
BY_TEXT = both(objects.are_texts_by_text_in_python, compiled.are_texts_by_text)


@TEXTS
def test_texts_alone(function: Callable[[Any], bool]) -> None:
    assert function(["a", ""])
    assert function([])
    for wrong in (["a", 5], [Text("a")], [None], [b"a"]):
        assert not function(wrong)


@BY_TEXT
def test_texts_by_text(function: Callable[[Any], bool]) -> None:
    assert function({"a": "x", "b": ""})
    assert function({})
    for wrong in ({"a": 5}, {5: "a"}, {"a": None}, {Text("a"): "x"}, {"a": Text("x")}):
        assert not function(wrong)


def test_a_dict_that_makes_up_what_it_lacks_lacks_it() -> None:
    predictions = defaultdict(str, a="x", b="")
    with pytest.raises(fullmarks.MismatchError, match="questions without a prediction: 1"):
        fullmarks.score("squad2", GOLD, predictions)
    assert set(predictions) == {"a", "b"}


GOLD: dict[str, Any] = {
    "version": "v2.0",
    "data": [
        {
            "title": "One",
            "paragraphs": [
                {
                    "context": "...",
                    "qas": [
                        {"id": "a", "question": "Who?", "answers": [{"text": "x", "answer_start": 1}, {"text": "y"}]},
                        {"id": "b", "question": "When?", "answers": []},
                    ],
                },
                {"context": "", "qas": []},
            ],
        },
        {"title": "Two", "paragraphs": [{"qas": [{"id": "c", "question": "", "answers": [{"text": ""}]}]}]},
        {"title": "Three", "paragraphs": []},
    ],
}


def changed(path: str, value: Any) -> Any:
    """The gold with another value at a path of keys and positions; DELETE takes it away."""
    gold = copy.deepcopy(GOLD)
    *outer, last = path.split()
    place: Any = gold
    for step in outer:
        place = place[int(step) if isinstance(place, list) else step]
    key = int(last) if isinstance(place, list) else last
    if value == "DELETE":
        del place[key]
    else:
        place[key] = value
    return gold


CHANGES = [
    ("data", {}),
    ("data", "DELETE"),
    ("data", None),
    ("data 0", "x"),
    ("data 0 title", "DELETE"),
    ("data 0 title", None),
    ("data 0 paragraphs", "DELETE"),
    ("data 0 paragraphs", 5),
    ("data 0 paragraphs 1", None),
    ("data 0 paragraphs 0 qas", "DELETE"),
    ("data 0 paragraphs 0 qas", {"id": "a"}),
    ("data 0 paragraphs 0 qas 1", []),
    ("data 0 paragraphs 0 qas 1 id", 7),
    ("data 0 paragraphs 0 qas 1 id", "DELETE"),
    ("data 0 paragraphs 0 qas 1 question", "DELETE"),
    ("data 0 paragraphs 0 qas 1 question", 7),
    ("data 0 paragraphs 0 qas 0 answers", "DELETE"),
    ("data 0 paragraphs 0 qas 0 answers", None),
    ("data 0 paragraphs 0 qas 0 answers 1", "y"),
    ("data 0 paragraphs 0 qas 0 answers 1 text", None),
    ("data 0 paragraphs 0 qas 0 answers 1 text", "DELETE"),
    ("version", None),
]


def told(source: Source) -> Any:
    try:
        return squad.read_squad(source)
    except fullmarks.InputError as error:
        return str(error)


@pytest.mark.parametrize(("path", "value"), CHANGES, ids=str)
def test_an_object_is_read_as_its_file_is(path: str, value: Any) -> None:
    gold = changed(path, value)
    stream: Any = io.BytesIO(json.dumps(gold).encode())
    stream.name = "gold"
    assert told(Source(gold, "gold")) == told(Source(stream, "gold"))


def test_a_good_object_is_read_without_the_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(squad, "read_document", None)
    gold = squad.read_squad(Source(GOLD, "gold"))
    assert gold.ids == ["a", "b", "c"]
    assert gold.references == [["x", "y"], [], [""]]
    assert gold.columns == {
        "has_answer": [True, False, True],
        "title": ["One", "One", "Two"],
        "paragraph": [0, 0, 2],
        "question": ["Who?", "When?", ""],
    }


def test_scores_of_objects_do_not_change_with_the_objects() -> None:
    gold, predictions = copy.deepcopy(GOLD), {"a": "x", "b": "", "c": ""}
    result = fullmarks.score("squad2", gold, predictions)
    before = result.per_example[:]
    predictions["a"] = "z"
    gold["data"].clear()
    assert result.per_example[:] == before


def test_texts_of_another_class_are_references() -> None:
    rows = [{"id": "1", "prediction": Text("x"), "references": [Text("x"), "y"]}]
    assert fullmarks.score("squad1", rows).official["exact_match"] == 100.0
