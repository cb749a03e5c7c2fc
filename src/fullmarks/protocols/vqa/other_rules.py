"""How other tools count the votes of VQA's annotators."""

from __future__ import annotations

from fullmarks.metrics.other_rules import RuledVotes
from fullmarks.protocols.other_rule import OtherRule


def other_rules() -> list[OtherRule]:
    """Other normalisers and other ways to count."""
    return [
        OtherRule("no-normalising", "texts as they are; each annotator against the others", (RuledVotes("none"),)),
        OtherRule(
            "squad-normaliser", "SQuAD's normaliser in place of VQA's: number words stay", (RuledVotes("squad"),)
        ),
        OtherRule(
            "thirds",
            "min(1, annotators with this answer / 3), nobody left out: the formula in short",
            (RuledVotes("vqa", "thirds"),),
        ),
        OtherRule("any-annotator", "1 if any annotator gave the answer", (RuledVotes("vqa", "any"),)),
        OtherRule("any-annotator-raw", "the same without normalising: plain exact match", (RuledVotes("none", "any"),)),
        OtherRule("most-frequent", "1 if it is the most frequent answer", (RuledVotes("vqa", "most-frequent"),)),
    ]
