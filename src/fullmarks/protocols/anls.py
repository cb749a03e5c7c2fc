"""What the benchmarks share that are scored by ANLS: the readings of its rule, types of questions, what it gives away.

A subclass says where the files have what, which reading is its published one, and which types of questions there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from msgspec.structs import replace

from fullmarks.checks import are_labels, each_label
from fullmarks.errors import InputError
from fullmarks.metrics.anls import Anls
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol, option
from fullmarks.readers.alignment import REPEATED_GOLD, RepeatedGold, note_without_references
from fullmarks.readers.predictions import REPEATED, OnDuplicate
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold, Total

BLANKS = FindingKind(
    "padded-answers",
    "answers that score higher for the white space in them",
    "Strip the predictions, so that only words count",
)
LETTERS = FindingKind(
    "answers-read-by-letters",
    "questions whose gold answers are one text, read letter by letter",
    "Write the answers as a list of texts",
)
EMPTY_PAIRS = FindingKind(
    "empty-pairs",
    "empty answers to questions with an empty gold answer",
    "Correct the gold, or score by the rule of the RRC script",
)


class Types(NamedTuple):
    """One kind of types that a question may have several of: its official key, its column, its published names."""

    key: str
    column: str
    names: Mapping[str, str] = {}
    """The published name of each; where there are none, the types stand as they are, in order of first appearance."""

    def check(self, found: Mapping[Any, Any]) -> None:
        """An error where the published script fails: at a question without types, at an unknown or an absent type."""
        if not found or None in found:
            problem = f"questions lack the field '{self.column}', so there is no score by {self.key}"
            raise InputError("gold", problem, "Leave --answer-types out, or give every question its types.")
        names = list(dict.fromkeys(self.names.values()))
        unknown = [name for name in found if names and name not in names]
        if unknown:
            problem = f"'{unknown[0]}' is none of the published {self.key}: {', '.join(self.names)}"
            raise InputError("gold", problem, "Correct it, or leave --answer-types out: -f full shows every type.")
        absent = [name for name in names if name not in found]
        if absent:
            problem = f"no question has one of the {self.key} '{absent[0]}', and the published script then divides by 0"
            raise InputError("gold", problem, "Leave --answer-types out: -f full shows the types that occur.")


class Tool(NamedTuple):
    """How a tool computes the score."""

    reading: str
    scale: float = 1.0


TOOLS = {
    "lmms-eval": Tool("rrc"),
    "VLMEvalKit": Tool("rrc", 100.0),
    "mmf": Tool("mmf"),
    "pix2struct": Tool("pix2struct", 100.0),
    "rrc": Tool("rrc"),
}
MEANINGS = {
    "lmms-eval": "lmms-eval's anls: the rule of the RRC script",
    "VLMEvalKit": "VLMEvalKit's anls: the rule of the RRC script, times 100",
    "mmf": "mmf's ANLS: white space around texts does not count, that inside does",
    "pix2struct": "pix2struct's anls, times 100: lower case alone, and a similarity of just the threshold is 0",
    "rrc": "the RRC script of DocVQA on the same answers",
}


@dataclass(frozen=True, kw_only=True)
class AnlsProtocol(Protocol):
    """A benchmark that is scored by ANLS."""

    reading: ClassVar[str] = "rrc"
    """The published reading of its rule."""
    types: ClassVar[tuple[Types, ...]] = ()
    """The types that its questions have."""
    repeated_gold: ClassVar[RepeatedGold] = "each"

    strict: bool = option(True, "Make predictions for unknown questions an error.", kind=bool)
    threshold: float = option(0.5, "Similarities below it count 0.", flags=("--threshold", "-t"), kind=float)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.anls  # noqa: B018 - a threshold out of range is an error now

    @property
    def tool(self) -> Tool:
        """How the score is computed in this variant."""
        return TOOLS.get(self.variant, Tool(self.reading))

    @property
    def anls(self) -> Anls:
        """The metric in this variant."""
        return Anls(self.tool.reading, self.threshold)

    def metrics(self) -> tuple[Metric, ...]:
        """ANLS."""
        return (self.anls,)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; what the rule rewards without reason is counted."""
        seen: dict[str, dict[Any, None]] = {}
        pairing = self.pairing(lambda source: self._read_gold(source, audit), by, optional=self.slices)
        if predictions is not None and self.on_duplicate == "error":  # a question twice in both files is none
            pairing = replace(pairing, gaps=replace(self.gaps, on_duplicate="last"))
        for examples in pairing.chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            for kind in self.types:
                _name_types(examples, kind)
            _note_empty_pairs(examples, audit, self.anls, "script" if self.reading == "rrc" else "rrc")
            _note_blanks(examples, audit, self.anls)
            yield examples
            for kind in self.types:
                seen.setdefault(kind.key, {}).update(dict.fromkeys(_types_of(examples, kind)))
        if getattr(self, "answer_types", False):
            for kind in self.types:
                kind.check(seen.get(kind.key, {}))
        _settle_repeats(audit, self.on_duplicate)

    def _read_gold(self, source: Source, audit: Audit) -> Gold:
        """The gold; the RRC script walks through `answers`, and so takes one text letter by letter."""
        return self.read_gold(_with_letters(source, audit) if self.reading == "rrc" else source)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The types that the questions have."""
        return tuple(kind.column for kind in self.types if kind.column in first.columns)

    def scaled(self, total: Total) -> float:
        """The mean of ANLS in this variant's scale, in its order of operations."""
        if self.variant == "pix2struct":
            return self.tool.scale * total.sums[0] / total.n
        return total.sums[0] / total.n * self.tool.scale

    def scores_by_types(self, tally: Tally) -> dict[str, dict[str, float]]:
        """The score of every type of question; an error where the published script fails."""
        return {kind.key: self._by_type(kind, tally) for kind in self.types}

    def _by_type(self, kind: Types, tally: Tally) -> dict[str, float]:
        found = tally.by(kind.column) if kind.column in tally.columns else {}
        kind.check(found)
        if not kind.names:
            return {str(name): self.scaled(totals[0]) for name, totals in found.items()}
        names = list(dict.fromkeys(kind.names.values()))
        return {name: self.scaled(found[name][0]) for name in names}

    def signature(self) -> dict[str, str]:
        """The reading, the threshold and the rules for gaps."""
        return {"anls": self.tool.reading, "threshold": str(self.threshold), **super().signature()}


def _types_of(examples: Examples, kind: Types) -> list[Any]:
    """Every type that a question of these has; None where one lacks the field."""
    return each_label(examples.columns.get(kind.column, [None] * len(examples)))[1]


def _name_types(examples: Examples, kind: Types) -> None:
    """The types of every question as a tuple of published names; None stays where a question lacks the field."""
    values = examples.columns.get(kind.column)
    if values is not None:
        names = kind.names
        if not are_labels([tuple(value) if isinstance(value, list) else value for value in values]):
            problem = f"'{kind.column}' must hold texts or lists of texts"
            raise InputError("gold", problem, "Write the types of every question as a list of texts.")
        examples.columns[kind.column] = [
            tuple(names.get(each, each) for each in value)
            if isinstance(value, (list, tuple))
            else names.get(value, value)
            for value in values
        ]


def _with_letters(source: Source, audit: Audit) -> Source:
    """The source as objects, with a list of letters where the answers to a question are one text."""
    values = read_values(source)
    rows = values.get("data") if isinstance(values, dict) else None
    one_text = [row for row in rows if _has_one_text(row)] if isinstance(rows, list) else []
    if not one_text:
        return source.holding(values)
    ids = [row.get("questionId") for row in one_text]
    audit.add(LETTERS, "warning", ids, detail="as the published script does", where=source.name)
    listed = [{**row, "answers": list(row["answers"])} if _has_one_text(row) else row for row in values["data"]]
    return source.holding({**values, "data": listed})


def _has_one_text(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("answers"), str)


def _settle_repeats(audit: Audit, on_duplicate: OnDuplicate) -> None:
    """Repeated predictions are an error, as in the published script, unless the gold repeats the same questions; and
    the other way round, for the script wants as many answers as questions.
    """
    ours, theirs = audit.findings.get(REPEATED.code), audit.findings.get(REPEATED_GOLD.code)
    if ours is None:
        if theirs is not None:
            theirs.detail = "they have one answer, where the RRC script wants as many answers as questions"
            if on_duplicate == "error":
                theirs.level, theirs.advice = "error", "Answer each of them, or pass --on-duplicate last"
            else:
                theirs.detail += "; it counts for each of them"
        return
    if on_duplicate != "error":
        return
    is_same = theirs is not None and ours.count == theirs.count
    if theirs is not None and ours.count == len(ours.first_ids):  # all ids are known, so they can be compared
        is_same = sorted(map(str, ours.first_ids)) == sorted(map(str, theirs.first_ids))
    if is_same:
        ours.detail = "the gold repeats these questions; the last answer counts for each, as in the published script"
    else:
        ours.level, ours.advice = "error", REPEATED.advice


def _note_empty_pairs(examples: Examples, audit: Audit, anls: Anls, rrc: str) -> None:
    """Record the pairs that are empty: the programs divide by 0 there, but for the RRC script, the variant `rrc`."""
    if anls.reading == "rrc":
        return
    prepare, without = anls.rules.prepare, set(examples.unanswered)
    empty = [
        examples.ids[at]
        for at, text in enumerate(examples.predictions)
        if at not in without
        and not prepare(text).length
        and any(not prepare(gold).length for gold in examples.references[at])
    ]
    if empty:
        detail = f"{anls.reading} divides by zero there, --variant {rrc} does not"
        audit.add(EMPTY_PAIRS, "error", empty, detail=detail)


def _note_blanks(examples: Examples, audit: Audit, anls: Anls) -> None:
    """Record the answers that would score less without the white space in them: blanks only make a text longer."""
    if anls.reading != "rrc":
        return
    bare = [" ".join(text.split()) for text in examples.predictions]
    padded = [at for at, text in enumerate(examples.predictions) if len(text) != len(bare[at])]
    if not padded:
        return
    some = examples.take(padded)
    with_blanks = anls.rows(some)
    some.predictions = [bare[at] for at in padded]
    without = anls.rows(some)
    rewarded = [examples.ids[at] for place, at in enumerate(padded) if with_blanks[place] > without[place]]
    if rewarded:
        detail = (
            "the rule divides by the length of the text as it came, so blanks around a wrong answer make it count as "
            "nearly right"
        )
        audit.add(BLANKS, "warning", rewarded, detail=detail)
