"""A task of lighteval that is scored as SQuAD 2.0 is."""

from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from fullmarks.adapters.lighteval import metric


def prompt(line: dict[str, Any], task_name: str = "") -> Doc:
    """A question with all of its right answers as golds."""
    return Doc(
        task_name=task_name,
        query=f"Question: {line['question']}\nAnswer:",
        choices=line["answers"],
        gold_index=list(range(len(line["answers"]))),
        specific={"id": line["id"]},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="questions",
        prompt_function=prompt,
        hf_repo=str(Path(__file__).resolve().parents[1] / "questions"),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[metric("squad2"), metric("bleu", max_order=1)],
        generation_size=16,
        stop_sequence=["\n"],
    )
]
