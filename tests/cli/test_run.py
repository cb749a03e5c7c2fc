"""Every way a command can end: exit codes, messages, silence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fullmarks.cli.command_group import commands
from tests.cli.run_cli import MOST_SECONDS, QA, SQUAD1, SQUAD2, START, in_a_shell

WRONG = [
    (("scor",), "Did you mean 'score'"),
    (("score",), "name a protocol"),
    (("score", "squad"), "unknown protocol 'squad'. Did you mean 'squad2' or 'squad1'? See: fullmarks list"),
    (("score", "squad2"), "GOLD"),
    (("score", "squad2", "nowhere.json", "nowhere.json"), "nowhere.json"),
    (("score", "squad2", *SQUAD2, "extra"), "extra"),
    (("score", "squad2", *SQUAD2, "--on-missing", "maybe"), "maybe"),
    (("score", "squad2", *SQUAD2, "--limit", "0"), "limit"),
    (("score", "squad2", *SQUAD2, "--limit", "x"), "--limit"),
    (("score", "squad2", *SQUAD2, "--variant", "best"), "best"),
    (("score", "squad2", *SQUAD2, "-t", "nan"), "nan"),
    (("score", "squad2", *SQUAD2, "--columns", "prediction"), "prediction=answer"),
    (("score", "squad2", *SQUAD2, "--columns", "id=a,id=b"), "twice"),
    (("score", "squad2", *SQUAD2, "--by", "colour"), "colour"),
    (("score", "squad2", *SQUAD2, "--format", "yaml"), "yaml"),
    (("score", "squad2", *SQUAD2, "--frobnicate"), "--frobnicate"),
    (("score", "-t", "1", "squad2", *SQUAD2), "-t"),
    (("score", "squad2", *SQUAD2, "-o", "no/such/folder/x"), "no/such/folder"),
    (("score", "squad2", *SQUAD2, "-o", "."), "directory"),
    (("score", "squad2", *SQUAD2, "--per-example", "no/such/folder/x.jsonl"), "no/such/folder"),
    (("explain", "squad2", *SQUAD2), "--id"),
    (("validate", "nothing", *SQUAD2), "unknown protocol"),
    (("list", "nonsense"), "nonsense"),
    (("completion", "powershell"), "powershell"),
    (("--frobnicate",), "--frobnicate"),
]


@pytest.mark.parametrize(("words", "hint"), WRONG, ids=[" ".join(map(str, words))[-40:] for words, _ in WRONG])
def test_wrong_use_is_one_message_and_code_2(run, words, hint):
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("fullmarks: error: ")
    assert ended.err.count("\n") == 1
    assert hint in ended.err


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (MemoryError(), 2, "memory"),
        (RecursionError(), 2, "nested"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_the_interpreter_raises(run, monkeypatch, error, code, word):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(commands, "invoke", fail)
    ended = run("doctor")
    assert (ended.code, ended.out) == (code, "")
    assert word in ended.err


def fail_with(monkeypatch, error):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(commands, "invoke", fail)


@pytest.mark.parametrize(
    "error",
    [ValueError("ours\n\x1b[31m"), FileNotFoundError(2, "No such file", "lost"), SystemExit(0)],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_of_ours_has_a_code_of_its_own(run, monkeypatch, error):
    fail_with(monkeypatch, error)
    ended = run("doctor")
    assert (ended.code, ended.out) == (70, "")
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("fullmarks: error: a defect of fullmarks or of a package that extends it, not of your")
    assert f"({type(error).__name__}: " in ended.err
    assert "Please report it" in ended.err
    assert "FULLMARKS_TRACEBACK=1" in ended.err
    assert "\x1b" not in ended.err


def test_a_defect_is_shown_whole_to_those_who_ask(run, monkeypatch):
    fail_with(monkeypatch, ValueError("ours"))
    monkeypatch.setenv("FULLMARKS_TRACEBACK", "1")
    ended = run("doctor")
    assert ended.code == 70
    assert ended.err.startswith("Traceback (most recent call last):")
    assert "raise error\nValueError: ours\nfullmarks: error: a defect" in ended.err


def test_a_defect_stands_in_the_junit_file_too(run, monkeypatch, tmp_path):
    fail_with(monkeypatch, ValueError("ours"))
    assert run("score", "squad2", *SQUAD2, "--junit", tmp_path / "junit.xml").code == 70
    assert "ValueError: ours" in (tmp_path / "junit.xml").read_text()


@pytest.mark.parametrize(
    "words", [("--help",), ("card", "squad2"), ("score", "squad2", *SQUAD2)], ids=lambda words: words[0]
)
def test_a_reader_that_goes_away_is_no_error(words):
    with subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (141, b"")


def test_a_terminal_without_unicode(run, tmp_path):
    table = tmp_path / "russian.jsonl"
    record = {"id": "д", "prediction": "Москва", "references": ["Москва"], "тема": "города"}
    table.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    for words in (
        ("score", "qa", table, "-f", "text", "--by", "тема"),
        ("score", "qa", table, "-f", "full", "--by", "тема"),
        ("score", "qa", table, "-f", "markdown", "--by", "тема"),
        ("explain", "qa", table, "--id", "д", "-f", "text"),
        ("score", "qa", tmp_path / "нет.json"),
    ):
        ended = run(*words, encoding="ascii")
        assert ended.code == (2 if words[2] != table else 0)
        assert "Traceback" not in ended.err
        assert (ended.out + ended.err).isascii()
        assert ended.out + ended.err


def test_devices_are_written_to_and_stay(tmp_path, run):
    assert run("score", "squad2", *SQUAD2, "-o", "/dev/null").code == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written():
    for words in (("score", "squad2", *SQUAD2), ("score", "squad2", *SQUAD2, "-f", "csv"), ("card", "squad2")):
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run(
                [*START, *words], stdout=full, stderr=subprocess.PIPE, check=False, timeout=MOST_SECONDS
            )
        assert ended.returncode == 2
        assert ended.stderr.decode().startswith("fullmarks: error: standard output cannot be written (")
        assert ended.stderr.count(b"\n") == 1


def test_output_that_is_closed():
    closed = in_a_shell(">&-", "score", "squad2", *SQUAD2)
    assert closed.returncode == 2
    assert closed.stderr.decode().startswith("fullmarks: error: standard output is closed")


@pytest.mark.parametrize(
    ("redirections", "words"),
    [
        ("2>&-", ("squad2", *SQUAD2)),
        ("2>&-", ("squad2", *SQUAD2, "--by", "title", "-f", "full")),
        ("2>/dev/full", ("squad2", *SQUAD2)),
        ("2>&- <&-", ("squad2", *SQUAD2, "--by", "title", "-f", "full")),
    ],
    ids=["closed", "closed, the long way", "full", "both closed, the long way"],
)
def test_messages_that_nobody_can_read(run, redirections, words):
    ended = in_a_shell(redirections, "score", *words)
    assert (ended.returncode, ended.stdout.decode()) == (0, run("score", *words).out)


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full"])
def test_warnings_that_nobody_can_read_are_no_output(run, redirections, tmp_path):
    answers = json.loads(Path(SQUAD1[1]).read_text(encoding="utf-8"))
    (tmp_path / "some.json").write_text(json.dumps(dict(list(answers.items())[1:])), encoding="utf-8")
    words = ("score", "squad1", SQUAD1[0], str(tmp_path / "some.json"))
    whole = run(*words)
    assert "warning" in whole.err
    ended = in_a_shell(redirections, *words)
    assert (ended.returncode, ended.stdout.decode()) == (0, whole.out)


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full"])
def test_errors_that_nobody_can_read_keep_their_code(redirections):
    ended = in_a_shell(redirections, "score", "squad2", "nowhere.json", "nowhere.json")
    assert (ended.returncode, ended.stdout) == (2, b"")


def test_a_file_never_takes_the_place_of_a_closed_stream(tmp_path):
    """The first file opened would get the number of standard error, and what is said there would stand in it."""
    script = "import os; from fullmarks.cli.main import main; main(); os.write(2, b'said')"
    out = tmp_path / "each.jsonl"
    start = [sys.executable, "-c", script]
    ended = in_a_shell("2>&- <&-", "score", "qa", *QA, "--per-example", out, start=start)
    assert ended.returncode == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(records) == 5
