"""`fullmarks.adapters.lmms_eval` in the real lmms-eval, with its dummy model: the digits of `fullmarks.score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.tasks import TaskManager

import fullmarks

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "lmms_eval"
QUESTIONS = [json.loads(line) for line in (EXAMPLE / "questions.jsonl").read_text().splitlines()]


def test_the_example_with_the_dummy_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    tasks = TaskManager(include_path=str(EXAMPLE), include_defaults=False)
    found = simple_evaluate(
        "dummy", model_args="response=2", tasks=["questions"], task_manager=tasks, batch_size=1, log_samples=True
    )
    rows = [{"id": each["id"], "prediction": "2", "references": each["answers"]} for each in QUESTIONS]
    result = fullmarks.score("vqa", rows)
    assert found["results"]["questions"]["accuracy,none"] == result.official["overall"] > 0
    alone = {each["doc"]["id"]: each["accuracy"] for each in found["samples"]["questions"]}
    assert alone == {each["id"]: each["accuracy"] for each in result.per_example}
    assert json.loads(json.dumps(alone)) == alone
