"""Runs the commands of a case in this process and says which invariants did not hold.

What must hold: exit codes 0, 1 and 2 alone; no exception and no traceback; one message on errors; bounded time and
memory; inputs untouched and no file left half-written; `validate` and `score` of one mind; every record that an
independent count finds is scored or counted in the audit.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tools.fuzz.case import Case
from tools.fuzz.counts import count_records, repeated_name

SECONDS = 10
"""Of processor time, which other work on the machine does not add to; the slowest sound case takes less than one."""
HANG = 12 * SECONDS
"""Seconds on the clock, after which a case hangs rather than waits for its turn."""
MEGABYTES = 400
"""How far memory may rise above what the process had when it was warm."""
CODES = (0, 1, 2)


class Ended(NamedTuple):
    """How a command ended."""

    code: int | None
    out: str
    err: str
    raised: str = ""


class TooSlow(BaseException):
    """Raised by the alarm; no handler of exceptions may take it for its own."""


def run_command(words: list[str]) -> Ended:
    """The command in this process, its output captured as strictly as a terminal would take it."""
    from fullmarks.cli.main import main

    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, write_through=True)
        for errors in ("strict", "backslashreplace")  # as Python itself opens the two
    )
    code, raised = None, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except TooSlow:
            raised = f"TooSlow: more than {SECONDS} s\n" + traceback.format_exc(limit=-3)
        except Exception:  # noqa: BLE001 - that none of them comes out is what is tested
            raised = traceback.format_exc(limit=-4)
    texts = [stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err)]
    return Ended(code, texts[0], texts[1], raised)


def violations(case: Case, folder: Path, run: Callable[[list[str]], Ended] = run_command) -> list[str]:
    """What did not hold, in words; the folder is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    before, started = _peak(), time.process_time()
    signal.signal(signal.SIGALRM, _too_slow)
    signal.signal(signal.SIGPROF, _too_slow)
    signal.alarm(HANG)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        found = _run_all(case, folder, run)
    except TooSlow:
        found = [f"more than {SECONDS} s outside of a command"]
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    if time.process_time() - started > SECONDS:
        found.append(f"took {time.process_time() - started:.1f} s")
    if _peak() - before > MEGABYTES:
        found.append(f"memory rose by {_peak() - before:.0f} MB")
    found += _touched(case, folder)
    return found


def _run_all(case: Case, folder: Path, run: Callable[[list[str]], Ended]) -> list[str]:
    given = [case.protocol, *(str(folder / name) for name in case.given), *_options(case, folder)]
    saved = folder / "run.out.json"
    score = ["score", *given, *(["--by", case.by] if case.by else []), "-f", "full", "-o", str(saved)]
    checked = run(["validate", *given, "-f", "json"])
    scored = run(score)
    found = _of_one(checked, "validate") + _of_one(scored, "score")
    if not found:
        found += _agreement(case, checked, scored, saved)
    if case.twins and not found:
        found += _twins(case, folder, score, (scored, saved), run)
    if case.extra:
        found += _of_one(run(["score", *given, *case.extra]), f"score {' '.join(case.extra)}")
    return found + _other(case, folder, given, saved, run)


def _twins(
    case: Case, folder: Path, score: list[str], first: tuple[Ended, Path], run: Callable[[list[str]], Ended]
) -> list[str]:
    """The same records in another format: taken by both with the same numbers, or refused by both."""
    names = {str(folder / name): str(folder / twin) for name, twin in case.twins.items()}
    saved = folder / "twin.out.json"
    words = [names.get(word, word) for word in score[:-1]] + [str(saved)]
    other = run(words)
    found = _of_one(other, "score of the twin")
    is_gold = case.given[0] in case.twins  # predictions in a list have an official form, with names of its own
    if found or (is_gold and first[0].code != other.code):
        differ = f"lines end with {first[0].code}, a list with {other.code}: {first[0].err[:300]} {other.err[:300]}"
        return found or [f"formats differ: {differ}"]
    if other.code or first[0].code:
        return []
    numbers = [_official(path) for path in (first[1], saved)]
    return [] if numbers[0] == numbers[1] else [f"formats differ in their numbers: {numbers[0]} and {numbers[1]}"]


def _official(path: Path) -> str:
    return json.dumps(json.loads(path.read_text("utf-8", "surrogatepass"))["official"])


def _options(case: Case, folder: Path) -> list[str]:
    return [str(folder / word[1:]) if word.startswith("@") else word for word in case.options]


def _other(case: Case, folder: Path, given: list[str], saved: Path, run: Callable[[list[str]], Ended]) -> list[str]:
    few = ["--resamples", "40"]
    if case.other == "explain":
        return _of_one(run(["explain", *given, "--id", case.identifier]), "explain")
    if case.other == "compare" and len(case.given) > 1:
        both = [*given[:3], given[2], *given[3:]]
        return _of_one(run(["compare", *both, *few]), "compare")
    if not saved.exists():
        return []
    if case.other == "report":
        kind = ("html", "md", "tex", "csv")[len(case.identifier) % 4]
        return _of_one(run(["report", str(saved), "-o", str(folder / f"page.out.{kind}"), *few]), f"report {kind}")
    second = folder / "second.out.json"
    second.write_bytes(saved.read_bytes())
    return _of_one(run(["compare", str(saved), str(second), *few, "-f", "markdown"]), "compare")


def _of_one(ended: Ended, command: str) -> list[str]:
    """What a single command must not do."""
    if ended.raised:
        return [f"{command}: {ended.raised}"]
    found = []
    if ended.code not in CODES:
        found.append(f"{command}: exit code {ended.code}: {ended.err[:300]}")
    if "Traceback (most recent call last)" in ended.err + ended.out:
        found.append(f"{command}: a traceback: {ended.err[-600:]}")
    if ended.code == 2 and command != "validate" and "error" not in ended.err.lower():
        found.append(f"{command}: exit code 2 without a message")
    if ended.code == 2 and ended.err.startswith("fullmarks: error: ") and "\x1b" in ended.err:
        found.append(f"{command}: escape sequences in a message: {ended.err[:300]!r}")
    return found


def _agreement(case: Case, checked: Ended, scored: Ended, saved: Path) -> list[str]:
    """`validate` and `score`, and the counts of both."""
    try:
        verdict = json.loads(checked.out) if checked.out else None
    except ValueError:
        return [f"validate: what it wrote is not JSON: {checked.out[:200]!r}"]
    if verdict is not None and verdict["can_be_scored"] != (checked.code == 0):
        return [f"validate: exit code {checked.code} beside can_be_scored {verdict['can_be_scored']}"]
    if scored.code != 0:
        # A column to slice by is asked of `score` alone; in Parquet nobody else reads its bytes.
        words = ("--by", "slice", "Parquet", f"column '{case.by}'")
        is_about_slices = bool(case.by) and any(word in scored.err for word in words)
        needs_scores = "is undefined" in scored.err  # a ratio without anything below the line
        if checked.code == 0 and not is_about_slices and not needs_scores:
            return [f"validate finds it sound, score does not: {scored.err[:300]}"]
        return []
    if checked.code != 0:
        return [f"score takes it, validate does not: {checked.out[:300]}"]
    audit = json.loads(saved.read_text("utf-8", "surrogatepass"))["audit"]
    found = [] if verdict is None or _counts(verdict) == _counts(audit) else [f"counts differ: {verdict} and {audit}"]
    return found + _lost(case, audit)


def _counts(audit: dict[str, Any]) -> tuple[int, ...]:
    return audit["gold"], audit["predictions"], audit["scored"]


def _lost(case: Case, audit: dict[str, Any]) -> list[str]:
    """Records that are neither scored nor counted."""
    if "--limit" in case.options:
        return []
    counted = sum(finding["count"] for finding in audit["findings"])
    found = []
    for role, name in zip(("gold", "predictions"), case.given, strict=False):
        records = count_records(name, case.files[name])
        if records is not None and records > audit[role] + counted:
            found.append(f"{name} holds {records} records; {role} {audit[role]} and findings {counted} make less")
        repeated = repeated_name(name, case.files[name])
        if repeated is not None and not counted:
            found.append(
                f"{name}: the name '{repeated}' stands twice in one object, and one value was dropped in silence"
            )
    if audit["gold"] > audit["scored"] + counted:
        found.append(f"{audit['gold']} questions, {audit['scored']} scored, {counted} counted")
    return found


def _touched(case: Case, folder: Path) -> list[str]:
    changed = [name for name, data in case.files.items() if (folder / name).read_bytes() != data]
    places = {path.relative_to(folder).as_posix(): path.name for path in folder.rglob("*") if path.is_file()}
    left = [name for place, name in places.items() if place not in case.files and ".out." not in name]
    found = [f"inputs were changed: {changed}"] if changed else []
    return found + ([f"files were left behind: {left}"] if left else [])


def _peak() -> float:
    """The most memory this process ever had, in megabytes."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _too_slow(*_: object) -> None:
    raise TooSlow
