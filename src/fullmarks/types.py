"""The values that pass between rooms: examples, totals, findings, explanations. No behaviour beyond their own data.

They are made without `dataclasses` and without the decoder, whose imports take longer than a small job.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fullmarks.frozen import declared, frozen, record

if TYPE_CHECKING:
    from fullmarks.showing import Shown

Identifier = str | int
Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""All levels, the gravest first."""

FIRST_IDS = 5
"""How many ids a finding remembers: enough to look at, never a flood."""
RECORD_KINDS = "record_kinds"
"""The fact that tells whose records are alike but for the answer: for each annotator the place of the first such
one; None where no two are alike."""


@frozen
class Example:
    """One question: what was answered, what would have been right, and the columns one may slice by."""

    id: Identifier
    prediction: Any
    references: list[Any]
    columns: dict[str, Any] = declared(default_factory=dict)
    parts: dict[str, Any] = declared(default_factory=dict)
    facts: dict[str, Any] = declared(default_factory=dict)

    def alone(self) -> Examples:
        """A chunk that holds this example only."""
        columns, parts, facts = (
            {name: [value] for name, value in values.items()} for values in (self.columns, self.parts, self.facts)
        )
        return Examples([self.id], [self.prediction], [self.references], columns, parts=parts, facts=facts)


@record
class Examples:
    """A chunk of examples held as columns: position i of every list belongs to the same example."""

    ids: Sequence[Identifier]
    predictions: list[Any]
    references: list[list[Any]]
    columns: dict[str, list[Any]] = declared(default_factory=dict)
    unanswered: tuple[int, ...] = ()
    """Positions without a prediction, to be counted as each metric says."""
    parts: dict[str, list[Any]] = declared(default_factory=dict)
    """What belongs to predictions beside their text, by name, and nobody slices by; None where a part is missing."""
    facts: dict[str, list[Any]] = declared(default_factory=dict)
    """What the rules need of the gold beside references, and nobody slices by."""

    def __len__(self) -> int:
        return len(self.predictions)

    def __getitem__(self, position: int) -> Example:
        columns, parts, facts = ({name: values[position] for name, values in named.items()} for named in self._named())
        return Example(self.ids[position], self.predictions[position], self.references[position], columns, parts, facts)

    def __iter__(self) -> Iterator[Example]:
        return (self[position] for position in range(len(self)))

    def extend(self, other: Examples) -> None:
        """Append the other's examples; where only one of the two has a column, the other's values are None."""
        offset = len(self)
        ids = self.ids if isinstance(self.ids, list) else list(self.ids)
        ids.extend(other.ids)
        self.ids = ids
        self.predictions.extend(other.predictions)
        self.references.extend(other.references)
        for ours, theirs in zip(self._named(), other._named(), strict=True):
            for name in theirs:
                ours.setdefault(name, [None] * offset)
            for name, values in ours.items():
                values.extend(theirs[name] if name in theirs else [None] * len(other))
        self.unanswered += tuple(offset + position for position in other.unanswered)

    def part(self, start: int, stop: int) -> Examples:
        """The examples from start up to stop."""
        return Examples(
            self.ids[start:stop],
            self.predictions[start:stop],
            self.references[start:stop],
            {name: values[start:stop] for name, values in self.columns.items()},
            tuple(position - start for position in self.unanswered if start <= position < stop),
            {name: values[start:stop] for name, values in self.parts.items()},
            {name: values[start:stop] for name, values in self.facts.items()},
        )

    def take(self, positions: Sequence[int]) -> Examples:
        """The examples at the given positions, in that order, as if all had a prediction."""
        columns, parts, facts = (
            {name: [values[position] for position in positions] for name, values in named.items()}
            for named in self._named()
        )
        return Examples(
            [self.ids[position] for position in positions],
            [self.predictions[position] for position in positions],
            [self.references[position] for position in positions],
            columns,
            parts=parts,
            facts=facts,
        )

    def _named(self) -> tuple[dict[str, list[Any]], ...]:
        return self.columns, self.parts, self.facts


@record
class Gold:
    """What would have been right, before any prediction is known; columns as in `Examples`."""

    ids: list[Identifier]
    references: list[list[Any]]
    columns: dict[str, list[Any]] = declared(default_factory=dict)
    facts: dict[str, list[Any]] = declared(default_factory=dict)


class Total(NamedTuple):
    """Column sums over n rows of a metric's statistics."""

    n: int
    sums: tuple[float, ...]


@frozen
class FindingKind:
    """What may be odd about an input: a code for programs, a text for people, and what to do about it."""

    code: str
    """Short, in lower case with hyphens, the same in every version."""
    text: str
    """What is counted, as it stands before the count; may hold `{words}` for `about`."""
    advice: str = ""
    """What to do next, without a full stop; empty where there is nothing to do."""
    for_errors_only: bool = False
    """Whether the advice is for an error alone: as a warning, a rule has settled it."""
    is_unreadable: bool = False
    """Whether it counts predictions in which the rule finds no answer: if all are such, scoring them is an error."""

    @classmethod
    def of(cls, text: str) -> FindingKind:
        """A kind of which only the text is known; the code is made of its words.

        >>> FindingKind.of("images that can't be read").code
        'images-that-can-t-be-read'
        """
        words = "".join(character if character.isalnum() else " " for character in text.lower()).split()
        return cls("-".join(words), text)

    def about(self, **words: str) -> FindingKind:
        """The kind with these words in their places in the text and, after the code, the first of them.

        >>> FindingKind("missing-part", "predictions without '{part}'").about(part="answer").code
        'missing-part:answer'
        """
        code = f"{self.code}:{next(iter(words.values()))}"
        text, advice = self.text.format(**words), self.advice.format(**words)
        return FindingKind(code, text, advice, self.for_errors_only, self.is_unreadable)


@record
class Finding:
    """One kind of thing that an audit found: how often, and where first."""

    code: str
    kind: str
    """The text of its kind."""
    level: Level
    count: int = 0
    first_ids: list[Identifier] = declared(default_factory=list)
    detail: str = ""
    where: str = ""
    """The file, where one is to blame."""
    advice: str = ""
    """What to do next, where there is something to do."""
    is_unreadable: bool = False
    """As in its kind."""

    def __str__(self) -> str:
        shown = ", ".join(repr(identifier) for identifier in self.first_ids)
        more = ", ..." if self.count > len(self.first_ids) else ""
        return self._told(f" (first ids: {shown}{more})" if shown else "")

    @property
    def brief(self) -> str:
        """The same without ids."""
        return self._told("")

    def _told(self, ids: str) -> str:
        detail = f"; {self.detail}" if self.detail else ""
        return f"{self.kind}: {self.count}{ids}{detail}"


@frozen
class Change:
    """A prediction before and after something was taken out of it."""

    id: Identifier
    before: str
    after: str


@record
class Audit:
    """What was read, what was scored and what was odd about it. Nothing is dropped without a count here."""

    gold: int = 0
    predictions: int = 0
    scored: int = 0
    findings: dict[str, Finding] = declared(default_factory=dict)
    """By code."""
    extracted: list[Change] = declared(default_factory=list)
    """The first predictions that extraction changed."""

    def add(
        self,
        kind: FindingKind | str,
        level: Level,
        ids: Sequence[Identifier] = (),
        *,
        count: int | None = None,
        detail: str = "",
        where: str = "",
    ) -> None:
        """Record ids (or a bare count) under a kind, or a text that makes one; the first detail stays."""
        if isinstance(kind, str):
            kind = FindingKind.of(kind)
        finding = self.findings.get(kind.code)
        if finding is None:
            advice = "" if kind.for_errors_only and level != "error" else kind.advice
            unreadable = kind.is_unreadable
            finding = Finding(
                kind.code, kind.text, level, detail=detail, where=where, advice=advice, is_unreadable=unreadable
            )
            self.findings[kind.code] = finding
        finding.count += len(ids) if count is None else count
        room = FIRST_IDS - len(finding.first_ids)
        if room > 0:
            finding.first_ids.extend(ids[:room])

    def merge(self, other: Audit) -> None:
        """Take in what was found in the next piece of the same input."""
        self.gold += other.gold
        self.predictions += other.predictions
        self.scored += other.scored
        for code, found in other.findings.items():
            ours = self.findings.get(code)
            if ours is None:
                self.findings[code] = found
                continue
            ours.count += found.count
            ours.first_ids.extend(found.first_ids[: FIRST_IDS - len(ours.first_ids)])
        self.extracted.extend(other.extracted[: FIRST_IDS - len(self.extracted)])

    @property
    def in_order(self) -> list[Finding]:
        """All findings: errors, then warnings, then notes, each by code.

        That is one order however the input was cut. The order in which they were made depends on where the pieces end.
        """
        return sorted(self.findings.values(), key=lambda finding: (LEVELS.index(finding.level), finding.code))

    def at_level(self, level: Level) -> list[Finding]:
        """The findings of one level, by code."""
        return [finding for finding in self.in_order if finding.level == level]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        changes = [{"id": each.id, "before": each.before, "after": each.after} for each in self.extracted]
        return {
            "gold": self.gold,
            "predictions": self.predictions,
            "scored": self.scored,
            "findings": [
                {
                    "code": finding.code,
                    "kind": finding.kind,
                    "level": finding.level,
                    "count": finding.count,
                    "first_ids": list(finding.first_ids),
                    "detail": finding.detail,
                    "where": finding.where,
                    "advice": finding.advice,
                }
                for finding in self.in_order
            ],
            **({"extracted": changes} if changes else {}),
        }

    def __repr__(self) -> str:
        return self._shown().text

    def _repr_html_(self) -> str:
        return self._shown().html

    def _shown(self) -> Shown:
        from fullmarks.showing import Shown, Table, figure

        rows = [
            (found.level, found.kind, figure(found.count), ", ".join(map(str, found.first_ids[:2])))
            for found in self.in_order
        ]
        title = f"audit: {self.gold:,} questions, {self.predictions:,} predictions, {self.scored:,} scored"
        header = ("level", "finding", "count", "first ids")
        return Shown(title, (Table(header, rows, (2,)),)) if rows else Shown(title, notes=("nothing odd",))


@frozen
class Explanation:
    """Why one example got its scores: named facts, then tables whose rows share their keys."""

    id: Identifier
    scores: dict[str, float]
    facts: dict[str, Any] = declared(default_factory=dict)
    tables: dict[str, list[dict[str, Any]]] = declared(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"id": self.id, "scores": self.scores, **self.facts, **self.tables}

    def __repr__(self) -> str:
        return self._shown().text

    def _repr_html_(self) -> str:
        return self._shown().html

    def _shown(self) -> Shown:
        from fullmarks.showing import Shown, Table, figure

        scores = ", ".join(f"{name} {figure(value)}" for name, value in self.scores.items())
        tables = [Table((), [(name, _cell(value)) for name, value in self.facts.items()])] if self.facts else []
        for title, records in self.tables.items():
            names = tuple(dict.fromkeys(name for record in records for name in record))
            rows = [tuple(_cell(record.get(name, "")) for name in names) for record in records]
            tables.append(Table(names, rows, title=title))
        return Shown(f"{self.id!r}: {scores}", tuple(tables))


def _cell(value: Any) -> str:
    """A value of an explanation as it is seen: a number shortly, a list as its items."""
    from fullmarks.showing import figure

    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return figure(value) if isinstance(value, float) else str(value)
