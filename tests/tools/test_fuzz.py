"""The fuzzer: what it found stays mended, its cases come back by number, its invariants notice what they are for.

`fuzz_cases` holds the inputs that once broke an invariant, each in a folder, as `make fuzz` keeps them.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="needs pyarrow: make install")
pytest.importorskip("resource", reason="needs POSIX, where memory is measured by `resource`")

from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import read_sample, sample_folder
from tools.fuzz import run_case
from tools.fuzz.case import Case, make_case
from tools.fuzz.counts import count_records, repeated_name
from tools.fuzz.json_text import Pairs, Raw, read_json, write_json
from tools.fuzz.run import kind_of
from tools.fuzz.run_case import Ended, run_command, violations
from tools.fuzz.samples import find_samples

FOUND = sorted(path.parent for path in (Path(__file__).parent / "fuzz_cases").glob("*/case.json"))
SAMPLES = find_samples()
ROWS = [{"id": at, "prediction": "cat", "references": ["cat"], "topic": "x"} for at in range(3)]


def plain_case(**changes: Any) -> Case:
    data = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    given = {"files": {"t.jsonl": data}, "given": ["t.jsonl"], "options": [], "other": "explain", "identifier": "1"}
    return Case("qa", **{**given, **changes})


@pytest.mark.parametrize("folder", FOUND, ids=[folder.name for folder in FOUND])
def test_nothing_that_was_found_is_violated_again(folder: Path, tmp_path: Path) -> None:
    assert violations(Case.load(folder), tmp_path / "case") == []


def test_every_protocol_has_a_sample() -> None:
    folders = {name for name in PROTOCOLS.built_in if (sample_folder(name) / read_sample(name).gold).is_dir()}
    assert {sample.protocol for sample in SAMPLES} == set(PROTOCOLS.built_in) - folders
    assert folders == {"mme"}


def test_a_case_is_a_function_of_seed_and_number(tmp_path: Path) -> None:
    for number in range(12):
        case = make_case(SAMPLES, 7, number)
        assert case == make_case(SAMPLES, 7, number)
        case.save(tmp_path / str(number), ["why"])
        assert Case.load(tmp_path / str(number)) == case
    assert make_case(SAMPLES, 7, 0).files != make_case(SAMPLES, 8, 0).files


def test_a_sound_case_violates_nothing(tmp_path: Path) -> None:
    for other in ("explain", "report", "compare-runs"):
        assert violations(plain_case(other=other, extra=["-f", "text"]), tmp_path / "case") == []


# What a command does wrong, and a word of what is then said.
WRONGS: list[tuple[Ended, str]] = [
    (Ended(70, "", "fullmarks: error: a defect"), "exit code 70"),
    (Ended(None, "", "", "Traceback ... ValueError: x"), "ValueError"),
    (Ended(2, "", "Traceback (most recent call last):\nerror"), "a traceback"),
    (Ended(2, "", ""), "without a message"),
    (Ended(2, "", "fullmarks: error: \x1b[31m"), "escape sequences"),
]


@pytest.mark.parametrize(("wrong", "told"), WRONGS)
def test_wrong_ends_are_noticed(wrong: Ended, told: str, tmp_path: Path) -> None:
    def run(words: list[str]) -> Ended:
        return wrong if words[0] == "score" else run_command(words)

    assert any(told in each for each in violations(plain_case(), tmp_path / "case", run))


def test_disagreement_is_noticed(tmp_path: Path) -> None:
    def refuse(words: list[str]) -> Ended:
        return Ended(2, "", "fullmarks: error: no") if words[0] == "score" else run_command(words)

    assert "validate finds it sound" in violations(plain_case(), tmp_path / "case", refuse)[0]


def test_lost_records_are_noticed(tmp_path: Path) -> None:
    def lose(words: list[str]) -> Ended:
        ended = run_command(words)
        if words[0] == "score":
            saved = Path(words[words.index("-o") + 1])
            document = json.loads(saved.read_text())
            document["audit"].update(gold=2, predictions=2, scored=2)
            saved.write_text(json.dumps(document))
            return ended
        document = json.loads(ended.out) | {"gold": 2, "predictions": 2, "scored": 2} if words[0] == "validate" else {}
        return ended._replace(out=json.dumps(document))

    assert any("holds 3 records" in each for each in violations(plain_case(), tmp_path / "case", lose))


def test_formats_that_differ_are_noticed(tmp_path: Path) -> None:
    case = plain_case(twins={"t.jsonl": "t.twin.json"})
    case.files["t.twin.json"] = json.dumps(ROWS).encode()
    assert violations(case, tmp_path / "case") == []
    case.files["t.twin.json"] = json.dumps([{**row, "prediction": "dog"} for row in ROWS]).encode()
    assert any("formats differ" in each for each in violations(case, tmp_path / "case"))


def test_time_and_inputs_are_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(words: list[str]) -> Ended:
        (tmp_path / "case" / "t.jsonl").write_text("gone")
        (tmp_path / "case" / "t.jsonl.part").write_text("left")
        return Ended(2, "", "error")

    told = violations(plain_case(), tmp_path / "case", spoil)
    assert any("inputs were changed" in each for each in told)
    assert any("files were left behind" in each for each in told)
    monkeypatch.setattr(run_case, "SECONDS", 0.2)

    def hang(words: list[str]) -> Ended:
        while True:
            pass

    assert any("more than 0.2 s" in each for each in violations(plain_case(), tmp_path / "case", hang))


def test_json_keeps_what_python_would_not_write() -> None:
    text = write_json(Pairs([("a", Raw("NaN")), ("a", ["\ud800", 1, None])]))
    assert text == '{"a": NaN, "a": ["\\ud800", 1, null]}'
    assert read_json('{"a": 1, "a": 2}') == Pairs([("a", 1), ("a", 2)])


@pytest.mark.parametrize(
    ("name", "data", "count"),
    [
        ("t.jsonl", b'{"a": 1}\n\n{"a": 2}', 2),
        ("t.csv", b'a,b\n1,"x\ny"\n\n2,z\n', 2),
        ("t.json", b"[1, 2, 3]", 3),
        ("t.json", b'{"data": [{"paragraphs": [{"qas": [1, 2]}, {"qas": [3]}]}]}', 3),
        ("t.json", b'{"annotations": [1, 2]}', 2),
        ("t.json", b'{"q1": "a", "q2": "b"}', 2),
        ("t.json", b"{", None),
    ],
)
def test_records_are_counted_independently(name: str, data: bytes, count: int | None) -> None:
    assert count_records(name, data) == count


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("t.jsonl", b'{"id": 1}\n{"id": 1, "prediction": "a", "prediction": "b"}\n', "prediction"),
        ("t.json", b'{"data": [], "data": [1]}', "data"),
        ("t.json", b'[{"id": 1, "id": 2}]', "id"),
        ("t.json", b'[{"id": 1, "other": 2, "other": 3}]', None),
        ("t.json", b'{"q1": "a", "q1": "b"}', None),
        ("t.json", b"{", None),
        ("t.csv", b"id,id", None),
    ],
)
def test_repeated_names_are_seen(name: str, data: bytes, expected: str | None) -> None:
    assert repeated_name(name, data) == expected


def test_kinds_of_violations_do_not_depend_on_names() -> None:
    one, other = (f"score: Traceback\n ValueError: file '/tmp/{name}/x' line {name}" for name in ("1", "22"))
    assert kind_of(one) == kind_of(other)


def test_mutations_are_many() -> None:
    from tools.fuzz.mutations import changed_bytes, changed_records

    source = Random(1)
    records = [Pairs([("id", at), ("prediction", "x")]) for at in range(5)]
    sizes = {len(changed_records([Pairs(each) for each in records], source)) for _ in range(200)}
    assert {4, 5, 6, 101, 300} <= sizes
    assert len({changed_bytes(b"some bytes, some more", source) for _ in range(200)}) > 100
