"""2WikiMultihopQA: answers, supporting facts, evidence triples and all three together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from fullmarks.metrics.joint import JOINT, joint_columns
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import duplicate_option, missing_option, option
from fullmarks.protocols.twowiki.files import Aliases, is_evidence, is_fact, is_triple, read_twowiki
from fullmarks.protocols.twowiki.metric import ANSWER, FACTS, PREFIXES, TRIPLES, TwowikiScores
from fullmarks.protocols.twowiki.rules import RECIPE
from fullmarks.protocols.with_parts import Items, WithParts, part_keys
from fullmarks.readers.alignment import OnMissing, RepeatedGold
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

NAMES = part_keys(joint_columns(PREFIXES), (*PREFIXES, JOINT))
BAD_FACTS = FindingKind(
    "facts-without-title",
    "supporting facts that are not lists that begin with a title",
    "Write each as a title and the number of a sentence: [title, 0]",
)
BAD_TRIPLES = FindingKind(
    "bad-evidence", "predictions whose evidence is not lists of texts", "Write each as [subject, relation, object]"
)
NOT_TRIPLES = FindingKind(
    "evidence-not-triples",
    "predictions with evidence that is not three texts",
    "Write each as [subject, relation, object]",
)


@dataclass(frozen=True, kw_only=True)
class Twowiki(WithParts):
    """The 2WikiMultihopQA evaluation."""

    name: ClassVar[str] = "twowiki"
    title: ClassVar[str] = "2WikiMultihopQA: answers, supporting facts, evidence and all together"
    also_known_as: ClassVar[tuple[str, ...]] = ("2WikiMultihopQA", "2WikiMultihop", "2Wiki", "2wikimqa")
    gold_format: ClassVar[str] = "JSON list of {_id, answer, answer_id, supporting_facts, evidences, evidences_id}"
    prediction_format: ClassVar[str] = (
        '{"answer": {id: text}, "sp": {...}, "evidence": {...}}; answers alone: {id: text}'
    )
    slices: ClassVar[tuple[str, ...]] = ("type",)
    other_columns: ClassVar[tuple[str, ...]] = ("question",)
    scale: ClassVar[float] = 100.0
    official_names: ClassVar[dict[str, str]] = NAMES
    repeated_gold: ClassVar[RepeatedGold] = "each"
    tells_ids_apart: ClassVar[bool] = True
    recipe: ClassVar[str] = RECIPE.name
    items: ClassVar[dict[str, Items]] = {
        FACTS: Items("supporting_facts", is_fact, BAD_FACTS),
        TRIPLES: Items("evidences", is_evidence, BAD_TRIPLES),
    }
    gold_form: ClassVar[RecordForm] = RecordForm(
        "_id",
        "answer",
        columns={"type": "type", "question": "question"},
        facts={FACTS: "supporting_facts?"},
        shape='[{"_id", "answer", "answer_id", "supporting_facts": [...], "evidences": [...], "evidences_id": [...]}]',
    )
    prediction_form: ClassVar[PartsForm] = PartsForm(
        {ANSWER: Part("answer"), FACTS: Part("sp", "list"), TRIPLES: Part("evidence", "list")},
        is_by_part=True,
        alone=RowForm(),
    )
    keys: ClassVar[dict[str, Key]] = {
        key: Mean(statistic, 100.0, is_scaled_last=True, digits=2) for statistic, key in NAMES.items()
    }

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")
    aliases: Any = option(
        None, "The file of aliases (id_aliases.json); without it, as the first published script.", kind=Source
    )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The examples; evidence that is not three texts is counted, and matches nothing."""
        for examples in super().read(gold, predictions, audit, by):
            predicted = zip(examples.ids, examples.parts.get(TRIPLES, ()), strict=False)
            odd = [identifier for identifier, found in predicted if not all(map(is_triple, found or ()))]
            if odd and predictions is not None:
                detail = "it counts as predicted and matches nothing, as in the published program"
                audit.add(NOT_TRIPLES, "warning", odd, detail=detail, where=predictions.name)
            yield examples

    def read_gold(self, source: Source) -> Gold:
        """The gold of the official file, with the aliases."""
        return read_twowiki(source, self.gold_form, self._aliases)

    @cached_property
    def _aliases(self) -> Aliases | None:
        return None if self.aliases is None else Aliases(Source(self.aliases, "aliases"))

    def metrics(self) -> tuple[TwowikiScores]:
        """Answers, facts, evidence and all three."""
        return (TwowikiScores(with_aliases=self.aliases is not None),)

    def signature(self) -> dict[str, str]:
        """The aliases too, by their content."""
        return {**super().signature(), "aliases": self._aliases.digest if self._aliases else "none"}

    def other_rules(self) -> Sequence[OtherRule]:
        """The answers without their aliases, and what is common to such benchmarks."""
        told = "only the gold answer itself counts, no alias"
        return [*super().other_rules(), OtherRule("first-answer", told, (self.answers_metric(),), _first)]


def _first(examples: Examples) -> Examples:
    changed = examples.part(0, len(examples))
    changed.references = [references[:1] for references in examples.references]
    return changed
