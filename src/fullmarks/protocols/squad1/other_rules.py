"""How other tools score SQuAD 1.1's answers."""

from __future__ import annotations

from fullmarks.metrics.other_rules import OnChangedTexts
from fullmarks.metrics.squad import SquadScores
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.rules_of_other_normalisers import other_normalisers


def other_rules(own: SquadScores) -> list[OtherRule]:
    """Other normalisers, the first reference alone, SQuAD 2.0's rules."""
    later = "as SQuAD 2.0: gold answers without words do not count, and two sides without words score F1 1"
    return [
        *other_normalisers(both_empty=own.both_empty, drop_empty_references=own.drop_empty_references),
        OtherRule(
            "first-reference", "only the first gold answer counts", (OnChangedTexts(own, first_reference_only=True),)
        ),
        OtherRule("squad2-rules", later, (SquadScores(),)),
    ]
