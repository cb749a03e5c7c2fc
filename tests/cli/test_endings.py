"""Every way a command can end: exit codes, messages, silence."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_cli import QA, SQUAD2, START, fullmarks

from fullmarks.cli import run as runner
from fullmarks.cli.commands import commands

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


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    def fail(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(commands, "invoke", fail)
    with pytest.raises(ValueError, match="ours"):
        runner.run(["doctor"])


def test_interrupted_from_the_keyboard(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    each = tmp_path / "each.jsonl"
    words = [*START, "score", "qa", str(pipe), "--per-example", str(each)]
    with (
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        pipe.open("wb"),  # returns once the command opens its input
    ):
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, b"")
    assert err == b"fullmarks: error: interrupted\n"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("words", [("--help",), ("list",), ("score", "squad2", *SQUAD2)])
def test_a_reader_that_goes_away_is_no_error(words):
    with subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (141, b"")


def test_a_terminal_without_unicode(tmp_path):
    table = tmp_path / "russian.jsonl"
    record = {"id": "д", "prediction": "Москва", "references": ["Москва"], "тема": "города"}
    table.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    for words in (
        ("score", "qa", table, "-f", "text", "--by", "тема"),
        ("score", "qa", table, "-f", "full", "--by", "тема"),
        ("score", "qa", table, "-f", "markdown", "--by", "тема"),
        ("explain", "qa", table, "--id", "д", "-f", "text"),
        ("score", "qa", tmp_path / "нет.json"),
    ):
        ended = fullmarks(*words, variables=ascii_only)
        assert ended.returncode == (2 if words[2] != table else 0)
        assert b"Traceback" not in ended.stderr
        (ended.stdout + ended.stderr).decode("ascii")


def on_terminal(words: list[str], variables: dict[str, str] | None = None) -> str:
    """What the command shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **(variables or {})}
    if not variables or "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:  # how Linux reports that the other side is closed
        pass
    assert process.wait(timeout=20) == 0, shown
    os.close(ours)
    return shown.decode()


def test_on_a_terminal_the_result_is_a_table_in_colour():
    shown = on_terminal([*START, "score", "squad2", *SQUAD2])
    assert "\x1b[1m" in shown
    assert "68.7500" in shown
    assert '"f1"' not in shown


def test_no_colour_where_it_is_not_wanted():
    assert "\x1b" not in on_terminal([*START, "score", "squad2", *SQUAD2], {"NO_COLOR": "1"})
    assert "\x1b" not in on_terminal([*START, "score", "squad2", *SQUAD2], {"TERM": "dumb"})


SLOW = """
import sys, time
from fullmarks.cli import progress
from fullmarks.cli.main import main
from fullmarks.readers import source
progress.PATIENCE_SECONDS = 0.05
class Slow(source.Source):
    def blocks(self, size=1 << 22):
        for block in super().blocks(size):
            yield block
            time.sleep(0.6)
import fullmarks.evaluate
fullmarks.evaluate.Source = Slow
sys.exit(main())
"""


def test_progress_shows_itself_on_a_terminal_when_it_takes_long():
    words = [sys.executable, "-c", SLOW, "score", "qa", *QA, "-f", "json"]
    shown = on_terminal(words)
    assert "5 examples" in shown
    assert "examples" not in on_terminal([*words, "--quiet"])
    assert "examples" not in on_terminal([*START, "score", "qa", *QA, "-f", "json"])


def test_no_progress_when_nobody_looks():
    ended = subprocess.run([sys.executable, "-c", SLOW, "score", "qa", *QA], capture_output=True, check=True)
    assert ended.stderr == b""


def test_devices_are_written_to_and_stay(tmp_path, run):
    assert run("score", "squad2", *SQUAD2, "-o", "/dev/null").code == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written():
    for words in (("score", "squad2", *SQUAD2), ("score", "squad2", *SQUAD2, "-f", "csv"), ("list",)):
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run([*START, *words], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
        assert ended.returncode == 2
        assert ended.stderr.decode().startswith("fullmarks: error: standard output cannot be written (")
        assert ended.stderr.count(b"\n") == 1


def test_output_that_is_closed():
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *START, "score", "squad2", *SQUAD2],
        stderr=subprocess.PIPE, check=False, timeout=60,
    )  # fmt: skip
    assert closed.returncode == 2
    assert closed.stderr.decode().startswith("fullmarks: error: standard output is closed")


def test_other_formats_on_standard_input():
    ended = fullmarks("score", "qa", "-", stdin=b"id,prediction,references\n1,a,a\n")
    assert ended.returncode == 2
    assert "Standard input takes JSON or JSON lines; save another format as a file" in ended.stderr.decode()


def test_gold_as_json_lines_on_standard_input(tmp_path):
    rows = [{"id": "q1", "references": ["x"]}, {"id": "q2", "references": ["y"]}]
    (tmp_path / "answers.json").write_text('{"q1": "x", "q2": "z"}')
    lines = "\n".join(map(json.dumps, rows)).encode()
    ended = fullmarks("score", "squad1", "-", tmp_path / "answers.json", stdin=lines)
    assert (ended.returncode, json.loads(ended.stdout)["exact_match"]) == (0, 50.0)
