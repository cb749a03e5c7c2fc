"""What a person would say of all answers, from a table with a judge's opinion of all and the person's of some.

An opinion is 0 or 1 (or false or true), or a number between; a cell without one is empty, null or not there. What it
assumes stands in `stats.prediction_powered`: the labelled rows are a random part of all, and rows are independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fullmarks.checks import check_kind
from fullmarks.errors import InputError, UsageError
from fullmarks.readers.documents import is_finite_number, kind_of
from fullmarks.readers.source import Source
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import read_blocks
from fullmarks.showing import Shown, ShowsItself, Table, figure
from fullmarks.stats.interval import Interval, check_level
from fullmarks.stats.prediction_powered import PoweredMean, powered_mean
from fullmarks.stats.rows import Floats
from fullmarks.stats.score_intervals import all_zero_or_one, wilson_interval

FEW_LABELS = 30
"""With fewer labelled rows the interval may cover the truth clearly less often than it says."""
JUDGE, HUMAN = "judge", "human"
_WORDS = {"true": 1.0, "false": 0.0}
_NOTHING = ("", "null", "none", "nan", "na")
"""What stands, in lower case, in a cell of a table of texts that holds no opinion."""


@dataclass(frozen=True, repr=False)
class JudgedMean(ShowsItself):
    """The person's mean over all rows, what it rests on, and what is doubtful about it."""

    estimate: PoweredMean
    """Its mean may pass 0 or 1 by a little; its interval does not."""
    person: Interval
    """Of the person's mean over the labelled rows alone."""
    judge: str
    human: str
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.estimate.judged + self.estimate.labelled

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "judge": self.judge,
            "human": self.human,
            "rows": self.rows,
            **asdict(self.estimate),
            "person_interval": {"low": self.person.low, "high": self.person.high, "method": self.person.method},
            "worth": self.estimate.worth,
            "warnings": list(self.warnings),
        }

    def _shown(self) -> Shown:
        found, level = self.estimate, f"{100 * self.estimate.level:g} %"
        rows = [
            ("both together", *map(figure, (found.mean, found.low, found.high, self.rows))),
            ("person alone", *map(figure, (found.person_alone, self.person.low, self.person.high, found.labelled))),
            ("judge alone", figure(found.judge_alone), "", "", figure(self.rows)),
        ]
        table = Table(("mean", "value", f"{level} low", "high", "rows"), rows, (1, 2, 3, 4))
        return Shown(f"{self.human} by {self.judge}, {self.rows:,} rows", (table,), self.warnings)


def ppi(table: Any, *, judge: str, human: str, level: float = 0.95) -> JudgedMean:
    """The mean that a person would give all rows of a table, from the columns of a judge and of the person.

    Source: PPI++, see `stats.prediction_powered`.

    >>> rows = [{"judge": at % 2, "human": at % 2 if at < 40 else None} for at in range(400)]
    >>> found = ppi(rows, judge="judge", human="human")
    >>> round(found.estimate.mean, 2), round(found.estimate.person_alone, 2), found.estimate.labelled
    (0.5, 0.5, 40)
    """
    for name, value in ((JUDGE, judge), (HUMAN, human)):
        check_kind(name, value, str)
    check_level(level)
    if judge == human:
        raise UsageError(f"'{judge}' cannot be the judge's column and the person's at once")
    judged, labels = _opinions(Source(table, "table"), judge, human)
    seen = np.array([label is not None for label in labels])
    person = np.array([label for label in labels if label is not None], dtype=np.float64)
    theirs = np.array(judged, dtype=np.float64)
    _check_counts(len(person), len(labels), human)
    estimate = powered_mean(person, theirs[seen], theirs[~seen], level)
    alone = wilson_interval(person[:, None], level)
    are_plain = all_zero_or_one(person) and all_zero_or_one(theirs)
    warnings = tuple(_doubts(estimate, person, theirs, are_plain=are_plain))
    return JudgedMean(estimate, alone, judge, human, warnings)


def _check_counts(labelled: int, rows: int, human: str) -> None:
    if labelled < 2:
        raise InputError(
            "table",
            f"'{human}' has {labelled} labels in {rows} rows; the spread of fewer than 2 cannot be known",
            "Have a person look at a random part of the answers, at least 30.",
        )
    if labelled == rows:
        raise InputError(
            "table",
            f"'{human}' has a label in every one of {rows} rows, so that a judge adds nothing",
            "The person's own mean is the result.",
        )


def _doubts(found: PoweredMean, person: Floats, judge: Floats, *, are_plain: bool) -> Iterator[str]:
    if found.labelled < FEW_LABELS:
        yield (
            f"only {found.labelled} labelled rows: the interval may cover the truth less often than it says; "
            f"label {FEW_LABELS} or more"
        )
    if person.min() == person.max():
        yield "the person says the same of every labelled row: the judge has no weight, the width is that of the count"
    elif judge.min() == judge.max():
        yield "the judge says the same of every row, so it has no weight"
    elif found.weight == 0:
        yield "the judge does not go with the person, so it has no weight"
    elif found.agreement == 1:
        yield "judge and person never differ on labelled rows: how often the judge errs elsewhere is hardly known"
    if not are_plain:
        yield "not all opinions are 0 or 1: the mean is that of the numbers, and only equal numbers count as agreement"


def _opinions(source: Source, judge: str, human: str) -> tuple[list[float], list[float | None]]:
    """The judge's opinion of every row, and the person's or None."""

    def choose(available: list[str]) -> dict[str, str]:
        return {role: column for role, column in ((JUDGE, judge), (HUMAN, human)) if column in available}

    def absent(role: str) -> InputError:
        return _no_column(source, {JUDGE: judge, HUMAN: human}[role], role)

    chooser = Chooser(choose, (judge, human), (JUDGE, HUMAN), absent, from_first=frozenset())
    judged: list[float] = []
    labels: list[float | None] = []
    for block in read_blocks(source, chooser):
        for role, column in ((JUDGE, judge), (HUMAN, human)):
            if role not in block.columns:  # a header, which names all columns there are
                raise _no_column(source, column, role)
        for at, value in enumerate(block.columns[JUDGE]):
            opinion = _opinion(value, judge, source, block, at)
            if opinion is None:
                found = f"'{judge}' is empty; expected the judge's opinion of every row"
                raise InputError(block.where(at, source.name), found, "Judge it, or leave the row out.")
            judged.append(opinion)
        labels += [_opinion(value, human, source, block, at) for at, value in enumerate(block.columns[HUMAN])]
    return judged, labels


def _no_column(source: Source, column: str, role: str) -> InputError:
    return InputError(source.name, f"no row has a column '{column}'", f"Name the {role}'s column with --{role}.")


def _opinion(value: Any, column: str, source: Source, block: Block, at: int) -> float | None:
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
        return None
    if isinstance(value, bool):
        return float(value)
    number: Any = _number(value) if isinstance(value, str) else value
    if not is_finite_number(number) or not 0 <= number <= 1:
        shown = repr(value) if isinstance(value, (str, int, float)) else kind_of(value)
        found = f"'{column}' is {shown}; expected 0 or 1, true or false, or a number between 0 and 1"
        raise InputError(block.where(at, source.name), found, "Leave a person's cell empty where nobody looked.")
    return float(number)


def _number(text: str) -> float | None:
    word = text.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    try:
        return float(word)
    except ValueError:
        return None
