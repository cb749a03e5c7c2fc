"""XQuAD: exact match and F1 by SQuAD 1.1's rules, whatever the language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.protocols.official import Key, Mean
from fullmarks.protocols.translated_squad import TranslatedSquad
from fullmarks.protocols.xquad.rules import CHINESE, RECIPE
from fullmarks.text.recipes import Recipe


@dataclass(frozen=True, kw_only=True)
class Xquad(TranslatedSquad):
    """The XQuAD evaluation."""

    name: ClassVar[str] = "xquad"
    title: ClassVar[str] = "XQuAD: exact match and F1 by SQuAD 1.1's rules in every language"
    gold_format: ClassVar[str] = "SQuAD JSON (xquad.zh.json)"
    variants: ClassVar[dict[str, str]] = {
        "script": "SQuAD 1.1's rules: English articles, ASCII punctuation, words between white space",
        "mlqa-zh": "MLQA's rule for Chinese: all Unicode punctuation, each Chinese character a token",
    }
    keys: ClassVar[dict[str, Key]] = {"exact_match": Mean("exact", 100.0), "f1": Mean("f1", 100.0)}

    @property
    def normaliser(self) -> Recipe:
        """The recipe of the variant."""
        return RECIPE if self.variant == "script" else CHINESE

    def metrics(self) -> tuple[AnswerScores]:
        """Exact match and F1 after the recipe, two empty texts sharing no token."""
        return (AnswerScores(recipe=self.normaliser.name),)

    def signature(self) -> dict[str, str]:
        """Normaliser, variant and the rules for gaps."""
        return {"norm": self.normaliser.name, **super().signature()}
