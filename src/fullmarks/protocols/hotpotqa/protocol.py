"""HotpotQA: answers, supporting facts and both together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.joint import joint_columns
from fullmarks.protocols.hotpotqa.metric import ANSWER, FACTS, HotpotqaScores
from fullmarks.protocols.hotpotqa.rules import RECIPE, is_fact
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.protocol import duplicate_option, missing_option
from fullmarks.protocols.with_parts import Items, WithParts, part_keys
from fullmarks.readers.alignment import OnMissing, RepeatedGold
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.types import FindingKind

NAMES = part_keys(joint_columns(("", "sp_")), ("", "sp_", "joint_"))
BAD_FACTS = FindingKind(
    "bad-facts",
    "supporting facts that are not lists of texts and numbers",
    "Write each as a title and the number of a sentence: [title, 0]",
)
BAD_GOLD_FACTS = FindingKind(
    "bad-gold-facts",
    "supporting facts that are not lists of texts and numbers in the gold",
    "Write each as a title and the number of a sentence: [title, 0]",
)


@dataclass(frozen=True, kw_only=True)
class Hotpotqa(WithParts):
    """The HotpotQA evaluation."""

    name: ClassVar[str] = "hotpotqa"
    title: ClassVar[str] = "HotpotQA: answers, supporting facts and both together"
    gold_format: ClassVar[str] = "JSON list of {_id, answer, supporting_facts: [[title, sentence]]}"
    prediction_format: ClassVar[str] = (
        '{"answer": {id: text}, "sp": {id: [[title, sentence]]}}; answers alone: {id: text}'
    )
    slices: ClassVar[tuple[str, ...]] = ("type", "level")
    other_columns: ClassVar[tuple[str, ...]] = ("question",)
    official_names: ClassVar[dict[str, str]] = NAMES
    repeated_gold: ClassVar[RepeatedGold] = "each"
    tells_ids_apart: ClassVar[bool] = True
    recipe: ClassVar[str] = RECIPE.name
    items: ClassVar[dict[str, Items]] = {
        FACTS: Items("supporting_facts", is_fact, BAD_FACTS, BAD_GOLD_FACTS),
    }
    gold_form: ClassVar[RecordForm] = RecordForm(
        "_id",
        "answer",
        columns={"type": "type", "level": "level", "question": "question"},
        facts={FACTS: "supporting_facts?"},
        shape='[{"_id", "answer", "supporting_facts": [[title, sentence]]}]',
    )
    prediction_form: ClassVar[PartsForm] = PartsForm(
        {ANSWER: Part("answer"), FACTS: Part("sp", "list")}, is_by_part=True, alone=RowForm()
    )
    keys: ClassVar[dict[str, Key]] = {key: Mean(statistic) for statistic, key in NAMES.items()}

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")

    def metrics(self) -> tuple[HotpotqaScores]:
        """Answers, facts and both."""
        return (HotpotqaScores(),)
