"""How other tools score SQuAD 2.0's answers."""

from __future__ import annotations

from fullmarks.metrics.other_rules import OnChangedTexts
from fullmarks.metrics.squad import SquadScores
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.rules_of_other_normalisers import LATER_PYTHON, LATER_SUM, other_normalisers
from fullmarks.protocols.squad2.withheld import WithheldScores


def other_rules(own: SquadScores) -> list[OtherRule]:
    """Other normalisers, the sum of later Pythons, the first reference alone, SQuAD 1.1's rules."""
    older = SquadScores(both_empty=0.0, drop_empty_references=False, threshold=own.threshold)
    return [
        *other_normalisers(
            both_empty=own.both_empty, drop_empty_references=own.drop_empty_references, threshold=own.threshold
        ),
        OtherRule(LATER_PYTHON, LATER_SUM, (own, WithheldScores(own)), is_elsewhere=True, integers=own.integers),
        OtherRule(
            "first-reference", "only the first gold answer counts", (OnChangedTexts(own, first_reference_only=True),)
        ),
        OtherRule("squad1-rules", "as SQuAD 1.1: a question without gold answers scores 0", (older,)),
    ]
