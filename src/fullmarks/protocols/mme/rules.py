"""MME's tasks and the score of one of them."""

from __future__ import annotations

from fullmarks.types import Total

GROUPS = {
    "Perception": (
        "existence",
        "count",
        "position",
        "color",
        "posters",
        "celebrity",
        "scene",
        "landmark",
        "artwork",
        "OCR",
    ),
    "Cognition": ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning"),
}
TASKS = tuple(task for tasks in GROUPS.values() for task in tasks)


def task_score(total: Total) -> float:
    """100 times the share of right answers plus 100 times that of images with both answers right."""
    right, both = total.sums[:2]
    return right / total.n * 100 + both / total.n * 100
