"""A plugin of pytest, found by its entry point: the fixture `fullmarks_gate`, a gate on a result as a test.

Nothing but this file is imported until a test asks for the fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fullmarks.analysis.gate import Condition, FailIfWorse, Rule, Verdict
    from fullmarks.result import Result

Bounds = str | Sequence[str] | Mapping[str, float]
"""`"f1=80"`, several of these, or `{"f1": 80}`."""
_NOTED = "fullmarks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where runs are saved, and whether baselines are written instead of compared with."""
    group = parser.getgroup("fullmarks", "fullmarks: gates on scores")
    group.addoption(
        "--fullmarks-save",
        metavar="FOLDER",
        help="Save every run that fullmarks_gate scores in this folder, named for its test: NAME.run.json.",
    )
    group.addoption(
        "--fullmarks-update",
        action="store_true",
        help="Write the baselines that fullmarks_gate names in fail_if_worse from today's runs, instead of comparing.",
    )


@pytest.fixture
def fullmarks_gate(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Scores as `fullmarks.score` does and fails the test unless the conditions are met; gives back the result.

    def test_quality(fullmarks_gate):
        fullmarks_gate("squad2", "gold.json", "predictions.json", fail_under="f1=80")
    """
    return Gate(request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for every gate, met or not, with its numbers."""
    lines = [
        f"{'passed' if report.passed else 'failed'} {report.nodeid}: {text}"
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        for name, text in getattr(report, "user_properties", ())
        if name == _NOTED
    ]
    if lines:
        terminalreporter.section("fullmarks")
        for line in lines:
            terminalreporter.line(line)


class Gate:
    """The fixture's value: called with what is scored and the conditions."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node
        self._config = request.config
        self._root = Path(str(request.config.rootpath))
        self._saved = 0

    def __call__(
        self,
        scored: str | Result,
        gold: Any = None,
        predictions: Any = None,
        *,
        fail_under: Bounds = (),
        fail_over: Bounds = (),
        fail_if_worse: str | Sequence[str] = (),
        worse_by: Rule = "evidence",
        **options: Any,
    ) -> Result:
        """Score by the protocol of that name, or take a result; then judge it.

        The conditions are those of `fullmarks score`: `fail_under="f1=80"`, `fail_if_worse="base.run.json:f1:0.5"`.
        """
        __tracebackhide__ = True
        from fullmarks.errors import FullmarksError

        mistake = ""
        try:
            conditions = _conditions(fail_under, fail_over, fail_if_worse, worse_by)
            result = _scored(scored, gold, predictions, options)
            self._save(result)
            verdict = _judged(result, self._without_updated(conditions, result))
        except FullmarksError as error:
            mistake = f"fullmarks: {error}"
        if mistake:
            pytest.fail(mistake, pytrace=False)
        self._node.user_properties.append((_NOTED, repr(result)))
        doubts = dict.fromkeys(check.doubt for check in verdict.checks if check.doubt)
        self._node.user_properties.extend((_NOTED, f"warning: {doubt}") for doubt in doubts)
        if not verdict.passed:
            pytest.fail("\n".join([repr(result), *verdict.lines]), pytrace=False)
        return result

    def _save(self, result: Result) -> None:
        folder = self._config.getoption("--fullmarks-save")
        if folder is None:
            return
        from fullmarks.analysis.saved import save_run

        self._saved += 1
        name = re.sub(r"[^\w.-]+", "_", self._node.nodeid).strip("_")
        number = f"-{self._saved}" if self._saved > 1 else ""
        place = Path(folder) / f"{name}{number}.run.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        save_run(result, place)

    def _without_updated(self, conditions: list[Condition], result: Result) -> list[Condition]:
        """The conditions that are left once baselines are written, where that is asked for."""
        from fullmarks.analysis.gate import FailIfWorse

        worse = [condition for condition in conditions if isinstance(condition, FailIfWorse)]
        if not self._config.getoption("--fullmarks-update"):
            for condition in worse:
                _check_baseline(condition)
            return conditions
        from fullmarks.analysis.saved import save_run

        for path in dict.fromkeys(condition.path for condition in worse):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            save_run(result, path)
            self._node.user_properties.append((_NOTED, f"wrote {path}"))
        return [condition for condition in conditions if condition not in worse]


def _check_baseline(condition: FailIfWorse) -> None:
    from fullmarks.errors import UsageError

    if not Path(condition.path).exists():
        raise UsageError(f"there is no baseline {condition.path}. Write it once with: pytest --fullmarks-update")


def _scored(scored: str | Result, gold: Any, predictions: Any, options: dict[str, Any]) -> Result:
    from fullmarks.errors import UsageError
    from fullmarks.evaluate import score
    from fullmarks.result import Result

    if not isinstance(scored, Result):
        return score(scored, gold, predictions, **options)
    if gold is not None or predictions is not None or options:
        raise UsageError("a result is scored already: pass it alone, with the conditions")
    return scored


def _conditions(under: Bounds, over: Bounds, worse: str | Sequence[str], rule: Rule) -> list[Condition]:
    from fullmarks.analysis.gate import RULES, parse_bound, parse_fail_if_worse
    from fullmarks.errors import UsageError

    if rule not in RULES:
        raise UsageError(f"worse_by must be one of {', '.join(RULES)}, found {rule!r}")
    found: list[Condition] = [
        *map(parse_bound, _texts(under)),
        *(parse_bound(text, at_least=False) for text in _texts(over)),
        *(parse_fail_if_worse(text, rule) for text in _texts(worse)),
    ]
    if not found:
        raise UsageError("a gate needs a condition: fail_under, fail_over or fail_if_worse")
    return found


def _texts(given: Bounds) -> list[str]:
    if isinstance(given, Mapping):
        return [f"{name}={value!r}" for name, value in given.items()]
    return [given] if isinstance(given, str) else list(given)


def _judged(result: Result, conditions: list[Condition]) -> Verdict:
    from fullmarks.analysis.gate import judge

    return judge(result, conditions)
