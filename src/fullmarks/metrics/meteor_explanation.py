"""A METEOR alignment told stage by stage: which words met, and in what form."""

from __future__ import annotations

from typing import Any

from fullmarks.text.meteor import Alignment, Meteor


def alignment_facts(alignment: Alignment, meteor: Meteor) -> dict[str, Any]:
    """The tokens and what the score is made of; nothing matched leaves precision and recall at 0."""
    matches, chunks = len(alignment.pairs), alignment.chunks
    return {
        "tokens": list(alignment.prediction),
        "reference tokens": list(alignment.reference),
        "matches": matches,
        "precision": matches / len(alignment.prediction) if matches else 0.0,
        "recall": matches / len(alignment.reference) if matches else 0.0,
        "chunks": chunks,
        "penalty": float(meteor.gamma * (chunks / matches) ** meteor.beta) if matches else 0.0,
        "alpha, beta, gamma": f"{meteor.alpha:g}, {meteor.beta:g}, {meteor.gamma:g}",
    }


def alignment_steps(alignment: Alignment, meteor: Meteor) -> list[dict[str, Any]]:
    """One line per match in the order of the walk, then the words that stayed free."""
    stages = {"exact": alignment.exact, "stem": alignment.stem, "synonym": alignment.synonym}
    steps = [
        {
            "stage": stage,
            "prediction": f"{i + 1} {alignment.prediction[i]}",
            "reference": f"{j + 1} {alignment.reference[j]}",
            "because": _reason(stage, alignment.prediction[i], alignment.reference[j], meteor),
        }
        for stage, pairs in stages.items()
        for i, j in pairs
    ]
    taken, taken_gold = ({pair[side] for pair in alignment.pairs} for side in (0, 1))
    for i, word in enumerate(alignment.prediction):
        if i not in taken:
            steps.append({"stage": "none", "prediction": f"{i + 1} {word}", "reference": "", "because": "no match"})
    for j, word in enumerate(alignment.reference):
        if j not in taken_gold:
            steps.append({"stage": "none", "prediction": "", "reference": f"{j + 1} {word}", "because": "no match"})
    return steps


def _reason(stage: str, word: str, gold: str, meteor: Meteor) -> str:
    if stage == "exact":
        return "same word"
    if stage == "stem":
        return f"same stem '{meteor.stem(word)}'"
    return f"'{meteor.stem(gold)}' may stand for '{meteor.stem(word)}'"
