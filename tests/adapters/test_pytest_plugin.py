"""The plugin of pytest in runs of pytest: gates that are met and not, baselines, what is saved, what it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import fullmarks
from fullmarks.analysis.gate import judge, parse_bound, parse_fail_if_worse

pytest_plugins = "pytester"

IMPORTED = '__import__("fullmarks").'
GOLD = [{"id": str(at), "references": ["a red hat"]} for at in range(40)]


def predictions(right: int) -> list[dict[str, str]]:
    return [{"id": str(at), "prediction": "red hat" if at < right else "blue"} for at in range(40)]


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """A project with its gold and two systems."""
    for name, right in (("good", 36), ("bad", 10)):
        Path(pytester.path, f"{name}.json").write_text(json.dumps(predictions(right)))
    Path(pytester.path, "gold.json").write_text(json.dumps(GOLD))
    return pytester.path


@pytest.fixture(scope="module", autouse=True)
def imported_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import all that a gate imports: pytester forgets what its runs import, and a class would be there twice."""
    baseline = tmp_path_factory.mktemp("gate") / "base.run.json"
    fullmarks.save_run(fullmarks.score("squad2", GOLD, predictions(36)), baseline)
    conditions = [parse_bound("f1=80"), parse_fail_if_worse(f"{baseline}:f1:0.5")]
    assert judge(fullmarks.score("squad2", GOLD, predictions(36)), conditions).passed
    with pytest.raises(fullmarks.UsageError, match="Did you mean"):
        fullmarks.score("squad", GOLD)
    with pytest.raises(fullmarks.UsageError, match="has no number"):
        judge(fullmarks.load_run(baseline), [parse_bound("F1=80")])


class ImportedModules:
    """A plugin that tells which modules there are at the end of a run."""

    def pytest_unconfigure(self) -> None:
        self.names = set(sys.modules)


def run(pytester: pytest.Pytester, calls: str | list[str], *words: str) -> pytest.RunResult:
    """Run pytest on a test per call, in this process."""
    calls = [calls] if isinstance(calls, str) else calls
    tests = [
        f"def test_{at}(fullmarks_gate):\n    found = {call}\n    assert found.n == 40\n"
        for at, call in enumerate(calls)
    ]
    pytester.makepyfile("\n".join(tests))
    before, after = set(sys.modules), ImportedModules()
    found = pytester.runpytest_inprocess("-p", "no:cacheprovider", *words, plugins=[after])
    assert not {name for name in after.names - before if name.startswith(("fullmarks", "numpy"))}
    return found


def test_the_entry_point_names_the_plugin() -> None:
    found = {entry.name: entry.value for entry in entry_points(group="pytest11")}
    assert found["fullmarks"] == "fullmarks.adapters.pytest_plugin"


def test_a_gate_that_is_met(pytester: pytest.Pytester, folder: Path) -> None:
    found = run(pytester, 'fullmarks_gate("squad2", "gold.json", "good.json", fail_under="f1=80")')
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*= fullmarks =*", "passed *::test_0: <squad2: exact=90, f1=90, *"])


def test_a_gate_that_is_not_met_says_why_without_a_traceback(pytester: pytest.Pytester, folder: Path) -> None:
    call = 'fullmarks_gate("squad2", "gold.json", "bad.json", fail_under={"f1": 80, "exact": 20}, fail_over="total=9")'
    found = run(pytester, call)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            "not met: f1 >= 80: f1 25.00 is under 80 by 55.00",
            "not met: total <= 9: total 40 is over 9 by 31",
            "gate: not met: 2 of 3 conditions",
        ]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*pytest_plugin.py*")
    found.stdout.no_fnmatch_line("not met: exact*")


def test_the_verdict_is_that_of_the_command(pytester: pytest.Pytester, folder: Path) -> None:
    words = ["score", "squad2", "gold.json", "bad.json", "--fail-under", "f1=80"]
    line = [sys.executable, "-m", "fullmarks", *words]
    command = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert command.returncode == 1
    (told,) = [line for line in command.stderr.splitlines() if "not met" in line]
    found = run(pytester, 'fullmarks_gate("squad2", "gold.json", "bad.json", fail_under="f1=80")')
    assert told[told.index("not met") :] in found.stdout.str()


def test_a_baseline_is_written_once_and_compared_with_later(pytester: pytest.Pytester, folder: Path) -> None:
    call = 'fullmarks_gate("squad2", "gold.json", "{}.json", fail_if_worse="base/squad.run.json:f1:0.5")'
    without = run(pytester, call.format("good"))
    without.assert_outcomes(failed=1)
    without.stdout.fnmatch_lines(["*there is no baseline base/squad.run.json*pytest --fullmarks-update*"])
    written = run(pytester, call.format("good"), "--fullmarks-update")
    written.assert_outcomes(passed=1)
    written.stdout.fnmatch_lines(["passed *: wrote base/squad.run.json"])
    assert fullmarks.load_run(folder / "base" / "squad.run.json").n == 40
    run(pytester, call.format("good")).assert_outcomes(passed=1)
    worse = run(pytester, call.format("bad"))
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(
        ["gate: not met: f1 no worse than base/squad.run.json by more than 0.5: f1 25.00 (-65.00) against 90.00*"]
    )
    assert fullmarks.load_run(folder / "base" / "squad.run.json").official["f1"] == 90.0


def test_updating_does_not_excuse_a_bound(pytester: pytest.Pytester, folder: Path) -> None:
    conditions = 'fail_under="f1=80", fail_if_worse="base.run.json:f1"'
    call = f'fullmarks_gate("squad2", "gold.json", "bad.json", {conditions})'
    run(pytester, call, "--fullmarks-update").assert_outcomes(failed=1)


def test_runs_are_saved_where_it_is_asked_for(pytester: pytest.Pytester, folder: Path) -> None:
    call = 'fullmarks_gate("squad2", "gold.json", "bad.json", fail_under="f1=80")'
    run(pytester, call, "--fullmarks-save", "runs").assert_outcomes(failed=1)
    (saved,) = (folder / "runs").iterdir()
    assert saved.name.endswith("test_0.run.json")
    assert fullmarks.load_run(saved).official["f1"] == 25.0


def test_a_result_is_judged_as_it_is(pytester: pytest.Pytester, folder: Path) -> None:
    scored = f'{IMPORTED}score("squad2", "gold.json", "good.json")'
    run(pytester, f'fullmarks_gate({scored}, fail_under="f1=80")').assert_outcomes(passed=1)


MISTAKES = {
    '"squad2", "gold.json", "none.json", fail_under="f1=80"': "none.json",
    '"squad", "gold.json", "good.json", fail_under="f1=80"': "unknown protocol 'squad'. Did you mean",
    '"squad2", "gold.json", "good.json"': "a gate needs a condition",
    '"squad2", "gold.json", "good.json", fail_under="f1"': "expected NAME=NUMBER",
    '"squad2", "gold.json", "good.json", fail_under={"F1": 80}': "has no number 'F1'",
    '"squad2", "gold.json", "good.json", fail_if_worse="b:f1", worse_by="luck"': "worse_by must be one of",
    'fullmarks.score("squad2", "gold.json", "good.json"), "gold.json", fail_under="f1=8"': "a result is scored already",
}


def test_mistakes_are_told_in_one_line(pytester: pytest.Pytester, folder: Path) -> None:
    found = run(pytester, [f"fullmarks_gate({words})".replace("fullmarks.", IMPORTED) for words in MISTAKES])
    found.assert_outcomes(failed=len(MISTAKES))
    for said in MISTAKES.values():
        found.stdout.fnmatch_lines([f"fullmarks: *{said}*"])
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*During handling*")


def test_other_tests_see_nothing_of_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other():\n    pass\n")
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    found.assert_outcomes(passed=1)
    found.stdout.no_fnmatch_line("*fullmarks =*")


def test_a_program_that_has_us_already_may_start_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other():\n    pass\n")
    script = "import fullmarks, pytest; raise SystemExit(pytest.main(['-W', 'error', '-p', 'no:cacheprovider']))"
    assert pytester.run(sys.executable, "-c", script).ret == 0


def test_pytest_starts_without_importing_any_scoring() -> None:
    script = (
        "import sys, pytest; before = set(sys.modules); import fullmarks.adapters.pytest_plugin;"
        "print(sorted(set(sys.modules) - before))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert eval(shown) == ["fullmarks", "fullmarks.adapters", "fullmarks.adapters.pytest_plugin", "fullmarks.version"]
