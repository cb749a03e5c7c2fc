"""What the tools of this environment warn of among themselves: nothing of ours can change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fullmarks

FOREIGN = (
    "ignore::DeprecationWarning:(mlflow|wandb|tensorboard|google|pydantic|sqlalchemy|alembic)",
    "ignore::FutureWarning:mlflow",
    "ignore::ResourceWarning",  # MLflow leaves the connections of its database to the collector
)


def pytest_configure(config: pytest.Config) -> None:
    for line in FOREIGN:
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture
def result() -> Any:
    """A result of VQA: nested, with names that trackers do not take."""
    rows = [
        {"prediction": "yes", "references": ["yes"] * 10, "answer_type": "yes/no", "question_type": "what's on the"},
        {"prediction": "2", "references": ["3"] * 10, "answer_type": "number", "question_type": "how many"},
        {"prediction": "2", "references": ["2"] * 10, "answer_type": "number", "question_type": "how many?"},
        {"prediction": "a", "references": ["b"] * 10, "answer_type": "other", "question_type": "how many!"},
    ]
    return fullmarks.score("vqa", rows)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


NUMBERS = {
    "overall": 50.0,
    "perQuestionType.what_s_on_the": 100.0,
    "perQuestionType.how_many": 0.0,
    "perQuestionType.how_many_": 100.0,
    "perQuestionType.how_many__2": 0.0,
    "perAnswerType.yes_no": 100.0,
    "perAnswerType.number": 50.0,
    "perAnswerType.other": 0.0,
}


@pytest.fixture
def numbers() -> dict[str, float]:
    """What trackers are to hold of the result."""
    return dict(NUMBERS)
