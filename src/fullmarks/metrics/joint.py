"""Parts of an answer judged alone and together: a row of exact match, F1, precision and recall for each, then jointly.

Jointly, exact matches, precisions and recalls are multiplied in the order of the parts, and F1 is made of the products;
a part that is missing has a row of zeros and so makes the joint scores 0. Source: HotpotQA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Scores(NamedTuple):
    """What one part is worth."""

    exact: float
    f1: float
    precision: float
    recall: float


NOTHING = Scores(0.0, 0.0, 0.0, 0.0)
JOINT = "joint_"


def joint_columns(prefixes: Sequence[str]) -> tuple[str, ...]:
    """The names of the statistics: those of every part under its prefix, then the joint ones.

    >>> joint_columns(["", "sp_"])[3:6], joint_columns(["", "sp_"])[-1]
    (('recall', 'sp_exact', 'sp_f1'), 'joint_recall')
    """
    return tuple(prefix + name for prefix in (*prefixes, JOINT) for name in Scores._fields)


def joint_scores(parts: Sequence[Scores]) -> Scores:
    """The parts of one example together, plainly.

    >>> joint_scores([Scores(0.0, 0.4, 0.25, 1.0), Scores(1.0, 1.0, 1.0, 1.0)])
    Scores(exact=0.0, f1=0.4, precision=0.25, recall=1.0)
    """
    exact = precision = recall = 1.0
    for part in parts:
        exact, precision, recall = exact * part.exact, precision * part.precision, recall * part.recall
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Scores(exact, f1, precision, recall)


def part_table(parts: Mapping[str, Scores | None]) -> list[dict[str, Any]]:
    """One line for every part, then the joint one; a part that is None is missing."""
    judged = {name: NOTHING if scores is None else scores for name, scores in parts.items()}
    missing = {name for name, scores in parts.items() if scores is None}
    told = [{"part": f"{name} (missing)" if name in missing else name, **judged[name]._asdict()} for name in judged]
    return [*told, {"part": "joint", **joint_scores(list(judged.values()))._asdict()}]
