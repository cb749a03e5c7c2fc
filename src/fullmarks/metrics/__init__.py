"""Metrics that benchmarks share, one file per family; pure, no input or output.

`METRICS` names them without importing any, and finds those of single benchmarks in their folders.
"""

from __future__ import annotations

from fullmarks.registry import Registry, folders_with


def _of_benchmarks() -> list[str]:
    return [f"fullmarks.protocols.{name}.metric" for name in folders_with(f"{__path__[0]}/../protocols", "metric")]


METRICS = Registry(
    "metric",
    "fullmarks.metrics",
    {
        "exact_match": "fullmarks.metrics.answers:ExactMatch",
        "token_f1": "fullmarks.metrics.answers:TokenF1",
        "answer_scores": "fullmarks.metrics.answer_scores:AnswerScores",
        "set_f1": "fullmarks.metrics.set_f1:SetF1",
        "contains": "fullmarks.metrics.contains:Contains",
        "numeric_answer": "fullmarks.metrics.numeric_answer:NumericAnswer",
        "squad": "fullmarks.metrics.squad:SquadScores",
        "bleu": "fullmarks.metrics.bleu:Bleu",
        "sentence_bleu": "fullmarks.metrics.bleu:SentenceBleu",
        "vqa_accuracy": "fullmarks.metrics.vqa_accuracy:VqaAccuracy",
        "votes": "fullmarks.metrics.votes:Votes",
        "choice_accuracy": "fullmarks.metrics.choice_accuracy:ChoiceAccuracy",
        "bart_score": "fullmarks.metrics.bart_score:BartScore",
        "meteor": "fullmarks.metrics.meteor:MeteorMetric",
        "ned": "fullmarks.metrics.ned:Ned",
        "anls": "fullmarks.metrics.anls:Anls",
        "relaxed_accuracy": "fullmarks.metrics.relaxed_accuracy:RelaxedAccuracy",
        "yes_no": "fullmarks.metrics.yes_no:YesNo",
        "clip_score": "fullmarks.metrics.clip_score:ClipScore",
        "fid": "fullmarks.metrics.fid:Fid",
    },
    modules=_of_benchmarks,
)
