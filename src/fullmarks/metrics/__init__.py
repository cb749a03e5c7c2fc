"""Metrics, one file per family; pure, no input or output. `METRICS` names them all without importing any."""

from __future__ import annotations

from fullmarks.registry import Registry

METRICS = Registry(
    "metric",
    "fullmarks.metrics",
    {
        "exact_match": "fullmarks.metrics.answers:ExactMatch",
        "token_f1": "fullmarks.metrics.answers:TokenF1",
        "answer_scores": "fullmarks.metrics.answer_scores:AnswerScores",
        "squad": "fullmarks.metrics.squad:SquadScores",
        "bleu": "fullmarks.metrics.bleu:Bleu",
        "sentence_bleu": "fullmarks.metrics.bleu:SentenceBleu",
        "vqa_accuracy": "fullmarks.metrics.vqa_accuracy:VqaAccuracy",
        "webqa_accuracy": "fullmarks.metrics.webqa_accuracy:WebqaAccuracy",
        "acc_approx": "fullmarks.metrics.webqa_accuracy:AccApprox",
        "bart_score": "fullmarks.metrics.bart_score:BartScore",
        "meteor": "fullmarks.metrics.meteor:MeteorMetric",
        "ned": "fullmarks.metrics.ned:Ned",
        "fusionbrain_textqa": "fullmarks.metrics.russian_answers:FusionbrainTextqa",
        "fusionbrain_mathqa": "fullmarks.metrics.russian_answers:FusionbrainMathqa",
        "fusionbrain_visualqa": "fullmarks.metrics.russian_answers:FusionbrainVisualqa",
        "clip_score": "fullmarks.metrics.clip_score:ClipScore",
        "fid": "fullmarks.metrics.fid:Fid",
    },
)
