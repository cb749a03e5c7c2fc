"""The same predictions under other rules, side by side, with the examples that make the numbers differ.

The answer to: why does another library give me another number?
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from fullmarks.analysis.pairs import alone
from fullmarks.evaluate import score
from fullmarks.metrics.compensated import CompensatedTally
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.result import finished
from fullmarks.showing import Shown, ShowsItself, Table, figure, scaled
from fullmarks.types import Audit, Examples, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result


@dataclass(frozen=True)
class DifferingExample:
    """One example that another rule scores differently."""

    id: Identifier
    prediction: Any
    references: list[Any]
    scores: dict[str, float]
    """By the protocol itself; only the scores that differ."""
    other_scores: dict[str, float]


@dataclass(frozen=True)
class OtherNumbers:
    """The numbers under one other rule, from 0 to 1, and all examples that it scores differently."""

    name: str
    description: str
    scores: dict[str, float]
    differing: tuple[DifferingExample, ...]
    official: dict[str, Any] | None = None
    """The official result, where the rule is the published program itself on another Python."""


@dataclass(frozen=True, repr=False)
class Crosscheck(ShowsItself):
    """A run beside the numbers that other rules give to the same predictions."""

    protocol: str
    signature: str
    scale: float
    n: int
    scores: dict[str, float]
    rules: tuple[OtherNumbers, ...]
    audit: Audit
    official: dict[str, Any]

    def _shown(self) -> Shown:
        rows = [("official", *(scaled(value, self.scale) for value in self.scores.values()), "")]
        for rule in self.rules:
            values = (rule.scores.get(name) for name in self.scores)
            rows.append((rule.name, *(scaled(value, self.scale) for value in values), figure(len(rule.differing))))
        header = ("rule", *self.scores, "examples that differ")
        return Shown(f"{self.protocol}: {self.n:,} examples", (Table(header, rows, tuple(range(1, len(header)))),))

    def to_dict(self, examples: int = 5) -> dict[str, Any]:
        """Plain data for JSON, with so many of the differing examples of each rule; scores from 0 to 1."""
        return {
            "protocol": self.protocol,
            "signature": self.signature,
            "scale": self.scale,
            "n": self.n,
            "scores": self.scores,
            "official": self.official,
            "audit": self.audit.to_dict(),
            "rules": [
                {
                    "name": rule.name,
                    "description": rule.description,
                    "scores": rule.scores,
                    **({} if rule.official is None else {"official": rule.official}),
                    "differing": len(rule.differing),
                    "examples": [asdict(example) for example in rule.differing[:examples]],
                }
                for rule in self.rules
            ],
        }


def crosscheck(protocol: str, gold: Any, predictions: Any = None, **options: Any) -> Crosscheck:
    """Score once as the protocol does, and again by every declared variant and by the rules of other tools."""
    return crosscheck_result(score(protocol, gold, predictions, **options))


def crosscheck_result(result: Result) -> Crosscheck:
    """The same for a result at hand, whose examples were kept."""
    rules = result.rules
    own = alone(result.tally).scores
    others = tuple(_other(alternative, result, own, rules) for alternative in alternatives(rules))
    return Crosscheck(
        result.protocol,
        result.signature,
        result.scale,
        result.n,
        result.scores,
        others,
        result.audit,
        result.official,
    )


def alternatives(rules: Protocol) -> tuple[OtherRule, ...]:
    """The declared variants of a protocol, then what other tools do; empty where nothing is known."""
    others = [replace(rules, variant=name) for name in rules.variants if name != rules.variant]
    variants = [
        OtherRule(f"variant {other.variant}", rules.variants[other.variant], other.metrics(), prepare=other.reread)
        for other in others
    ]
    return (*variants, *rules.other_rules())


def _other(rule: OtherRule, result: Result, own: dict[str, list[float]], rules: Protocol) -> OtherNumbers:
    examples = result.tally.examples
    changed = examples if rule.prepare is None else rule.prepare(examples)
    tally = Tally(rule.metrics) if rule.integers is None else CompensatedTally(rule.metrics, rule.integers(changed))
    tally.add(changed, chunk_rows(rule.metrics, changed))
    theirs = alone(tally).scores
    shared = [name for name in own if name in theirs]
    found = []
    for at, position in _met(examples, changed):
        differing = [name for name in shared if _change(own[name][at], theirs[name][position])]
        if differing:
            found.append(
                DifferingExample(
                    examples.ids[at],
                    examples.predictions[at],
                    examples.references[at],
                    {name: own[name][at] for name in differing},
                    {name: theirs[name][position] for name in differing},
                )
            )
    found.sort(key=_largest_change, reverse=True)
    scores = finished(tally, tally.totals())
    official = rules.official(tally, result.audit) if rule.is_elsewhere else None
    return OtherNumbers(rule.name, rule.description, scores, tuple(found), official)


def _met(examples: Examples, changed: Examples) -> Iterator[tuple[int, int]]:
    """The positions of the same question on both sides; a rule may leave questions out."""
    if changed is examples:
        return zip(range(len(examples)), range(len(examples)), strict=True)
    places = {identifier: position for position, identifier in enumerate(changed.ids)}
    return ((at, places[found]) for at, found in enumerate(examples.ids) if found in places)


def _largest_change(example: DifferingExample) -> float:
    return max(_change(example.scores[name], example.other_scores[name]) for name in example.scores)


def _change(own: float, other: float) -> float:
    """How far two scores are apart: not at all if neither is defined, and as far as can be if only one is."""
    if math.isnan(own) or math.isnan(other):
        return 0.0 if math.isnan(own) and math.isnan(other) else math.inf
    return abs(own - other)
