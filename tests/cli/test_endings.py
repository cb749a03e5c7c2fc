"""Every way a command can end: exit codes, messages, silence."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fullmarks.cli.command_group import commands
from tests.cli.run_cli import QA, SQUAD1, SQUAD2, START, fullmarks
from tests.processes import command, started, wait_until

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
    ("number", "code", "words"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_signals_end_the_command_in_order(number, code, words, tmp_path):
    with reading_a_pipe(tmp_path) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, b"")
    assert err == f"fullmarks: error: {words}\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@contextmanager
def reading_a_pipe(folder: Path, preparation: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A command in the middle of its work, which never ends of itself."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    words = command("score", "qa", pipe, "--per-example", folder / "each.jsonl", preparation=preparation)
    with started(words) as process:
        writing = os.open(pipe, os.O_RDWR)  # never blocks, should the command not get so far
        try:
            wait_until(lambda: list(folder.glob(".*.part")))
            time.sleep(0.1)
            yield process
        finally:
            os.close(writing)


def test_signals_that_are_ignored_stay_ignored(tmp_path):
    """As under nohup, or in the background of a script."""
    ignore = "\n".join(f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ("SIGINT", "SIGHUP"))
    with reading_a_pipe(tmp_path, ignore) as process:
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 143


def test_an_end_that_takes_too_long_is_cut_short(tmp_path):
    stuck = """
import time, fullmarks.readers.source as source
class Stuck(source.Source):
    def _close(self, stream):
        time.sleep(60)
import fullmarks.evaluate
fullmarks.evaluate.Source = Stuck
"""
    with reading_a_pipe(tmp_path, stuck) as process:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert process.returncode == 143
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_signal_within_a_callback_is_not_swallowed(tmp_path):
    """Where the interpreter only reports errors, as while an object is taken apart."""
    callback = """
import os, fullmarks.readers.source as source
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass
def dying(self, **asked):
    source.Source._open = opened  # once: a second signal is another matter
    Dying()
    return opened(self, **asked)
opened, source.Source._open = source.Source._open, dying
"""
    table = tmp_path / "table.jsonl"
    table.write_text('{"prediction": "a", "references": ["a"]}\n' * 400_000)
    words = command("score", "qa", table, "-f", "full", preparation=callback)
    with started(words) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (143, b"", b"fullmarks: error: ended by SIGTERM\n")


def test_a_second_signal_ends_it_at_once(tmp_path, monkeypatch):
    stuck = """
import time, fullmarks.readers.source as source, fullmarks.cli.signals as signals
signals.MOST_SECONDS = 1000
class Stuck(source.Source):
    def _close(self, stream):
        time.sleep(60)
import fullmarks.evaluate
fullmarks.evaluate.Source = Stuck
"""
    with reading_a_pipe(tmp_path, stuck) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_handlers_of_a_calling_program_are_put_back(run):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert run("list").code == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


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
from fullmarks import progress_bar
from fullmarks.cli.main import main
from fullmarks.readers import source
progress_bar.PATIENCE_SECONDS = 0.05
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


@pytest.mark.parametrize("way", ["2>&-", "2>/dev/full", "2>&- <&-"])
@pytest.mark.parametrize("words", [("squad2", *SQUAD2), ("squad2", *SQUAD2, "--by", "title", "-f", "full")], ids=len)
def test_messages_that_nobody_can_read(way, words):
    whole = fullmarks("score", *words)
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {way}', "sh", *START, "score", *words],
        stdout=subprocess.PIPE, check=False, timeout=60,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (0, whole.stdout)


@pytest.mark.parametrize("way", ["2>&-", "2>/dev/full"])
def test_warnings_that_nobody_can_read_are_no_output(way, tmp_path):
    answers = json.loads(Path(SQUAD1[1]).read_text(encoding="utf-8"))
    (tmp_path / "some.json").write_text(json.dumps(dict(list(answers.items())[1:])), encoding="utf-8")
    words = ("score", "squad1", SQUAD1[0], str(tmp_path / "some.json"))
    whole = fullmarks(*words)
    assert b"warning" in whole.stderr
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {way}', "sh", *START, *words], stdout=subprocess.PIPE, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, whole.stdout)


def test_errors_that_nobody_can_read_keep_their_code():
    for way in ("2>&-", "2>/dev/full"):
        ended = subprocess.run(
            ["sh", "-c", f'exec "$@" {way}', "sh", *START, "score", "nothing"],
            stdout=subprocess.PIPE, check=False, timeout=60,
        )  # fmt: skip
        assert (ended.returncode, ended.stdout) == (2, b"")


def test_a_file_never_takes_the_place_of_a_closed_stream(tmp_path):
    """The first file opened would get the number of standard error, and what is said there would stand in it."""
    script = "import os; from fullmarks.cli.main import main; main(); os.write(2, b'said')"
    out = tmp_path / "each.jsonl"
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&- <&-', "sh", sys.executable, "-c", script, "score", "qa", *QA,
         "--per-example", str(out)],
        stdout=subprocess.PIPE, check=False, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 0
    assert all(json.loads(line) for line in out.read_text().splitlines())


def test_messages_have_no_control_characters(run):
    ended = run("score", "squad2", "\x1b[31mred\n\x9b.json", SQUAD2[1])
    assert ended.code == 2
    assert "\\x1b[31mred\\n\\x9b.json: there is no such file" in ended.err


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
