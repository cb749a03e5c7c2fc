"""A task of Inspect that is scored as SQuAD 2.0 is."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from fullmarks.adapters.inspect_ai import scorer

QUESTIONS = Path(__file__).resolve().parents[1] / "questions" / "test.jsonl"


@task
def questions() -> Task:
    """Questions with several right answers, or none."""
    records = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    samples = [Sample(id=each["id"], input=each["question"], target=each["answers"]) for each in records]
    return Task(dataset=samples, scorer=scorer("squad2", extract="final-answer"))
