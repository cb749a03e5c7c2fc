"""`--fail-under`, `--fail-over`, `--fail-if-worse`, `--junit` and `--github-summary`: a run as a test of a build."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.options.confidence import is_given
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.streams import write_text
from fullmarks.errors import FullmarksError, UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.gate import Condition, Verdict
    from fullmarks.cli.commands.score.outcome import Outcome
    from fullmarks.result import Result

MET, UNMET = 0, 1
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"


def gate_options() -> list[click.Option]:
    """The conditions, and where the verdict is written besides standard error."""
    return [
        click.Option(
            ["fail_under", "--fail-under"],
            multiple=True,
            metavar="NAME=NUMBER",
            help="End with exit code 1 unless this official number is at least so much, as in f1=80.",
        ),
        click.Option(
            ["fail_over", "--fail-over"],
            multiple=True,
            metavar="NAME=NUMBER",
            help="The same for numbers of which less is better.",
        ),
        click.Option(
            ["fail_if_worse", "--fail-if-worse"],
            multiple=True,
            metavar="FILE:NAME[:MARGIN]",
            help="End with exit code 1 if this official number lost more than the margin since an earlier result.",
        ),
        click.Option(
            ["worse_by", "--worse-by"],
            type=click.Choice(["evidence", "proof", "points"]),
            default="evidence",
            show_default=True,
            help="How --fail-if-worse judges: by evidence it fails where the examples, in pairs, show the loss; by "
            "proof it passes only where they show that there is none; by points the two numbers decide, chance or not.",
        ),
        click.Option(["junit", "--junit"], type=click.Path(), help="Write the verdict as JUnit XML."),
        click.Option(
            ["github_summary", "--github-summary"],
            is_flag=True,
            help=f"Append the result as Markdown to the file named by ${SUMMARY_VARIABLE}.",
        ),
    ]


def chosen_conditions(given: dict[str, Any]) -> list[Condition]:
    """The conditions in the order of their kinds; what they are about is checked when the result is there."""
    if given["github_summary"] and not os.environ.get(SUMMARY_VARIABLE):
        raise UsageError(f"--github-summary needs ${SUMMARY_VARIABLE} to name a file, which GitHub sets in its jobs")
    if not given["fail_if_worse"] and is_given(click.get_current_context(), "worse_by"):
        raise UsageError("--worse-by says how --fail-if-worse judges: add --fail-if-worse FILE:NAME")
    if not (given["fail_under"] or given["fail_over"] or given["fail_if_worse"]):
        return []
    from fullmarks.analysis.gate import parse_bound, parse_fail_if_worse

    return [
        *map(parse_bound, given["fail_under"]),
        *(parse_bound(text, at_least=False) for text in given["fail_over"]),
        *(parse_fail_if_worse(text, given["worse_by"]) for text in given["fail_if_worse"]),
    ]


@contextmanager
def errors_in_junit(words: list[str]) -> Iterator[None]:
    """Let an error, be it in the words or in us, also be seen by those who look at the JUnit file alone."""
    try:
        yield
    except Exception as error:
        path = _junit_path(words)
        if path is not None:
            from fullmarks.report.verdict import junit_error

            protocol = next((word for word in words[1:] if not word.startswith("-")), "score")
            told = str(error) if isinstance(error, FullmarksError) else f"{type(error).__name__}: {error}"
            try:
                write_text(path, junit_error(protocol, told))
            except FullmarksError as second:
                if isinstance(error, FullmarksError):
                    raise UsageError(f"{told.rstrip('.')}. Nor can the JUnit file be written: {second}") from error
        raise


def _junit_path(words: list[str]) -> str | None:
    """Where the words want the JUnit file: they may be too wrong to be parsed. None if another word is that file."""
    from fullmarks.cli.options.places import is_among

    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--junit" and (value or at + 1 < len(words)):
            path = value or words[at + 1]
            others = [*words[:at], *words[at + (1 if value else 2) :]]
            return None if is_among(path, others) else path
    return None


def judged(result: Result, conditions: list[Condition]) -> Verdict | None:
    """The verdict; None without conditions."""
    if not conditions:
        return None
    from fullmarks.analysis.gate import judge

    return judge(result, conditions)


@contextmanager
def verdict_last(verdict: Verdict | None, *, quiet: bool) -> Iterator[None]:
    """Say the verdict on standard error when all else is shown, or cannot be; a quiet run is silent when it is met."""
    try:
        yield
    finally:
        for line in verdict.lines if verdict and not (quiet and verdict.passed) else ():
            tell(line)


def write_verdict(outcome: Outcome, given: dict[str, Any]) -> int:
    """Write the files that were asked for, and give the exit code."""
    if given["junit"] is not None:
        from fullmarks.report.verdict import junit_xml

        checks = outcome.verdict.checks if outcome.verdict else ()
        write_text(given["junit"], junit_xml(outcome.result, checks))
    if given["github_summary"]:
        _append_summary(outcome.markdown())
    return MET if outcome.verdict is None or outcome.verdict.passed else UNMET


def _append_summary(markdown: str) -> None:
    path = Path(os.environ[SUMMARY_VARIABLE])
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(markdown)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}). Check ${SUMMARY_VARIABLE}") from error
