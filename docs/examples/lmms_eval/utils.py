"""What questions.yaml uses."""

from typing import Any

from fullmarks.adapters.lmms_eval import official, process_results_for

__all__ = ["doc_to_text", "doc_to_visual", "official", "process_results"]

process_results = process_results_for("vqa", references="answers", identifier="id")


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The images of a question; these have none."""
    del doc
    return []


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: dict[str, Any] | None = None) -> str:
    """The prompt."""
    del lmms_eval_specific_kwargs
    return f"Question: {doc['question']}\nAnswer:"
