"""The Ray engine where Ray is not installed, or is asked for what it cannot do: nothing is started for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fullmarks.engines import ENGINES
from fullmarks.engines.engine import Task
from fullmarks.engines.ray_cluster import RayCluster
from fullmarks.errors import MissingDependencyError, UsageError


def test_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    engine = ENGINES.get("ray").from_text("")
    with pytest.raises(MissingDependencyError, match=r"pip install 'fullmarks\[ray\]'"):
        _ = engine.at_once
    with pytest.raises(MissingDependencyError, match=r"the engine 'ray' needs 'ray'"):
        next(engine.run(print, [Task(1)]))
    engine.close()


def test_it_is_imported_when_the_first_task_is_run() -> None:
    asked = "from fullmarks.engines.ray_cluster import RayCluster; RayCluster('host:1').close(); import sys; "
    subprocess.run([sys.executable, "-c", f"{asked}sys.exit('ray' in sys.modules)"], check=True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"cpus_per_task": -1}, "cpus_per_task must be a number of 0 or more"),
        ({"cpus_per_task": float("nan")}, "cpus_per_task must be a number of 0 or more"),
        ({"retries": -1}, "retries must be a whole number of 0 or more"),
        ({"address": 6379}, "address"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, float], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        RayCluster(**options)  # type: ignore[arg-type]
