"""What the numbers of a report mean, in a few plain sentences; every number in them is one that was computed before.

A difference is called one only where the corrected test and the interval both show it. That it holds in a slice means
that it has the same sign there, and no more; where tests of the slices show it, that is said besides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from fullmarks.analysis.direction import less_is_better
from fullmarks.result import slice_names

if TYPE_CHECKING:
    from fullmarks.analysis.comparison import Difference
    from fullmarks.analysis.leaders import Leaders
    from fullmarks.analysis.standings import Standings
    from fullmarks.stats.comparison import PairedTest

FEW = 30
"""Fewer examples than this are said to be few."""

FEWEST_IN_SLICE = 10
"""A slice of fewer examples is not named as the strongest or the weakest: it mostly is by chance."""

SPOKEN = {"f1": "F1", "em": "EM", "anls": "ANLS", "exact": "exact match", "exact_match": "exact match"}
"""Scores that are said otherwise than they are written."""

SAYS_NOTHING = ("score", "overall")
"""Official names that do not tell what is scored: the score's own name does."""


def headline(standings: Standings) -> tuple[str, ...]:
    """The sentence that says most, then what else is to be known."""
    if standings.comparison is None:
        first = _alone(standings)
    elif len(standings.runs) == 2:
        first = _of_two(standings)
    else:
        first = _of_several(standings)
    against = _against_baseline(standings) if len(standings.runs) > 2 else ""
    return tuple(filter(None, (first, against, _few(standings))))


class _Words(NamedTuple):
    """How the numbers of one score are written."""

    name: str
    scale: float
    level: float
    less: str

    @classmethod
    def of(cls, standings: Standings) -> _Words:
        official = standings.score_names[standings.main_score]
        less = ", less is better" if less_is_better(standings.base, standings.main_score) else ""
        said = standings.main_score if official.lower() in SAYS_NOTHING else official
        return cls(SPOKEN.get(said, said), standings.scale, standings.sampling.level, less)

    @property
    def unit(self) -> str:
        """What stands behind a number."""
        return "" if self.name.lower() in SAYS_NOTHING else f" {self.name}"

    @property
    def alpha(self) -> float:
        """What a p-value has to be below."""
        return 1 - self.level

    def numbers(self, *values: float) -> list[str]:
        """The values in the official scale with as many decimals as it takes that none but 0 is shown as 0."""
        scaled = [self.scale * value for value in values]
        least = 1 if self.scale >= 10 else 3
        for places in range(least, 7):
            if all(not value or float(f"{value:.{places}f}") for value in scaled):
                break
        return [f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}") for value in scaled]

    def interval(self, low: str, high: str) -> str:
        """The ends in words."""
        is_negative = low.startswith("\N{MINUS SIGN}")
        return f"{100 * self.level:g} % interval {'from ' if is_negative else ''}{low} to {high}"


def _alone(standings: Standings) -> str:
    name, words = standings.baseline, _Words.of(standings)
    value = standings.base.scores[standings.main_score]
    if math.isnan(value):
        return f"{words.name} of {name} is undefined for these examples."
    interval = standings.intervals[name].get(standings.main_score)
    less = f" ({words.less[2:]})" if words.less else ""
    text = f"{name} scores {words.numbers(value)[0]}{words.unit}{less} on {_examples(standings.base.n)}"
    if interval is not None and not math.isnan(interval.low):
        text += f", {words.interval(*words.numbers(interval.low, interval.high))}"
    return f"{text}{_strongest(standings, words)}."


def _strongest(standings: Standings, words: _Words) -> str:
    """The slices with the best and the worst score of the column that has most slices large enough to be named."""
    best: list[tuple[float, int, str]] = []
    column = ""
    for each in standings.columns:
        found = standings.base.by(each)
        names = slice_names(found)
        known = [
            (scores[standings.main_score], int(scores["n"]), names[label])
            for label, scores in found.items()
            if scores["n"] >= FEWEST_IN_SLICE and not math.isnan(scores[standings.main_score])
        ]
        if len(known) > max(1, len(best)):
            best, column = known, each
    if not best:
        return ""
    ordered = sorted(best, key=lambda slice_: slice_[0], reverse=not words.less)
    (top, many, first), (low, few, last) = ordered[0], ordered[-1]
    if top == low:
        return f"; the same in all {len(ordered)} slices by {column}"
    shown = words.numbers(top, low)
    return (
        f"; by {column} strongest in '{first}' ({shown[0]}, {_examples(many)}) "
        f"and weakest in '{last}' ({shown[1]}, {_examples(few)})"
    )


def _of_two(standings: Standings) -> str:
    found = _main_differences(standings)[0]
    words = _Words.of(standings)
    test, system, base = found.test, found.system, standings.baseline
    if math.isnan(test.difference):
        return f"{words.name} of {system} and {base} cannot be compared: it is undefined for these examples."
    (value,) = words.numbers(test.system)
    if test.difference == test.interval.low == test.interval.high == 0 and test.outcomes is None:
        return f"{system} and {base} score the same: {value}{words.unit}."
    if test.outcomes is not None and test.outcomes.ties == test.examples:
        return f"{system} and {base} score the same on each of {_examples(test.examples)}: {value}{words.unit}."
    ahead = _Ahead.of(words, (system, base), test)
    is_shown = found.p_holm < words.alpha
    if is_shown and ahead.excludes_none:
        return f"{ahead.better} is better than {ahead.other} by {ahead.by}{_slices_of_two(standings, found, 'holds')}."
    pair = f"{ahead.better} and {ahead.other}"
    if not found.is_counted:
        text = f"{_no_test(pair, test)}: {ahead.how}"
    else:
        text = f"{pair} {_not_apart(ahead, found.p_holm, is_shown=is_shown)}"
    return f"{text}{_slices_of_two(standings, found, 'has this sign')}."


def _of_several(standings: Standings) -> str:
    from fullmarks.analysis.leaders import leaders

    words, found = _Words.of(standings), leaders(standings)
    if found is None:
        return f"{words.name} is undefined for too many of the {len(standings.runs)} systems to compare them."
    ahead = _Ahead.of(words, (found.best, found.second), found.test)
    is_shown, joint = found.p_value < words.alpha, f" (for all {found.pairs} pairs at once)"
    among = f"Of {len(standings.runs)} systems {ahead.better}"
    if is_shown and ahead.excludes_none:
        holds = _slices_of_leaders(standings, found, "holds")
        return f"{among} is best: better than the second, {ahead.other}, by {ahead.by}{joint}{holds}."
    told = _not_apart(ahead, found.p_value, is_shown=is_shown)
    return f"{among} and {ahead.other} lead and {told}{joint}{_slices_of_leaders(standings, found, 'has this sign')}."


def _main_differences(standings: Standings) -> list[Difference]:
    """Every system against the baseline by the main score."""
    found = standings.comparison.differences if standings.comparison else ()
    return [each for each in found if each.score == standings.main_score]


class _Ahead(NamedTuple):
    """One difference in words, the better system named first."""

    better: str
    other: str
    by: str
    how: str
    excludes_none: bool
    """Whether the interval holds better scores only."""

    @classmethod
    def of(cls, words: _Words, systems: tuple[str, str], test: PairedTest) -> _Ahead:
        """Of the difference of the first system minus the second."""
        turn = -1 if words.less else 1
        gain, *ends = (turn * number for number in (test.difference, test.interval.low, test.interval.high))
        values = test.system, test.baseline
        if gain < 0:
            systems, values, gain, ends = systems[::-1], values[::-1], -gain, [-end for end in ends]
        low, high = sorted(ends)
        shown, (first, second) = words.numbers(gain, low, high), words.numbers(*values)
        interval = "no interval can be known" if math.isnan(low) else words.interval(*shown[1:])
        by = f"{shown[0]}{words.unit} ({first} against {second}{words.less}), {interval}"
        better, other = systems
        how = f"{better} is ahead by {by}" if gain else f"both have {first}{words.unit}, {interval}"
        return cls(better, other, by, how, low > 0)


def _no_test(pair: str, test: PairedTest) -> str:
    """What is said of two systems that no test of these examples could have told apart."""
    if test.outcomes is None:
        return f"no test can tell {pair} apart"
    differing = test.outcomes.wins + test.outcomes.losses
    return f"{pair} differ on too few examples to be told apart ({differing:,} of {test.examples:,})"


def _not_apart(ahead: _Ahead, p_value: float, *, is_shown: bool) -> str:
    """What is said of two systems unless test and interval both show a difference."""
    if not is_shown and not ahead.excludes_none:
        return f"cannot be told apart: {ahead.how}"
    p = f"{p_value:.4f}" if p_value >= 0.0001 else "< 0.0001"
    return f"cannot surely be told apart: {ahead.how}, but the test says p {'' if p[0] == '<' else '= '}{p}, corrected"


def _slices_of_two(standings: Standings, found: Difference, holds: str) -> str:
    """In how many slices the difference has the same sign, and in how many the tests of slices show it."""
    comparison, alpha = standings.comparison, 1 - standings.sampling.level
    tested = [each for each in comparison.slices if not math.isnan(each.test.difference)] if comparison else []
    by_column = {column: [each for each in tested if each.column == column] for column in standings.columns}
    column = max(by_column, key=lambda name: len(by_column[name]), default="")
    slices = by_column.get(column, [])
    sign = found.test.difference
    if len(slices) < 2 or not sign or math.isnan(sign):
        return ""
    alike = [each for each in slices if each.test.difference * sign > 0]
    turned = [each for each in slices if each.test.difference * sign < 0 and each.p_holm < alpha]
    sure = sum(each.p_holm < alpha for each in alike)
    surely = f", significantly in {sure}" if sure else ""
    reverse = f", and is significantly the other way in {len(turned)}" if turned else ""
    return f"; the difference {holds} in {len(alike)} of {len(slices)} slices by {column}" + surely + reverse


def _slices_of_leaders(standings: Standings, found: Leaders, holds: str) -> str:
    sign, score = found.test.difference, standings.main_score
    counts: dict[str, list[float]] = {}
    for column in standings.columns:
        best, second = (standings.runs[name].by(column) for name in (found.best, found.second))
        differences = [best[label][score] - second[label][score] for label in best if label in second]
        counts[column] = [each for each in differences if not math.isnan(each)]
    column = max(counts, key=lambda name: len(counts[name]), default="")
    known = counts.get(column, [])
    if len(known) < 2 or not sign or math.isnan(sign):
        return ""
    alike = sum(each * sign > 0 for each in known)
    return f"; the difference {holds} in {alike} of {len(known)} slices by {column}"


def _against_baseline(standings: Standings) -> str:
    """How many systems are told apart from the baseline, and to which side."""
    words = _Words.of(standings)
    found = _main_differences(standings)
    sure = [each for each in found if each.p_holm < words.alpha]
    sign = -1 if words.less else 1
    better = sum(sign * each.test.difference > 0 for each in sure)
    worse = len(sure) - better
    parts = [
        (better, "significantly better"),
        (worse, "significantly worse"),
        (len(found) - len(sure), "not told apart"),
    ]
    told = ", ".join(f"{count} {what}" for count, what in parts if count)
    return f"Against the baseline {standings.baseline}, of {len(found)} systems: {told}."


def _few(standings: Standings) -> str:
    n = standings.base.n
    if n >= FEW:
        return ""
    verb = "is" if n == 1 else "are"
    return f"{_examples(n)} {verb} few: others of the same kind may give quite other scores."


def _examples(count: int) -> str:
    return f"{count:,} {'example' if count == 1 else 'examples'}"
