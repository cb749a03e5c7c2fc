"""Whether a run is good enough: thresholds on official numbers, and differences from an earlier run.

A run that is partial or not comparable meets no condition. Names and numbers are the official ones: `f1=80` for SQuAD,
`overall=70` for VQA, `perAnswerType.number=40` for a number inside of another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.fingerprint import rules_changed, version_changed
from fullmarks.analysis.published import score_named
from fullmarks.checks import shown_path
from fullmarks.errors import InputError, MismatchError, UsageError
from fullmarks.readers.alignment import MISSING
from fullmarks.readers.documents import is_finite_number, kind_of, read_plain
from fullmarks.readers.saved_run import FORMAT
from fullmarks.readers.source import Source
from fullmarks.result import Result, flat_numbers, rules_part

_WRITE_ONE = "Write a result with: fullmarks score ... -o FILE."
_SAVE_ROWS = "save the baseline with: fullmarks score ... -f full -o FILE"
_NO_SCORE = "it is no score over all examples"
MOST_DIGITS = 17
LARGEST_MARGIN = 0.25
"""The part of the scale that no margin reaches."""


@dataclass(frozen=True)
class Check:
    """One condition and whether it is met; the reason is a sentence either way."""

    name: str
    passed: bool
    reason: str
    brief: str = ""
    """The same for people: with no more digits than it takes to see by how much."""
    doubt: str = ""
    """What to know of the earlier run where it was not scored by the same rules; it stands in the reasons too."""

    def __str__(self) -> str:
        return f"{'met' if self.passed else 'not met'}: {self.name}: {self.brief or self.reason}"


@dataclass(frozen=True)
class Bound:
    """The official number must be at least this much or, where less is better, at most."""

    key: str
    bound: float
    at_least: bool = True

    def __str__(self) -> str:
        return f"{self.key} {'>=' if self.at_least else '<='} {_as_given(self.bound)}"

    def check(self, numbers: dict[str, float], result: Result) -> Check:
        """Whether the number is on the right side of the bound; an undefined one is on neither."""
        value = official_number(numbers, self.key, result.protocol)
        passed = value >= self.bound if self.at_least else value <= self.bound
        relation = "meets" if passed else "is under" if self.at_least else "is over"
        reason = f"{self.key} {value!r} {relation} {self.bound!r}"
        return Check(str(self), passed, reason, self._brief(value, relation, result.scale))

    def _brief(self, value: float, relation: str, scale: float) -> str:
        """The number, the bound and how far they are apart."""
        bound = _as_given(self.bound)
        if math.isnan(value):
            return f"{self.key} is undefined, which meets no bound"
        gap = abs(value - self.bound)
        digits = 0 if isinstance(value, int) and self.bound.is_integer() else _digits(gap, scale)
        far = f"by {gap:.{digits}f}" if gap else "exactly"
        return f"{self.key} {value:.{digits}f} {relation} {bound} {far}"


Rule = Literal["evidence", "proof", "points"]
RULES: dict[Rule, str] = {
    "evidence": "fails where the examples show that more than the margin was lost",
    "proof": "passes only where they show that it was not",
    "points": "compares the two numbers, chance or not",
}
SURENESS = 0.95
"""How sure a paired, one-sided bound has to be."""


@dataclass(frozen=True)
class FailIfWorse:
    """The official number must not be worse than that of an earlier run by more than the margin."""

    path: str
    key: str
    margin: float = 0.0
    rule: Rule = "evidence"

    def __str__(self) -> str:
        return f"{self.key} no worse than {shown_path(self.path)} by more than {_as_given(self.margin)}"

    def check(self, numbers: dict[str, float], result: Result) -> Check:
        """Whether the number stays within the margin of the earlier one; a baseline of other rules is told of."""
        earlier = read_baseline(self.path)
        found = self._checked(numbers, result, earlier)
        doubt = earlier.doubt(result, shown_path(self.path))
        if not doubt:
            return found
        brief = f"{found.brief}; warning: {doubt}" if found.brief else ""
        return replace(found, reason=f"{found.reason}; warning: {doubt}", brief=brief, doubt=doubt)

    def _checked(self, numbers: dict[str, float], result: Result, earlier: Baseline) -> Check:
        value = official_number(numbers, self.key, result.protocol)
        obstacle = earlier.obstacle(result)
        if obstacle:
            return Check(str(self), False, f"{shown_path(self.path)} cannot be compared with: {obstacle}")
        if self.key not in earlier.numbers:
            return Check(str(self), False, f"{shown_path(self.path)} has no number '{self.key}'")
        before = earlier.numbers[self.key]
        told = _Told(
            f"{self.key} {value!r} against {before!r} before", _beside(self.key, value, before, scale=result.scale)
        )
        score = score_named(result, self.key)
        if score is not None:
            _question_margin(self.margin, result.scale)
        loss = None if self.rule == "points" else _loss(result, earlier.run, score)
        if loss is not None:
            return self._by_bound(loss, told)
        without = f"{shown_path(self.path)} holds no rows; {_SAVE_ROWS}" if earlier.run is None else _NO_SCORE
        if self.rule == "proof":
            return told.check(self, False, f"nothing can be shown by examples: {without}")
        sign = -1.0 if less_is_better(result, self.key) else 1.0
        passed = sign * value >= sign * before - self.margin
        verdict = "within" if passed else "worse by more than"
        chance = "" if self.rule == "points" else f", by points alone: {without}"
        return told.check(self, passed, f"{verdict} the margin {self.margin!r}{chance}")

    def _by_bound(self, loss: tuple[float, float], told: _Told) -> Check:
        """By the least and the most that may have been lost."""
        least, most = loss
        lost = f"at {SURENESS:.0%} sureness the loss is at least {least:.4g} and at most {most:.4g}"
        if self.rule == "proof":
            passed = most <= self.margin
            verdict = "shown to be within" if passed else "not shown to be within"
        else:
            passed = least <= self.margin
            verdict = "not shown to be worse by more than" if passed else "worse by more than"
        return told.check(self, passed, f"{verdict} the margin {self.margin!r}; {lost}")


@dataclass(frozen=True)
class _Told:
    """The number and the earlier one in a sentence: with all digits, and for people."""

    in_full: str
    brief: str

    def check(self, condition: FailIfWorse, passed: bool, why: str) -> Check:
        return Check(str(condition), passed, f"{self.in_full}: {why}", f"{self.brief}: {why}")


def _beside(key: str, value: float, before: float, *, scale: float) -> str:
    """A number beside an earlier one, with the change between them."""
    digits = _digits(abs(value - before), scale)
    return f"{key} {value:.{digits}f} ({value - before:+.{digits}f}) against {before:.{digits}f} before"


def _digits(gap: float, scale: float) -> int:
    """How many decimals show two numbers that lie so far apart as different: those of the scale or more."""
    usual = 2 if scale >= 10 else 4
    if not gap or not math.isfinite(gap):
        return usual
    return min(max(usual, -math.floor(math.log10(gap))), MOST_DIGITS)


Condition = Bound | FailIfWorse


@dataclass(frozen=True)
class Verdict:
    """What the conditions came to."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every condition is met."""
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> list[str]:
        """Why not, one line for each condition that is not met."""
        return [f"not met: {check.name}: {check.reason}" for check in self.checks if not check.passed]

    @property
    def lines(self) -> list[str]:
        """All for people: a line for each condition, those that are not met last, and then the verdict."""
        word = "met" if self.passed else "not met"
        if len(self.checks) == 1:
            return [f"gate: {self.checks[0]}"]
        count = f"all {len(self.checks)}" if self.passed else f"{len(self.reasons)} of {len(self.checks)}"
        return [*map(str, sorted(self.checks, key=lambda each: not each.passed)), f"gate: {word}: {count} conditions"]


@dataclass(frozen=True)
class Baseline:
    """An earlier result: its official numbers and, where the file tells, what they are numbers of."""

    numbers: dict[str, float]
    protocol: str | None = None
    signature: str | None = None
    n: int | None = None
    run: Result | None = None
    """The run itself, where the file is a saved one."""

    def obstacle(self, result: Result) -> str:
        """Why a result cannot be compared with this one; empty when it can."""
        if self.protocol is not None and self.protocol != result.protocol:
            return f"it was scored by {self.protocol}, this run by {result.protocol}"
        if self.n is not None and self.n != result.n:
            return f"it scored {self.n} examples, this run {result.n}"
        if self.signature is not None and rules_part(self.signature) != rules_part(result.signature):
            return f"it was scored by other rules: {self.signature}, this run by {result.signature}"
        if self.run is not None and result.tally.keep:
            from fullmarks.analysis.pairs import pair

            try:
                pair(result, self.run, ("this run", "it"))
            except MismatchError as error:
                return str(error)
        return ""

    def doubt(self, result: Result, name: str) -> str:
        """What to know where the baseline was not scored by the rules of this run; else empty."""
        if self.run is not None:
            return rules_changed(result, self.run, "this run", name)
        return version_changed(result, self.signature, "this run", name)


def _loss(result: Result, earlier: Result | None, score: str | None) -> tuple[float, float] | None:
    """The least and the most that was lost since, in the official scale; None without rows of the score.

    Each of the two is a one-sided bound over the examples in pairs.
    """
    if earlier is None or score is None or not result.tally.keep:
        return None
    from fullmarks.analysis.compare import difference_of  # NumPy, which bounds alone do not need

    interval = difference_of(result, earlier, score, level=2 * SURENESS - 1).interval
    ends = result.scale * interval.low, result.scale * interval.high
    if not all(map(math.isfinite, ends)):
        return None
    return ends if less_is_better(result, score) else (-ends[1], -ends[0])


def _question_margin(margin: float, scale: float) -> None:
    """An error for a margin that no gate can mean: it is likely to be in another scale."""
    if margin >= LARGEST_MARGIN * scale:
        raise UsageError(
            f"a margin of {_as_given(margin)} lets {margin / scale:.0%} of the whole range be lost: margins are in the "
            f"protocol's own scale, which ends at {_as_given(scale)}. Write {_as_given(scale / 200)} for half a point"
        )


def judge(result: Result, conditions: Sequence[Condition]) -> Verdict:
    """Check every condition; on a partial run each of them fails, and says why."""
    gap = partial_reason(result)
    if gap:
        return Verdict(tuple(Check(str(condition), False, f"the run is partial: {gap}") for condition in conditions))
    numbers = flat_numbers(result.official)
    return Verdict(tuple(condition.check(numbers, result) for condition in conditions))


def partial_reason(result: Result) -> str:
    """What part of the questions a result leaves out; empty when it leaves out none."""
    limit = result.options.get("limit")
    if limit is not None:
        return f"only the first {limit} questions were to be scored (--limit)"
    audit = result.audit
    skipped = audit.gold - result.n
    if skipped > 0:
        missing = audit.findings.get(MISSING.code)
        why = " (--on-missing skip)" if missing else ""
        return f"{skipped} of {audit.gold} questions were left out{why}"
    return "" if result.n else "no question was scored"


def parse_bound(text: str, *, at_least: bool = True) -> Bound:
    """`f1=80` as a condition."""
    key, equals, number = text.rpartition("=")
    if not equals or not key.strip() or not _is_number(number):
        raise UsageError(f"expected NAME=NUMBER, as in f1=80, found '{text}'")
    return Bound(key.strip(), float(number), at_least)


def parse_fail_if_worse(text: str, rule: Rule = "evidence") -> FailIfWorse:
    """`baseline.json:f1:0.5` as a condition; without a margin nothing may be lost."""
    named, _, last = text.rpartition(":")
    margin = 0.0
    if named.count(":") and _is_number(last):
        margin = float(last)
    else:
        named = text
    path, _, key = named.rpartition(":")
    if not path or not key.strip() or margin < 0:
        raise UsageError(
            f"expected FILE:NAME or FILE:NAME:MARGIN, as in baseline.json:f1:0.5, found '{shown_path(text)}'"
        )
    return FailIfWorse(path, key.strip(), margin, rule)


def official_number(numbers: dict[str, float], key: str, protocol: str) -> float:
    """The official number of that name, or an error that lists the names there are."""
    if key not in numbers:
        from difflib import get_close_matches

        near = get_close_matches(key, numbers, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UsageError(f"the result of {protocol} has no number '{key}'.{hint} It has {', '.join(numbers)}")
    return numbers[key]


def read_baseline(path: Any) -> Baseline:
    """An earlier result from a saved run, which must not be damaged, a full result or the official JSON alone."""
    source = Source(path, "baseline")
    document = read_plain(source)
    if not isinstance(document, dict):
        raise InputError(source.name, "expected a result as a JSON object", _WRITE_ONE)
    baseline = _saved_baseline(source) if document.get("format") == FORMAT else _plain_baseline(document, source.name)
    if not baseline.numbers:
        raise InputError(source.name, "there is no number in it", _WRITE_ONE)
    for key, number in baseline.numbers.items():
        if not is_finite_number(number):
            shown = "a number that is too large" if isinstance(number, int) else repr(number)
            raise InputError(source.name, f"'{key}' must be a finite number, found {shown}", _WRITE_ONE)
    return baseline


def _saved_baseline(source: Source) -> Baseline:
    from fullmarks.analysis.saved import read_run

    run = read_run(source)
    return Baseline(flat_numbers(run.official), run.protocol, run.signature, run.n, run)


def _plain_baseline(document: dict[str, Any], name: str) -> Baseline:
    official = document.get("official")
    if not isinstance(official, dict) or "protocol" not in document:
        return Baseline(flat_numbers(document))
    facts = {key: document.get(key) for key in ("protocol", "signature", "n")}
    for key, value in facts.items():
        wanted, words = (int, "a whole number") if key == "n" else (str, "a string")
        if value is not None and type(value) is not wanted:
            raise InputError(name, f"'{key}' must be {words}, found {kind_of(value)}", _WRITE_ONE)
    return Baseline(flat_numbers(official), **facts)


def _as_given(number: float) -> str:
    """The number with all its digits, a whole one without its fraction."""
    return repr(number).removesuffix(".0")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
