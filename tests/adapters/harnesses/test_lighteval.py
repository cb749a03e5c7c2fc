"""`fullmarks.adapters.lighteval` in the real lighteval: a task and its dummy model, the digits of `fullmarks.score`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.logging.info_loggers import MetricsLogger
from lighteval.metrics import apply_metric
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc

import fullmarks
from fullmarks.adapters.lighteval import metric
from fullmarks.errors import UsageError
from tests.adapters.harnesses.examples import EXAMPLES, GOLDS, PREDICTIONS, QUESTIONS, always, official


def doc(golds: list[str], **specific: Any) -> Doc:
    return Doc(query="?", choices=golds, gold_index=list(range(len(golds))), specific=specific)


def test_the_example_with_the_dummy_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for loading in ("_load_from_files", "_load_from_subdirs"):  # its own tasks download when they are imported
        monkeypatch.setattr(Registry, loading, staticmethod(lambda *_: {}))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    tracker = EvaluationTracker(output_dir=str(tmp_path), save_details=True)
    custom = str(EXAMPLES / "lighteval" / "tasks.py")
    parameters = PipelineParameters(launcher_type=ParallelismManager.NONE, custom_tasks_directory=custom)
    config = DummyModelConfig(model_name="dummy", cache_dir=str(tmp_path / "model"))
    pipeline = Pipeline("questions|0", parameters, tracker, model_config=config)
    pipeline.evaluate()
    pipeline.save_and_push_results()
    found = pipeline.get_results()["results"]["questions:0"]
    expected = always("random baseline")
    assert {key: found[f"fullmarks_squad2_{key}"] for key in expected} == expected
    assert 0 < expected["f1"] < 100
    texts, golds = ["random baseline"] * len(QUESTIONS), [each["answers"] for each in QUESTIONS]
    bleu = fullmarks.load("bleu", max_order=1).compute(predictions=texts, references=golds)
    assert found["fullmarks_bleu"] == bleu["bleu"] > 0
    details = pytest.importorskip("pyarrow.parquet").read_table(next(tmp_path.rglob("details_*.parquet"))).to_pylist()
    alone = [each["metric"]["fullmarks_squad2_f1"] for each in details]
    assert 100 * sum(alone) / len(alone) == pytest.approx(expected["f1"], rel=1e-12)


@pytest.mark.parametrize("name", ["squad2", "triviaqa", "qa", "docvqa"])
def test_the_digits_of_many(name: str) -> None:
    golds = GOLDS if name == "squad2" else [gold or ["a river"] for gold in GOLDS]
    rules, logger = metric(name), MetricsLogger()
    responses = [ModelResponse(text=[text]) for text in PREDICTIONS]
    for output in apply_metric(responses=responses, docs=list(map(doc, golds)), metrics=[rules]):
        logger.log("many|0", output)
    logger.aggregate({"many|0": SimpleNamespace(aggregation=rules.get_corpus_aggregations)}, bootstrap_iters=1000)
    found = logger.metric_aggregated["many|0"]
    expected = official(name, PREDICTIONS, golds)
    assert {key: found[f"fullmarks_{name}_{key}"] for key in expected} == expected
    assert not [key for key in found if key.endswith("_stderr")]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UsageError, match="no protocol and no metric is named 'sqad2'"):
        metric("sqad2")
    with pytest.raises(UsageError, match="expected one answer per question, found 2"):
        metric("squad2").compute_sample(doc=doc(["x"]), model_response=ModelResponse(text=["x", "y"]))
    with pytest.raises(UsageError, match="has no 'source' in specific; it has 'id'"):
        metric("coqa", fields="source").compute_sample(doc=doc(["x"], id=1), model_response=ModelResponse(text=["x"]))
