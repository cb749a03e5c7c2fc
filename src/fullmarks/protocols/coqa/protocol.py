"""CoQA: answers in conversations, each annotator left out in turn, by domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.coqa.files import Joined, joined_rows, read_coqa
from fullmarks.protocols.coqa.metric import CoqaScores
from fullmarks.protocols.coqa.rules import DOMAINS, OUT_OF_DOMAIN, RECIPE
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option, option
from fullmarks.readers.alignment import OnMissing, RepeatedGold, note_other_kind, note_without_references, settled
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Total

ALONE = FindingKind(
    "turns-of-one-annotator",
    "turns that only one annotator answered",
    "Give the development set's file with additional_answers, or leave --human out",
)


@dataclass(frozen=True, kw_only=True)
class Coqa(Protocol):
    """The CoQA evaluation."""

    name: ClassVar[str] = "coqa"
    title: ClassVar[str] = "CoQA: exact match and F1 of conversational answers, by domain"
    gold_format: ClassVar[str] = "CoQA JSON (coqa-dev-v1.0.json)"
    prediction_format: ClassVar[str] = "rows with id, turn_id and answer, or {'story turn': text}; none with --human"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lm-eval": "lm-evaluation-harness: answers equal up to case once, the last turn of each story alone; 0-1",
        "lm-eval-every-turn": "the same on every turn",
    }
    slices: ClassVar[tuple[str, ...]] = ("domain",)
    other_columns: ClassVar[tuple[str, ...]] = ("story", "turn", "question")
    scale: ClassVar[float] = 100.0
    recipe: ClassVar[str] = RECIPE.name
    repeated_gold: ClassVar[RepeatedGold] = "last"
    tells_ids_apart: ClassVar[bool] = True
    tables: ClassVar[str] = (
        "Both may also be tables (JSON lines, CSV, TSV, Parquet) with the columns id, prediction and references, "
        "and with domain or source."
    )

    human: bool = option(False, "Score the annotators themselves, each against the others; no PREDICTIONS.", kind=bool)
    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.human and (self.variant != "script" or self.extract is not None):
            what = "extract" if self.extract is not None else "variant"
            raise UsageError(f"human scores the annotators by the published program: leave {what} out")
        if self.variant != "script":
            object.__setattr__(self, "scale", 1.0)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables; with `human` the gold file alone."""
        if self.human:
            if predictions is not None:
                raise UsageError("human scores the annotators of the gold file: leave the predictions out")
            yield self._people(gold, audit)
            return
        joined = None if predictions is None else joined_rows(predictions, audit)
        pairing = self.pairing(
            partial(read_coqa, audit=audit), by, optional=("domain", "source", "story"), decisive=("domain",)
        )
        for examples in pairing.chunks(gold, joined and joined.source, audit):
            if joined is not None:
                self._note_other_stories(joined, examples, audit)
            note_without_references(examples, audit, gold.name, only_answered=True)
            _add_domains(examples, gold.name)
            yield examples

    def _note_other_stories(self, joined: Joined, examples: Examples, audit: Audit) -> None:
        """Record turns that meet only because the story's id, 7 in one file and "7" in the other, is joined here."""
        asked = dict(zip(examples.ids, examples.columns.get("story", ()), strict=False))
        changed = [turn for turn, story in joined.stories.items() if asked.get(turn, story) != story]
        note_other_kind(changed, (), audit, self.gaps, joined.source.name)

    def _people(self, gold: Source, audit: Audit) -> Examples:
        """Every turn with its references alone; one with a single annotator is an error."""
        turns = settled(read_coqa(gold, audit), self.repeated_gold, audit, gold.name)
        audit.gold = len(turns.ids)
        examples = Examples(turns.ids, [""] * len(turns.ids), turns.references, turns.columns, facts=turns.facts)
        examples = examples if self.limit is None else examples.part(0, self.limit)
        alone = [examples.ids[at] for at, golds in enumerate(examples.references) if len(golds) < 2]
        if alone:
            audit.add(ALONE, "error", alone, detail="people are scored against each other", where=gold.name)
        return examples

    def metrics(self) -> tuple[CoqaScores]:
        """Exact match and F1 as the variant has them."""
        is_harness = self.variant != "script"
        return (CoqaScores(people=self.human, harness=is_harness, last_turns=self.variant == "lm-eval"),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The official result is by domain."""
        del first
        return ("domain",) if self.variant == "script" else ()

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """Every domain, those of either kind together, all of them: each 0-100 with one digit; a harness's means."""
        del audit
        if self.variant != "script":
            return tally.metrics[0].finish(tally.totals()[0])
        found = tally.by("domain")
        totals = {name: found[name][0] if name in found else Total(0, (0.0, 0.0)) for name in DOMAINS.values()}
        inside = _together([total for name, total in totals.items() if name not in OUT_OF_DOMAIN])
        outside = _together([totals[name] for name in OUT_OF_DOMAIN])
        totals.update(in_domain=inside, out_domain=outside, overall=_together([inside, outside]))
        return {name: _published(total) for name, total in totals.items()}

    def signature(self) -> dict[str, str]:
        """As of every protocol; whether people were scored."""
        parts = super().signature()
        return {**parts, "scored": "annotators"} if self.human else parts


def _add_domains(examples: Examples, name: str) -> None:
    """The domain of every turn of a table, told from its source where only that is there."""
    columns = examples.columns
    if "domain" not in columns:
        if "source" not in columns:
            problem = "there is neither a column 'domain' nor 'source', and CoQA's result is by domain"
            raise InputError(name, problem, f"Add one: source is one of {', '.join(DOMAINS)}.")
        columns["domain"] = [DOMAINS.get(source, source) for source in columns["source"]]
    unknown = next((value for value in columns["domain"] if value not in DOMAINS.values()), None)
    if unknown is not None:
        raise InputError(name, f"{unknown!r} is no domain of CoQA", f"Expected one of {', '.join(DOMAINS.values())}.")


def _together(totals: list[Total]) -> Total:
    """The sums of several domains, added one after the other."""
    n, em, f1 = 0, 0.0, 0.0
    for total in totals:
        n, em, f1 = n + total.n, em + total.sums[0], f1 + total.sums[1]
    return Total(n, (em, f1))


def _published(total: Total) -> dict[str, Any]:
    em, f1 = (round(value / max(1, total.n) * 100, 1) for value in total.sums)
    return {"em": em, "f1": f1, "turns": total.n}
