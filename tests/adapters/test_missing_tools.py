"""An adapter without its tool says what to install; with it, the tool's own name is not taken by ours."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import fullmarks
from fullmarks.adapters import evaluate, mlflow, torchmetrics, wandb


def result() -> Any:
    return fullmarks.score("squad2", [{"prediction": "a", "references": ["a"]}])


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        ("evaluate", lambda: evaluate.load("squad2")),
        ("torchmetrics", lambda: torchmetrics.metric("squad2")),
        ("torchmetrics", lambda: torchmetrics.Squad2),
        ("mlflow", lambda: mlflow.log(result())),
        ("wandb", lambda: wandb.log(result())),
    ],
)
def test_what_is_missing_is_named_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch, tool: str, call: Any) -> None:
    monkeypatch.setitem(sys.modules, tool, None)
    with pytest.raises(fullmarks.MissingDependencyError) as caught:
        call()
    assert str(caught.value) == (
        f"fullmarks.adapters.{tool} needs '{tool}', which is not installed: pip install {tool}"
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Squad7'"):
        torchmetrics.Squad7  # noqa: B018
