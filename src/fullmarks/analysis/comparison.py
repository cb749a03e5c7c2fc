"""What a comparison found: plain records that tables, pages and JSON only read.

Differences are system minus baseline, on the scale of `Result.scores` (0-1). Examples are paired by id.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from typing import Any

from fullmarks.analysis.intervals import Sampling, finite, plain_interval
from fullmarks.showing import ROWS, Shown, ShowsItself, Table, chance, ends, named, scaled
from fullmarks.stats.comparison import PairedTest
from fullmarks.stats.interval import Interval
from fullmarks.stats.ranks import RankSet
from fullmarks.stats.several_runs import RunSpread
from fullmarks.types import Identifier


@dataclass(frozen=True)
class Difference:
    """One score of one system against the baseline; of one slice, where a column is named."""

    system: str
    score: str
    test: PairedTest
    p_holm: float
    """The permutation p-value corrected for all that was asked: every system and score, or every slice."""
    is_counted: bool = True
    """Whether the others are corrected for this one: not where it could not have reached one minus the level."""
    column: str = ""
    value: Hashable = None
    label: str = ""
    """The value as a text that no other value of the column has."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what is undefined or infinite is null."""
        test = self.test
        where = {"column": self.column, "value": self.value} if self.column else {}
        return {
            "system": self.system,
            "score": self.score,
            **where,
            "value_system": finite(test.system),
            "value_baseline": finite(test.baseline),
            "difference": finite(test.difference),
            "interval": plain_interval(test.interval),
            "p_permutation": finite(test.permutation.p_value),
            "permutation_method": test.permutation.method,
            "permutation_at_floor": test.permutation.is_floor,
            "p_holm": finite(self.p_holm),
            "counted": self.is_counted,
            "p_bootstrap": finite(test.p_bootstrap),
            "p_mcnemar": test.p_mcnemar,
            "equivalent_within": test.equivalence and test.equivalence.within,
            "p_equivalence": test.equivalence and test.equivalence.p_value,
            "effect": test.effect
            and {
                "name": test.effect.name,
                "value": finite(test.effect.value),
                "odds_ratio": finite(test.effect.odds_ratio),
            },
            "wins": test.outcomes and test.outcomes.wins,
            "losses": test.outcomes and test.outcomes.losses,
            "ties": test.outcomes and test.outcomes.ties,
            "n": test.examples,
        }


@dataclass(frozen=True)
class ExampleChange:
    """One example on which a system and the baseline score differently."""

    id: Identifier
    references: list[Any]
    baseline_prediction: Any
    system_prediction: Any
    baseline_score: float
    system_score: float
    slice: str = ""
    """The slice that it is in, of the column with the most of them."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {key: value for key, value in asdict(self).items() if key != "slice"}


@dataclass(frozen=True)
class Changes:
    """All examples that a system fixed or broke, those with the largest change first.

    Of those that changed alike there is one of every slice, then the second of every slice, and so on.
    """

    system: str
    fixed: tuple[ExampleChange, ...]
    broken: tuple[ExampleChange, ...]

    def to_dict(self, examples: int) -> dict[str, Any]:
        """Plain data for JSON: the counts, and the first examples of either kind."""
        shown = {"fixed": self.fixed, "broken": self.broken}
        parts = {
            name: {"count": len(all_of), "examples": [change.to_dict() for change in all_of[:examples]]}
            for name, all_of in shown.items()
        }
        return {"system": self.system, **parts}


@dataclass(frozen=True, repr=False)
class Comparison(ShowsItself):
    """Everything known about systems and their baseline; what is printed reads this and computes nothing."""

    protocol: str
    baseline: str
    systems: tuple[str, ...]
    """The systems compared with the baseline."""
    main_score: str
    """The score that slices and changed examples are about."""
    scale: float
    n: int
    sampling: Sampling
    signatures: dict[str, str]
    scores: dict[str, dict[str, float]]
    published: dict[str, dict[str, float]]
    """The same in the official scale, with the official digits."""
    intervals: dict[str, dict[str, Interval]]
    differences: tuple[Difference, ...]
    slices: tuple[Difference, ...]
    slice_level: float
    """The level of every slice's interval, so high that all together hold at that of `sampling`."""
    ranks: dict[str, RankSet]
    """By the main score, for three systems or more; empty where it cannot be told."""
    equivalence: float | None
    """The margin within which systems count as alike, in the official scale; None without one."""
    changes: tuple[Changes, ...]
    left_out: tuple[str, ...]
    """Which slices cannot be compared, and why."""
    warnings: dict[str, tuple[str, ...]]
    """What is doubtful about the input of each system that has such; questions without a prediction, say."""
    notes: tuple[str, ...] = ()
    """What is to be known about the runs: other rules, scores that only some have."""
    test_notes: tuple[str, ...] = ()
    """What is to be known about the tests: which could show nothing, and why."""
    runs: dict[str, dict[str, RunSpread]] = field(default_factory=dict)
    """How far examples and runs lie apart, by system and score; empty unless a system has several runs."""
    less_is_better: frozenset[str] = frozenset()
    """The scores that are better the smaller they are."""

    def to_dict(self, examples: int = 5) -> dict[str, Any]:
        """Plain data for JSON, with so many of the changed examples; scores from 0 to 1."""
        return {
            "protocol": self.protocol,
            "baseline": self.baseline,
            "systems": list(self.systems),
            "main_score": self.main_score,
            "scale": self.scale,
            "n": self.n,
            "sampling": asdict(self.sampling),
            "signatures": self.signatures,
            "scores": self.scores,
            "intervals": {
                name: {score: plain_interval(interval) for score, interval in intervals.items()}
                for name, intervals in self.intervals.items()
            },
            "differences": [difference.to_dict() for difference in self.differences],
            "slices": [difference.to_dict() for difference in self.slices],
            "slice_level": self.slice_level,
            "ranks": {name: asdict(found) for name, found in self.ranks.items()},
            "equivalence": self.equivalence,
            "changes": [changes.to_dict(examples) for changes in self.changes],
            "left_out": list(self.left_out),
            "warnings": {name: list(warnings) for name, warnings in self.warnings.items()},
            "notes": list(self.notes),
            "test_notes": list(self.test_notes),
            **({"runs": _plain_runs(self.runs)} if self.runs else {}),
        }

    def to_arrow(self) -> Any:
        """One row per system and score, then one per slice, as a `pyarrow.Table`; numbers from 0 to 1.

        `column` and `value` name the slice, and are null for the whole. The columns are told in docs/comparing.md.
        """
        from fullmarks.analysis.comparison_columns import NUMBERS, comparison_columns
        from fullmarks.data_frames import arrow_table

        return arrow_table(comparison_columns(self), NUMBERS)

    def to_pandas(self) -> Any:
        """The same as a `pandas.DataFrame`."""
        from fullmarks.analysis.comparison_columns import NUMBERS, comparison_columns
        from fullmarks.data_frames import pandas_frame

        return pandas_frame(comparison_columns(self), NUMBERS)

    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`."""
        from fullmarks.analysis.comparison_columns import NUMBERS, comparison_columns
        from fullmarks.data_frames import polars_frame

        return polars_frame(comparison_columns(self), NUMBERS)

    def _shown(self) -> Shown:
        main = [each for each in self.differences if each.score == self.main_score]
        others = [each for each in self.differences if each.score != self.main_score]
        shown = (main + others)[:ROWS]
        level = f"{100 * self.sampling.level:g} %"
        header = ("system", "score", "value", "difference", f"{level} interval", "p (Holm)")
        table = Table(
            header, [self._row(each) for each in shown], (2, 3, 4, 5), more=len(self.differences) - len(shown)
        )
        title = f"{self.protocol}: {named(self.systems)} against {named([self.baseline])}, {self.n:,} examples"
        notes = f"{len(self.slices):,} slices" if self.slices else ""
        warned = f"warnings about {named(self.warnings)}" if self.warnings else ""
        return Shown(title, (table,), tuple(filter(None, (notes, warned))))

    def _row(self, each: Difference) -> tuple[str, ...]:
        test, scale = each.test, self.scale
        value, difference = scaled(test.system, scale), scaled(test.difference, scale, "+")
        return each.system, each.score, value, difference, ends(test.interval, scale), chance(each.p_holm)


def _plain_runs(runs: dict[str, dict[str, RunSpread]]) -> dict[str, Any]:
    return {
        name: {score: {part: finite(value) for part, value in asdict(spread).items()} for score, spread in each.items()}
        for name, each in runs.items()
    }
