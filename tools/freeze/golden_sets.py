"""The golden sets as cases: which files of tests/golden are scored together, and with which options.

A new golden set is one line here. The first line of a benchmark is its main set: every option is tried on it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.repository import golden_folder

golden_files = lru_cache(golden_folder)
"""The folder of the golden files, looked for once."""


@dataclass(frozen=True)
class GoldenSet:
    """One run over golden files, named as they are in the folder.

    A name such as answers.json:golds stands for the values of a field of the single cases in a file.
    """

    benchmark: str
    name: str
    gold: str
    predictions: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    """Options that are files."""
    options: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    """Where it is not named as the benchmark is."""

    @property
    def place(self) -> str:
        """Its folder in tests/golden."""
        return self.folder or self.benchmark

    def arguments(self) -> tuple[Any, Any, dict[str, Any]]:
        """Gold, predictions and options for `fullmarks.score`."""
        here = golden_files() / self.place
        files = {option: str(here / name) for option, name in self.files.items()}
        return _given(here, self.gold), _given(here, self.predictions), {**files, **self.options}


def _given(here: Path, name: str | None) -> Any:
    """The path of a file; the values of a field of its cases for a name such as answers.json:golds."""
    if name is None:
        return None
    file, _, field_name = name.partition(":")
    if not field_name:
        return str(here / file)
    return [case[field_name] for case in json.loads((here / file).read_text(encoding="utf-8"))["cases"]]


def _languages(benchmark: str, languages: str, ending: str = "", **options: str) -> list[GoldenSet]:
    """One set per language; `options` maps the option that names the language, if there is one."""
    return [
        GoldenSet(
            benchmark,
            f"{language}{ending}",
            f"gold_{language}.json",
            f"predictions_{language}{ending}.json",
            options=dict.fromkeys(options, language),
        )
        for language in languages.split()
    ]


def _task(name: str, task: str, *, meteor: bool = False) -> GoldenSet:
    """A sub-task of FusionBrain; those that METEOR scores have a folder and a lexicon of their own."""
    pair = f"{name}_gt.json", f"{name}_pred.json"
    if not meteor:
        return GoldenSet("fusionbrain", name, *pair, options={"task": task})
    options = {"task": task, "clip": "none"}
    return GoldenSet("fusionbrain", name, *pair, {"lexicon": "lexicon.json"}, options, "fusionbrain_meteor")


_DEFINITE = {"answer_field": "answer_and_def_correct_predictions"}
_ALIASES = {"aliases": "id_aliases.json"}
_CHOICES = {"choices": "val_choices.json"}
_NA_PROB = {"na_prob_file": "na_prob.json"}
_POPE_RANDOM = "llava_coco_pope_random.json"
_OKVQA = {"questions": "OpenEnded_mscoco_val2014_questions.json"}
_LLAVA = {"questions": "llava_pope_test.jsonl"}

GOLDEN_SETS: tuple[GoldenSet, ...] = (
    GoldenSet("aokvqa", "main", "aokvqa_v1p0_val.json", "predictions.json"),
    GoldenSet("chartqa", "human", "test_human.json", "predictions_human.json"),
    GoldenSet("chartqa", "augmented", "test_augmented.json", "predictions_augmented.json"),
    GoldenSet("coqa", "main", "gold.json", "predictions.json"),
    GoldenSet("coqa", "missing", "gold.json", "predictions_missing.json"),
    GoldenSet("coqa", "single", "gold_single.json", "predictions_single.json"),
    GoldenSet("coqa", "human", "gold.json", options={"human": True}),
    GoldenSet("docvqa", "main", "gold.json", "predictions.json"),
    GoldenSet("drop", "main", "gold.json", "predictions.json"),
    GoldenSet("drop", "plain", "gold_plain.json", "predictions.json"),
    GoldenSet("drop", "missing", "gold.json", "predictions_missing.json"),
    _task("textqa", "TextQA"),
    _task("mathqa", "MathQA"),
    _task("text_recognition", "TRitW"),
    _task("vqa", "VisualQA", meteor=True),
    _task("captioning", "ImageCaptioning", meteor=True),
    GoldenSet("gqa", "main", "val_all_questions.json", "predictions.json", _CHOICES),
    GoldenSet("gqa", "consistency", "val_all_questions.json", "predictions.json", _CHOICES, {"consistency": True}),
    GoldenSet("gqa", "without_choices", "val_all_questions.json", "predictions.json"),
    GoldenSet("gsm8k", "main", "gold.jsonl", "predictions.jsonl"),
    GoldenSet("hotpotqa", "main", "gold.json", "predictions.json"),
    GoldenSet("hotpotqa", "plain", "gold.json", "predictions_plain.json"),
    GoldenSet("hotpotqa", "missing", "gold.json", "predictions_missing.json"),
    GoldenSet("hotpotqa", "answers_only", "gold.json", "predictions_answers_only.json"),
    GoldenSet("infovqa", "main", "gold.json", "predictions.json"),
    GoldenSet("longbench", "main", "pred"),
    GoldenSet("longbench", "e", "pred_e", options={"e": True}),
    GoldenSet("mathvista", "main", "output.json"),
    *_languages("mlqa", "en es de ar hi vi zh", language=""),
    *_languages("mlqa", "en es de ar hi vi zh", "_missing", language=""),
    GoldenSet("mme", "main", "results"),
    GoldenSet("mmmu", "main", "answer_dict_val.json", "predictions.json"),
    GoldenSet("mmmu", "raw", "raw_output.json", options={"variant": "raw"}),
    GoldenSet("musique", "full", "gold_full.jsonl", "predictions_full.jsonl"),
    GoldenSet("musique", "full_plain", "gold_full.jsonl", "predictions_full_plain.jsonl"),
    GoldenSet("musique", "ans", "gold_ans.jsonl", "predictions_ans.jsonl"),
    GoldenSet("musique", "ans_plain", "gold_ans.jsonl", "predictions_ans_plain.jsonl"),
    GoldenSet("musique", "ans_missing", "gold_ans.jsonl", "predictions_ans_missing.jsonl"),
    GoldenSet("nq_open", "main", "gold.jsonl", "predictions.jsonl"),
    GoldenSet("nq_open", "missing", "gold.jsonl", "predictions_missing.jsonl"),
    GoldenSet("nq_open", "repeated", "gold_repeated.jsonl", "predictions_repeated.jsonl"),
    GoldenSet("nq_open", "efficientqa", "gold_efficientqa.jsonl", "predictions_efficientqa.jsonl"),
    GoldenSet("nq_open", "definite", "gold_efficientqa.jsonl", "predictions_efficientqa.jsonl", options=_DEFINITE),
    GoldenSet("nq_open", "trec", "gold_CuratedTrec.jsonl", "predictions_CuratedTrec.jsonl", options={"regex": True}),
    GoldenSet("ocrbench", "main", "predictions.json"),
    GoldenSet("ocrbench", "two_files", "OCRBench.json", "predictions.json"),
    GoldenSet("okvqa", "main", "mscoco_val2014_annotations.json", "predictions.json", _OKVQA),
    GoldenSet("pope", "main", "coco_pope_random.json", "answers.jsonl"),
    *(
        GoldenSet("pope", f"llava_{kind}", f"llava_coco_pope_{kind}.json", "llava_answers.jsonl", _LLAVA)
        for kind in ("adversarial", "popular", "random")
    ),
    GoldenSet("pope", "llava_category", _POPE_RANDOM, "llava_answers.jsonl", _LLAVA, {"category": "random"}),
    GoldenSet("popqa", "main", "popQA.tsv", "predictions.jsonl"),
    GoldenSet("qa", "answers", "answers.json:golds", "answers.json:prediction"),
    GoldenSet("qasper", "main", "gold.json", "predictions.jsonl"),
    GoldenSet("qasper", "missing", "gold.json", "predictions_missing.jsonl"),
    GoldenSet("scienceqa", "main", "problems.json", "results.json"),
    GoldenSet("scienceqa", "llava", "problems.json", "llava_answers.jsonl", options={"variant": "llava"}),
    GoldenSet("squad1", "main", "gold.json", "predictions.json"),
    GoldenSet("squad2", "main", "gold.json", "predictions.json"),
    GoldenSet("squad2", "thresholded_0.5", "gold.json", "predictions.json", _NA_PROB, {"na_prob_thresh": 0.5}),
    GoldenSet("squad2", "with_pr", "gold.json", "predictions.json", _NA_PROB, {"precision_recall": True}),
    GoldenSet("stvqa", "main", "gold.json", "predictions.json"),
    GoldenSet("textvqa", "main", "TextVQA_0.5.1_val.json", "predictions.json"),
    GoldenSet("textvqa", "llava", "TextVQA_0.5.1_val.json", "llava_answers.jsonl"),
    *(
        GoldenSet("triviaqa", f"{form}{ending}", f"gold_{form}.json", f"predictions_{form}{ending}.json")
        for ending in ("", "_missing")
        for form in ("wikipedia", "web", "verified_web")
    ),
    GoldenSet("twowiki", "main", "gold.json", "predictions.json", _ALIASES),
    GoldenSet("twowiki", "plain", "gold.json", "predictions_plain.json", _ALIASES),
    GoldenSet("twowiki", "missing", "gold.json", "predictions_missing.json", _ALIASES),
    GoldenSet("twowiki", "without_aliases", "gold.json", "predictions.json"),
    GoldenSet("vizwiz", "main", "val.json", "predictions.json"),
    GoldenSet("vqa", "main", "annotations.json", "results.json", {"questions": "questions.json"}),
    GoldenSet("webqa", "main", "outputs.tsv"),
    *_languages("xquad", "en de ar hi vi zh"),
)
