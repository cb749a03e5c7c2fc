"""The public surface: what `import fullmarks` offers, where each name lives, and that looking costs nothing."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import fullmarks
from fullmarks import errors
from fullmarks.metrics import METRICS
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.set_metric import SetMetric
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol


def test_all_is_sorted_and_complete() -> None:
    assert fullmarks.__all__ == sorted(fullmarks.__all__)
    assert len(set(fullmarks.__all__)) == len(fullmarks.__all__)
    assert set(fullmarks.__all__) == {*fullmarks._HOMES, "__version__"}
    assert dir(fullmarks) == fullmarks.__all__


@pytest.mark.parametrize("name", fullmarks.__all__)
def test_every_name_is_what_its_home_defines(name: str) -> None:
    value = getattr(fullmarks, name)
    if name in fullmarks._HOMES:
        home = importlib.import_module(fullmarks._HOMES[name])
        assert value is (home if name == "report" else getattr(home, name))  # a package that can be called
        assert value.__module__ == home.__name__
        assert inspect.getdoc(value)


def test_every_error_is_public_and_in_one_tree() -> None:
    tree = [value for value in vars(errors).values() if inspect.isclass(value) and value.__module__ == errors.__name__]
    assert {value.__name__ for value in tree} <= set(fullmarks.__all__)
    assert all(issubclass(value, fullmarks.FullmarksError) for value in tree)
    drawn = inspect.getdoc(errors) or ""
    assert all(value.__name__ in drawn for value in tree)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        fullmarks.scores  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = (
        "import sys, fullmarks; heavy = {'numpy', 'click', 'rich', 'msgspec', 'zstandard', 'pyarrow', 'torch'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize("name", METRICS.own_names())
def test_metrics_are_what_they_are_called(name: str) -> None:
    kind = METRICS.get(name)
    assert issubclass(kind, Metric) != issubclass(kind, SetMetric)
    assert kind.name == name
    assert kind.summary


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_protocols_are_what_they_are_called(name: str) -> None:
    kind = PROTOCOLS.get(name)
    assert issubclass(kind, Protocol)
    assert kind.name == name
    assert all((kind.title, kind.gold_format, kind.prediction_format))


def test_names_that_are_nearly_right_are_suggested() -> None:
    with pytest.raises(fullmarks.UsageError, match=r"unknown metric 'token_f'\. Did you mean 'token_f1'"):
        fullmarks.load("token_f")
    with pytest.raises(fullmarks.UsageError, match=r"exact_match has no option 'agregate'\. Its options: aggregate"):
        fullmarks.load("exact_match", agregate="max")
