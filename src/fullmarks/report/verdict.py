"""The verdict of a gate as Markdown and as JUnit XML, the form in which build servers show tests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from fullmarks.report.markdown import Markup, markdown_table
from fullmarks.result import flat_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fullmarks.analysis.gate import Check, Verdict
    from fullmarks.result import Result


def verdict_markdown(verdict: Verdict) -> str:
    """One line per condition, met or not, with the reason."""
    rows = [[check.name, "met" if check.passed else Markup("**not met**"), check.reason] for check in verdict.checks]
    return (
        f"### Gate: {'passed' if verdict.passed else 'failed'}\n\n"
        + markdown_table(["condition", "", "reason"], rows)
        + "\n"
    )


def junit_xml(result: Result, checks: Sequence[Check]) -> str:
    """A suite with one case per condition; without conditions, one that says that the run was scored.

    The official numbers and the signature are properties of the suite.
    """
    suite = f"fullmarks.{result.protocol}"
    properties = {
        **{key: repr(value) for key, value in flat_numbers(result.official).items()},
        "signature": result.signature,
    }
    cases = [
        _case(suite, check.name, "" if check.passed else _outcome("failure", check.reason)) for check in checks
    ] or [_case(suite, "scored", "")]
    failed = sum(not check.passed for check in checks)
    return _suite(suite, properties, cases, failures=failed, errors=0)


def junit_error(protocol: str, message: str) -> str:
    """A suite whose only case ended in an error: the run could not be scored."""
    suite = f"fullmarks.{protocol}"
    return _suite(suite, {}, [_case(suite, "scored", _outcome("error", message))], failures=0, errors=1)


def _suite(name: str, properties: dict[str, str], cases: list[str], *, failures: int, errors: int) -> str:
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0"'
    facts = [f"      <property name={_quoted(key)} value={_quoted(value)}/>" for key, value in properties.items()]
    block = ["    <properties>", *facts, "    </properties>"] if facts else []
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f"  <testsuite name={_quoted(name)} {counts}>",
        *block,
        *cases,
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(suite: str, name: str, outcome: str) -> str:
    head = f"    <testcase classname={_quoted(suite)} name={_quoted(name)}"
    return f"{head}>\n{outcome}\n    </testcase>" if outcome else f"{head}/>"


def _outcome(kind: str, reason: str) -> str:
    return f"      <{kind} message={_quoted(reason)}>{escape(_allowed(reason))}</{kind}>"


def _quoted(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    """The text without the characters that XML cannot hold even escaped."""
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in text)
