"""Where one or several systems stand: their scores with intervals and, for several, how they compare.

What reports are made from; every number in it is from 0 to 1, and every run is about the same questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fullmarks.analysis.chosen import baseline_name, chosen_columns, shared_score
from fullmarks.analysis.compare import check_compared, compare_paired
from fullmarks.analysis.comparison import Comparison
from fullmarks.analysis.fingerprint import rules_changed, rules_outdated
from fullmarks.analysis.intervals import DEFAULT, Sampling, confidence, labels_of
from fullmarks.analysis.pairs import Paired, alone, pair_all
from fullmarks.analysis.published import official_names
from fullmarks.errors import UsageError
from fullmarks.stats.interval import Interval

if TYPE_CHECKING:
    from fullmarks.result import Result


@dataclass(frozen=True)
class Standings:
    """The runs by name, the baseline among them where there are several."""

    runs: dict[str, Result]
    baseline: str
    """The only run, where there is one."""
    main_score: str
    score_names: dict[str, str]
    """The official name of every score."""
    columns: tuple[str, ...]
    """What the scores are broken down by."""
    sampling: Sampling
    intervals: dict[str, dict[str, Interval]]
    comparison: Comparison | None
    """None for a single run."""
    paired: dict[str, Paired]
    """The runs' predictions, rows and scores in the baseline's order."""

    @property
    def base(self) -> Result:
        """The run of the baseline."""
        return self.runs[self.baseline]

    @property
    def rule_doubts(self) -> list[str]:
        """Which runs were not scored by the rules of the baseline or, if all were, by those that are installed."""
        others = [(name, run) for name, run in self.runs.items() if name != self.baseline]
        found = [rules_changed(run, self.base, name, self.baseline) for name, run in others]
        return [*filter(None, found)] or [*filter(None, (rules_outdated(run, name) for name, run in self.runs.items()))]

    @property
    def scale(self) -> float:
        """What a score is multiplied by to be in the official scale."""
        return self.base.scale


def standings(
    runs: Mapping[str, Result],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    by: str | Sequence[str] | None = None,
    sampling: Sampling = DEFAULT,
) -> Standings:
    """Scores, intervals and comparisons of runs of one protocol; `main_score` may be an official name.

    `by` names the columns to break the scores down by, by default those that the protocol has.
    """
    if not runs:
        raise UsageError("a report needs at least one run")
    against = baseline_name(runs, baseline)
    base = runs[against]
    columns = chosen_columns(base, by)
    for column in columns:
        labels_of(base.tally, column)  # an error where it is not there, or cannot be sliced by
    comparison = None
    if len(runs) > 1:
        check_compared(runs, sampling)
    paired = pair_all(runs, against)
    main = shared_score(base, paired[against], main_score)
    shared = {name for metric, _ in paired[against].rows for name in metric.scores}
    names = {name: official for name, official in official_names(base).items() if name in shared}
    if len(runs) > 1:
        comparison = compare_paired(runs, paired, against, score=main, columns=columns, sampling=sampling)
    return Standings(
        runs=dict(runs),
        baseline=against,
        main_score=main,
        score_names=names,
        columns=columns,
        sampling=sampling,
        intervals={against: confidence(base, sampling)} if comparison is None else comparison.intervals,
        comparison=comparison,
        paired=paired,
    )


def example_scores(result: Result) -> dict[str, list[float]]:
    """Every score of every example alone, in input order."""
    return alone(result.tally).scores
