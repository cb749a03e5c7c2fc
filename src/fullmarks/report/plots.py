"""The five plots of SQuAD 2.0's no-answer analysis, under the published script's file names.

Figures are drawn off screen, without any state shared between calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from fullmarks.atomic_file import written_whole
from fullmarks.report.figures import check_plots, empty_figure


class PrecisionRecall(Protocol):
    """The points of a precision-recall curve."""

    @property
    def precisions(self) -> Sequence[float]:
        """Precision at each point."""

    @property
    def recalls(self) -> Sequence[float]:
        """Recall at each point."""

    @property
    def average_precision(self) -> float:
        """The area under the curve, 0-1."""


CURVE_TITLES = {
    "exact": "Precision and recall, exact match",
    "f1": "Precision and recall, F1",
    "oracle": "Precision and recall, oracle (has an answer or not)",
}
GROUPS = {True: ("hasAns", "questions with an answer"), False: ("noAns", "questions without an answer")}


def write_plots(
    folder: Path,
    curves: Mapping[str, PrecisionRecall],
    probabilities: Sequence[float],
    has_answer: Sequence[bool],
) -> list[Path]:
    """Write one plot per curve and one histogram per group of questions that has any; returns their paths."""
    check_plots(folder)
    written = []
    for name, figure in _figures(curves, probabilities, has_answer):
        path = folder / name
        with written_whole(path) as stream:
            figure.savefig(stream, format="png", dpi=100)
        written.append(path)
    return written


def _figures(
    curves: Mapping[str, PrecisionRecall], probabilities: Sequence[float], has_answer: Sequence[bool]
) -> Iterator[tuple[str, Any]]:
    for name, curve in curves.items():
        yield f"pr_{name}.png", _curve_figure(curve, CURVE_TITLES.get(name, name))
    for answerable, (name, title) in GROUPS.items():
        values = [value for value, has in zip(probabilities, has_answer, strict=True) if bool(has) == answerable]
        if values:
            yield f"na_prob_hist_{name}.png", _histogram_figure(values, title)


def _curve_figure(curve: PrecisionRecall, title: str) -> Any:
    figure, axes = empty_figure()
    axes.step(curve.recalls, curve.precisions, where="post", color="tab:blue")
    axes.fill_between(curve.recalls, curve.precisions, step="post", color="tab:blue", alpha=0.2)
    axes.set(xlabel="recall", ylabel="precision", xlim=(0.0, 1.05), ylim=(0.0, 1.05))
    axes.set_title(f"{title}\naverage precision {100.0 * curve.average_precision:.2f}")
    return figure


def _histogram_figure(values: Sequence[float], title: str) -> Any:
    figure, axes = empty_figure()
    share = 1.0 / len(values)
    axes.hist(values, bins=20, range=(0.0, 1.0), weights=[share] * len(values), color="tab:blue")
    axes.set(xlabel="probability of no answer", ylabel="share of questions", xlim=(0.0, 1.0))
    axes.set_title(f"No-answer probability, {title} ({len(values)})")
    return figure
