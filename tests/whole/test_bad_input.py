"""Every unusable input ends in one message that says where, what and what to do; never a score, never a traceback."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.cli.run import run
from tests.whole.bad_input_cases import CASES, SQUAD, SQUAD_PREDICTIONS, Case, as_bytes


def written(case: Case, folder: Path) -> tuple[list[Path], dict[str, Any]]:
    """The case's files in a folder of its own, and its options with contents replaced by paths."""
    folder = folder / case.name.replace(" ", "_")
    folder.mkdir()
    paths = []
    for name, content in ((case.gold_name, case.gold), (case.predictions_name, case.predictions)):
        if content is not None:
            (folder / name).write_bytes(as_bytes(content))
            paths.append(folder / name)
    options = dict(case.options)
    for name, value in options.items():
        if isinstance(value, bytes):
            options[name] = folder / "chances.json"
            options[name].write_bytes(value)
    return paths, options


def flags(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, dict):
            words += [flag, ",".join(f"{key}={column}" for key, column in value.items())]
        else:
            words += [flag] if value is True else [f"{flag}={value}"]
    return words


def test_names_are_unique_and_there_are_enough() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 60


def test_through_python(tmp_path: Path) -> None:
    wrong = {}
    for case in CASES:
        if case.only != "cli":
            paths, options = written(case, tmp_path)
            try:
                result = fullmarks.score(case.protocol, *paths, **options)
            except fullmarks.FullmarksError as error:
                wrong[case.name] = faults_of_error(case, error)
            else:
                wrong[case.name] = [f"scored: {result.official}"]
    fail_naming_all(wrong)


def faults_of_error(case: Case, error: fullmarks.FullmarksError) -> list[str]:
    message = str(error)
    faults = [] if re.search(case.says, message) else [f"says: {message}"]
    if "\n" in message:
        faults.append("more than one line")
    if isinstance(error, fullmarks.InputError):
        faults += [f"no {part}: {message}" for part in ("where", "problem", "advice") if not getattr(error, part)]
    return faults


def fail_naming_all(wrong: dict[str, list[str]]) -> None:
    told = [f"{name}: {'; '.join(faults)}" for name, faults in wrong.items() if faults]
    assert not told, "\n".join(told)


def test_through_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {}
    for case in CASES:
        if case.only != "python":
            paths, options = written(case, tmp_path)
            kind = "full" if "by" in options else "json"
            code = run(["score", case.protocol, *map(str, paths), *flags(options), "--format", kind])
            shown = capsys.readouterr()
            wrong[case.name] = [
                fault
                for fault, is_there in {
                    f"exit code {code}": code != 2,
                    f"prints {shown.out}": shown.out != "",
                    f"says: {shown.err}": not re.search(case.says, shown.err.replace("\n", " ")),
                    "no message": not shown.err.startswith("fullmarks: error: "),
                    "a traceback": "Traceback" in shown.err,
                    "not one line": shown.err.count("\n") != 1,
                }.items()
                if is_there
            ]
    fail_naming_all(wrong)


def has_sound_files(case: Case) -> bool:
    """Whether only the wish is wrong, not the files."""
    return "by" in case.options or "precision_recall" in case.options


def test_validation_never_finds_it_sound(tmp_path: Path) -> None:
    sound = []
    for case in CASES:
        if case.only != "cli" and not has_sound_files(case):
            paths, options = written(case, tmp_path)
            try:
                audit = fullmarks.validate(case.protocol, *paths, **options)
            except fullmarks.FullmarksError as error:
                found = str(error)
            else:
                found = "; ".join(f"{finding.where}: {finding}" for finding in audit.at_level("error"))
            if not found:
                sound.append(case.name)
    assert sound == []


class TestPlaces:
    def refused(self, gold: Any, predictions: Any = SQUAD_PREDICTIONS) -> str:
        with pytest.raises(fullmarks.InputError) as caught:
            fullmarks.score("squad2", gold, predictions)
        assert caught.value.advice
        return str(caught.value)

    def test_a_directory(self, tmp_path: Path) -> None:
        assert "there is no file in this folder" in self.refused(tmp_path)
        (tmp_path / "gold.json").write_text("{}")
        assert "this is a directory, expected the gold file" in self.refused(tmp_path)

    def test_nothing_there(self, tmp_path: Path) -> None:
        assert "there is no such file (the gold)" in self.refused(tmp_path / "no.json")

    def test_a_path_through_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert "gold" in self.refused(tmp_path / "file" / "gold.json")

    def test_a_name_that_is_too_long(self, tmp_path: Path) -> None:
        assert "cannot be read" in self.refused(tmp_path / ("x" * 5000))

    def test_a_name_with_a_zero_byte(self) -> None:
        assert "this is not a path" in self.refused("gold\0.json")

    def test_a_json_text_instead_of_a_path(self) -> None:
        assert "there is no such file" in self.refused('{"data": []}')

    def test_not_allowed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "gold.json"
        path.write_text("{}")

        def refuse(*_: Any, **__: Any) -> Any:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("builtins.open", refuse)
        assert "not allowed to read this file. Check its permissions" in self.refused(path)

    def test_a_disk_that_fails(self, tmp_path: Path) -> None:
        class Failing(io.BytesIO):
            name = "tape"

            def read(self, size: int | None = -1) -> bytes:
                raise OSError(5, "Input/output error")

        assert self.refused(Failing()) == "tape: cannot be read (Input/output error). Check the path and the disk."

    def test_a_closed_file_object(self) -> None:
        closed = io.StringIO("{}")
        closed.close()
        assert "this file object is closed" in self.refused(closed)

    def test_a_text_file_object_in_the_wrong_encoding(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.json"
        path.write_bytes(b'{"data": "\xff"}')
        with path.open(encoding="utf-8") as stream:
            assert "byte 0xff at offset 10 is not utf-8" in self.refused(stream)

    def test_standard_input_for_both(self) -> None:
        with pytest.raises(fullmarks.UsageError, match="only once"):
            fullmarks.score("squad2", "-", "-")

    @pytest.mark.parametrize("thing", [3, b"{}", object(), {"q1"}, None, 2.5])
    def test_objects_that_are_no_predictions(self, thing: Any) -> None:
        if thing is None:
            with pytest.raises(fullmarks.InputError, match="prediction"):
                fullmarks.score("squad2", SQUAD, thing)
        else:
            self.refused(SQUAD, thing)
        self.refused(thing)


@pytest.mark.parametrize("size", [4_000_000, pytest.param(100_000_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("ending", "filler"), [(".json", b"x"), (".json", b"["), (".jsonl", b"x"), (".jsonl", b'"'), (".csv", b"x")]
)
def test_a_line_without_an_end(tmp_path: Path, ending: str, filler: bytes, size: int) -> None:
    path = tmp_path / f"pred{ending}"
    path.write_bytes(filler * size)
    with pytest.raises(fullmarks.InputError) as caught:
        fullmarks.score("squad2", SQUAD, path)
    assert len(str(caught.value)) < 1000
    path.unlink()


@pytest.mark.parametrize("words", [100_000, pytest.param(5_000_000, marks=pytest.mark.deep)])
def test_a_long_answer_in_one_line_is_no_mistake(tmp_path: Path, words: int) -> None:
    path = tmp_path / "pred.json"
    path.write_text(json.dumps({"q1": "cat " * words, "q2": "dog"}))
    assert fullmarks.score("squad2", SQUAD, path).official["exact"] == 50.0


class TestAccepted:
    """What looks odd but has one meaning only."""

    def exact(self, predictions: Any, gold: Any = SQUAD, **options: Any) -> float:
        value: float = fullmarks.score("squad2", gold, predictions, **options).official["exact"]
        return value

    def test_byte_order_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "pred.json"
        path.write_bytes(b"\xef\xbb\xbf" + as_bytes(SQUAD_PREDICTIONS))
        assert self.exact(path) == 100.0

    def test_lone_surrogates(self, tmp_path: Path) -> None:
        path = tmp_path / "pred.json"
        path.write_text('{"q1": "\\ud800", "q2": "dog"}')
        assert self.exact(path) == 50.0

    def test_file_objects(self, tmp_path: Path) -> None:
        assert self.exact(io.StringIO(json.dumps(SQUAD_PREDICTIONS)), io.BytesIO(as_bytes(SQUAD))) == 100.0

    def test_a_file_object_stays_open(self) -> None:
        table = io.BytesIO(b"id,prediction\nq1,cat\nq2,dog\n")
        table.name = "pred.csv"  # type: ignore[attr-defined]
        assert self.exact(table) == 100.0
        assert not table.closed

    def test_one_row(self) -> None:
        gold = {"data": [{"paragraphs": [{"qas": [{"id": "q1", "answers": [{"text": "cat"}]}]}]}]}
        row = {"id": "q1", "prediction_text": "cat"}
        assert self.exact(row, gold) == 100.0
        assert self.exact([row], gold) == 100.0
        assert self.exact({**row, "no_answer_probability": 0.1, "model": "m"}, gold) == 100.0

    def test_unknown_predictions_with_a_warning(self) -> None:
        result = fullmarks.score("squad2", SQUAD, {**SQUAD_PREDICTIONS, "x": "y"})
        assert result.official["exact"] == 100.0
        assert str(result.audit.at_level("warning")[0]) == "predictions for unknown questions: 1 (first ids: 'x')"

    @pytest.mark.parametrize("reader", ["object", "rows", "lines", "table"])
    def test_repeated_ids_by_rule(self, reader: str, tmp_path: Path) -> None:
        answers = (("q1", "cat"), ("q2", "dog"), ("q1", "bird"))
        rows = [{"id": identifier, "answer": answer} for identifier, answer in answers]
        ways = {
            "object": ("pred.json", '{"q1": "cat", "q2": "dog", "q1": "bird"}'),
            "rows": ("pred.json", json.dumps(rows)),
            "lines": ("pred.jsonl", "\n".join(map(json.dumps, rows))),
            "table": ("pred.csv", "id,answer\nq1,cat\nq2,dog\nq1,bird\n"),
        }
        name, content = ways[reader]
        (tmp_path / name).write_text(content)
        assert self.exact(tmp_path / name, on_duplicate="first") == 100.0
        assert self.exact(tmp_path / name, on_duplicate="last") == 50.0
        result = fullmarks.score("squad2", SQUAD, tmp_path / name, on_duplicate="last")
        assert result.audit.findings["repeated-predictions"].count == 1

    def test_the_probability_of_a_repeated_row_follows_the_same_rule(self) -> None:
        rows = [
            {"id": "q1", "answer": "cat", "no_answer_probability": 0.1},
            {"id": "q2", "answer": "dog", "no_answer_probability": 0.1},
            {"id": "q1", "answer": "cat", "no_answer_probability": 0.9},
        ]
        assert self.exact(rows, on_duplicate="first", na_prob_thresh=0.5) == 100.0
        assert self.exact(rows, on_duplicate="last", na_prob_thresh=0.5) == 50.0
