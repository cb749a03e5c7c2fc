"""A key that stands twice in a JSON object is an error that names it, however the file is read."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError
from fullmarks.readers import repeated_keys
from fullmarks.readers.documents import parse_json

SQUAD = '{"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}]}]}]}]}'
VQA = '{"annotations": [{"question_id": 1, "answers": [{"answer": "x"}]}]}'
ROW = '{"id": "a", "prediction": "x", "references": ["x"]}\n'


def refused(protocol: str, gold: str, predictions: str | None = None, name: str = "gold.json") -> str:
    streams = [io.BytesIO(text.encode()) for text in (gold, predictions) if text is not None]
    streams[0].name = name  # type: ignore[attr-defined]
    with pytest.raises(InputError) as caught:
        fullmarks.score(protocol, *streams)
    return str(caught.value)


@pytest.mark.parametrize("kernel", ["c", "python"])
@pytest.mark.parametrize(
    ("protocol", "gold", "predictions", "key"),
    [
        ("squad2", SQUAD.replace('{"data"', '{"data": [], "data"'), '{"a": "x"}', "data"),
        ("squad1", SQUAD.replace('"text"', '"text": "y", "text"'), '{"a": "x"}', "text"),
        ("squad1", SQUAD.replace('"text"', '"t\\u0065xt": "y", "text"'), '{"a": "x"}', "text"),
        ("squad1", SQUAD.replace('"id"', '"note": 1, "note": 2, "id"'), '{"a": "x"}', "note"),
        ("vqa", VQA.replace('"answers"', '"answers": [], "answers"'), '{"1": "x"}', "answers"),
        ("squad1", SQUAD, '[{"id": "a", "prediction": "y", "prediction": "x"}]', "prediction"),
        ("squad1", SQUAD, '{"id": "a", "prediction": "y", "prediction": "x"}', "prediction"),
        ("qa", '{"a": ["x"]}', '{"id": "a", "prediction": "y", "prediction": "x"}\n' * 2, "prediction"),
        ("qa", ROW + ROW.replace('"id"', '"id": "b", "id"'), None, "id"),
        ("qa", ROW * 300 + ROW.replace('"id"', '"meta": {"z": 1, "z": 2}, "id"'), None, "z"),
        ("qa", ROW + ROW.replace('["x"]', '[{"text": "y", "text": "x"}]'), None, "text"),
        ("qa", "[" + ROW.replace('"id"', '"id": "b", "id"') + "]", None, "id"),
        ("webqa", '{"g": {"Qcate": "text", "Q": "?", "Q": "!", "A": ["x"], "Keywords_A": "x"}}', '{"g": "x"}', "Q"),
        ("fusionbrain", '{"1": [{"type": "text", "content": "a", "content": "b"}]}', '{"1": []}', "content"),
    ],
)
def test_it_is_named(
    protocol: str, gold: str, predictions: str | None, key: str, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FULLMARKS_KERNEL", kernel)
    assert f"the key '{key}' stands twice in one object" in refused(protocol, gold, predictions)


def test_it_is_named_inside_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    facts = '[{""image_id"": 1, ""image_id"": 2}]'
    path.write_text(f'Guid\tQcate\tA\tKeywords_A\tOutput\timg_posFacts\ng\ttext\t["x"]\tx\t["x"]\t"{facts}"\n')
    with pytest.raises(InputError, match=r"line 2: .*the key 'image_id' stands twice"):
        fullmarks.score("webqa", path)


def test_the_place_is_that_of_the_second(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(ROW * 3000 + "\n" + ROW.replace('"id"', '"id": "b", "id"'))
    with pytest.raises(InputError, match=r"t\.jsonl: line 3002: the key 'id'"):
        fullmarks.score("qa", path)
    with pytest.raises(InputError, match=r"d\.json: line 2, column 2: the key 'a'"):
        parse_json(b'{"a": 1,\n "a": 2}', "d.json")


def test_the_outermost_object_of_answers_has_a_rule_of_its_own() -> None:
    twice = io.BytesIO(b'{"a": "x", "a": "y"}')
    assert fullmarks.score("squad1", json.loads(SQUAD), twice, on_duplicate="first").official["exact_match"] == 100.0


def document(maker: random.Random, depth: int) -> str:
    """A random valid document, some of its keys repeated."""
    kind = maker.randrange(6 if depth else 3)
    space = maker.choice(["", " ", "\n", "\t "])
    if kind < 3:
        return maker.choice(['"a"', '"\\""', '"\\\\"', "1.5", "null", '"}{,:"', '""', '"\\\\\\"]"']) + space
    inside = [document(maker, depth - 1) for _ in range(maker.choice([0, 1, 2, 3, 40]) if depth < 3 else 2)]
    if kind == 3:
        return f"[{','.join(inside)}]{space}"
    names = ['"a"', '"b"', '"a"', '"b"', '"ё"', '"\\u0061"' if maker.random() < 0.2 else '"ab"']
    keys = [maker.choice(names) if maker.random() < 0.3 else f'"k{number}"' for number in range(len(inside))]
    pairs = [f"{key}{space}:{space}{value}" for key, value in zip(keys, inside, strict=True)]
    return f"{{{space}{','.join(pairs)}}}{space}"


@pytest.mark.parametrize("documents", [600, pytest.param(3_000, marks=pytest.mark.deep)])
def test_the_compiled_search_agrees_with_the_parser(documents: int) -> None:
    compiled = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    maker = random.Random(5)
    counts = {"repeat": 0, "none": 0, "unsure": 0}
    for _ in range(documents):
        data = document(maker, 4).encode()
        for skips in (False, True):
            expected = repeated_keys._repeated_key(data, "x", skips)
            place = compiled.repeated_key(data, skips)
            counts["repeat" if place >= 0 else "none" if place == repeated_keys.NO_REPEAT else "unsure"] += 1
            if place >= 0:
                assert expected is not None
                assert data[place - 1 : place] == b'"'
            elif place == repeated_keys.NO_REPEAT:
                assert expected is None
    assert min(counts.values()) > documents // 30, counts


MARKS = re.compile(rb'"((?:\\.|[^"\\])*)"(\s*:)?|[{}]')


def plain_place(data: bytes, skips: bool) -> int:
    """Where the search ends, told plainly: at the first object to close that has a key twice, its earliest second."""
    open_objects: list[list[tuple[bytes, int]]] = []
    depth_of_skipped = 1 if skips and data.lstrip()[:1] == b"{" else 0
    for mark in MARKS.finditer(data):
        if mark[0] == b"{":
            open_objects.append([])
        elif mark[0] == b"}":
            keys = open_objects.pop()
            names = [name for name, _ in keys]
            for at, (name, place) in enumerate(keys):
                if name in names[:at]:
                    return place
        elif mark[2] is not None and len(open_objects) != depth_of_skipped:
            if b"\\" in mark[1]:
                return repeated_keys.UNSURE
            open_objects[-1].append((mark[1], mark.start(1)))
    return repeated_keys.NO_REPEAT


@pytest.mark.parametrize("documents", [600, pytest.param(3_000, marks=pytest.mark.deep)])
def test_the_compiled_search_ends_at_the_very_place(documents: int) -> None:
    compiled = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    maker = random.Random(6)
    for _ in range(documents):
        data = document(maker, 4).encode()
        for skips in (False, True):
            assert compiled.repeated_key(data, skips) == plain_place(data, skips), data


@pytest.mark.parametrize("count", [2, 3, 23, 24, 25, 26, 64, 65, 129, 1000])
def test_of_many_keys_the_earliest_second_is_told(count: int) -> None:
    compiled = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    names = [f"{number:0{1 + number % 3}}" for number in range(count)]
    random.Random(count).shuffle(names)
    for repeats in ([0], [count - 1], [count // 2, 0], [0, 0], [count - 1, 0, count - 1]):
        keys = [*names, *(names[at] for at in repeats)]
        text = "{" + ", ".join(f'"{key}": 1' for key in keys) + "}"
        place = len("{" + "".join(f'"{key}": 1, ' for key in names)) + 1
        assert compiled.repeated_key(text.encode(), False) == place
        assert compiled.repeated_key(text.encode(), True) == repeated_keys.NO_REPEAT
        assert compiled.repeated_key(f"[{text}]".encode(), True) == place + 1
    assert compiled.repeated_key(text[: text.rindex(f'"{names[count - 1]}"') - 2].encode(), False) == -2


def test_the_compiled_search_goes_4096_brackets_deep() -> None:
    compiled = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    assert compiled.repeated_key(b"[" * 4096 + b"]" * 4096, False) == repeated_keys.NO_REPEAT
    assert compiled.repeated_key(b"[" * 4097 + b"]" * 4097, False) == repeated_keys.UNSURE


@pytest.mark.parametrize(
    "data", [b"", b"{", b"}", b'{"a', b'{"a":[}', b'"\\', b"[" * 5000, b'{"a":1}}', b'{"a":1,"a"', b"\xff\x00{"]
)
def test_the_compiled_search_survives_what_is_no_json(data: bytes) -> None:
    compiled: Any = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    assert compiled.repeated_key(data, False) in (repeated_keys.NO_REPEAT, repeated_keys.UNSURE)


def test_a_text_in_a_line_of_its_own_is_no_key() -> None:
    compiled: Any = pytest.importorskip("fullmarks.readers._keys", reason="needs the compiled search")
    for before in (b"", b"[1]\n", b'{"a": 1}\n', b"[{}]\n"):
        assert compiled.repeated_key(before + b'"a\\n"\n"b"\n"b"\n', False) == repeated_keys.NO_REPEAT
