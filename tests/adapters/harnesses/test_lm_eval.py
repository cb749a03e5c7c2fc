"""`fullmarks.adapters.lm_eval` in the real lm-evaluation-harness: the digits of `fullmarks.score`."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import AGGREGATION_REGISTRY, METRIC_REGISTRY, get_metric, is_higher_better
from lm_eval.tasks import TaskManager

import fullmarks
from fullmarks.adapters.lm_eval import process_results_for
from fullmarks.errors import UsageError
from tests.adapters.harnesses.examples import EXAMPLES, GOLDS, PREDICTIONS, always, official

TASK = """
task: many
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{id}}}}"
doc_to_target: {target}
{more}
"""


class Answering(LM):
    """A model that has an answer for every id."""

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [PREDICTIONS[int(each.args[0])] for each in requests]

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "lm_eval")
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


def evaluated(folder: Path, task: str, model: Any = "dummy") -> dict[str, Any]:
    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate(model, tasks=[task], task_manager=tasks, log_samples=True, bootstrap_iters=10)
    assert found is not None
    return found


def many(folder: Path, target: str, more: str) -> dict[str, Any]:
    """The result of a task with many questions."""
    data = folder / "data.jsonl"
    rows = [{"id": at, "answers": gold, "answer": (gold or [""])[0]} for at, gold in enumerate(GOLDS)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "many.yaml").write_text(TASK.format(data=data, target=target, more=more))
    return evaluated(folder, "many", Answering())


def test_process_results_with_several_answers() -> None:
    found = evaluated(EXAMPLES / "lm_eval", "several_answers")
    numbers, expected = found["results"]["several_answers"], always("lol")
    for key in ("exact", "f1", "HasAns_f1"):
        assert numbers[f"{key},none"] == expected[key]
        assert numbers[f"{key}_stderr,none"] == "N/A"
    assert 0 < expected["exact"] < expected["f1"] < expected["HasAns_f1"] < 100
    samples = {each["doc"]["id"]: each for each in found["samples"]["several_answers"]}
    assert [samples[name]["f1"] for name in ("q1", "q2", "q3", "q4")] == [0.0, 2 / 3, 1.0, 0.0]
    assert "HasAns_f1" not in samples["q4"]
    assert json.loads(json.dumps(samples["q2"]["f1"])) == 2 / 3


def test_metrics_by_name() -> None:
    found = evaluated(EXAMPLES / "lm_eval", "one_answer")
    rows = [
        {"id": at, "prediction": each["filtered_resps"][0], "references": [each["target"]] * bool(each["target"])}
        for at, each in enumerate(found["samples"]["one_answer"])
    ]
    texts, targets = [row["prediction"] for row in rows], [each["target"] for each in found["samples"]["one_answer"]]
    numbers = found["results"]["one_answer"]
    assert numbers["fullmarks_squad2_f1,none"] == fullmarks.score("squad2", rows).official["f1"] > 0
    bleu = fullmarks.load("bleu", max_order=1).compute(predictions=texts, references=targets)
    assert numbers["fullmarks_bleu,none"] == bleu["bleu"] > 0
    assert numbers["fullmarks_token_f1_stderr,none"] > 0  # its own mean, with its own standard error


def test_the_digits_of_many(tmp_path: Path) -> None:
    (tmp_path / "utils.py").write_text(
        "from fullmarks.adapters.lm_eval import process_results_for\n"
        "f = process_results_for('squad2', references='answers', identifier='id')\n"
    )
    listed = "\n".join(
        f"  - {{metric: {key}, aggregation: fullmarks, higher_is_better: true}}" for key in ("exact", "f1")
    )
    found = many(tmp_path, "answer", f"process_results: !function utils.f\nmetric_list:\n{listed}")
    expected = official("squad2", PREDICTIONS, GOLDS)
    assert found["results"]["many"]["f1,none"] == expected["f1"]
    assert found["results"]["many"]["exact,none"] == expected["exact"]
    alone = [float(each["f1"]) for each in found["samples"]["many"]]
    assert 100 * sum(sorted(alone)) / len(alone) == pytest.approx(expected["f1"], rel=1e-12)


def test_several_targets_by_name_are_refused(tmp_path: Path) -> None:
    listed = "metric_list:\n  - {metric: fullmarks_squad1_f1, aggregation: fullmarks, higher_is_better: true}"
    with pytest.raises(UsageError, match=r"several targets into 0 or 1\. .*process_results_for"):
        many(tmp_path, "answers", listed)


def test_the_command_line(tmp_path: Path) -> None:
    words = ["-m", "lm_eval", "--model", "dummy", "--include_path", ".", "--tasks", "several_answers"]
    run = subprocess.run(
        [sys.executable, *words, "--log_samples", "--output_path", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    (results,) = tmp_path.rglob("results_*.json")
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    logged = [json.loads(line) for line in samples.read_text().splitlines()]
    rows = [
        {"id": each["doc"]["id"], "prediction": each["filtered_resps"][0], "references": each["doc"]["answers"]}
        for each in logged
    ]
    numbers = json.loads(results.read_text())["results"]["several_answers"]
    assert numbers["f1,none"] == fullmarks.score("squad2", rows).official["f1"] == always("lol")["f1"]
    from_log = fullmarks.score("squad2", str(samples), by="question").official
    assert (numbers["HasAns_f1,none"], numbers["exact,none"]) == (from_log["HasAns_f1"], from_log["exact"])
    assert round(from_log["HasAns_f1"], 2) == 33.33


def test_what_is_registered() -> None:
    assert {"fullmarks_squad2_exact", "fullmarks_docvqa_anls", "fullmarks_squad_f1"} <= set(METRIC_REGISTRY)
    assert {"mean", "fullmarks"} <= set(AGGREGATION_REGISTRY)
    assert is_higher_better("fullmarks_squad2_f1") is True
    score = get_metric("fullmarks_squad1_f1")(references=["the cat"], predictions=["a cat sat"])
    assert score == 2 / 3
    again = pickle.loads(pickle.dumps(score))
    assert (again, again.key, again.sample) == (score, "f1", score.sample)


def test_options_of_a_named_metric() -> None:
    metric = get_metric("fullmarks_squad1_f1")
    assert metric(references=["cat"], predictions=["So: x\nAnswer: cat"], extract="final-answer") == 1.0
    with pytest.raises(UsageError, match="no option 'extrakt'"):
        metric(references=["cat"], predictions=["cat"], extrakt="final-answer")


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UsageError, match=r"squad2 has no score 'f2'\. It has: exact, f1, total, HasAns_exact"):
        process_results_for("squad2", references="answers", scores=["f2"])
    with pytest.raises(UsageError, match=r"no protocol and no metric is named 'sqad2'\. Did you mean 'squad2'"):
        process_results_for("sqad2", references="answers")
    process = process_results_for("squad2", references="golds")
    with pytest.raises(UsageError, match="no field 'golds'; its fields are 'answers'"):
        process({"answers": []}, ["x"])
    with pytest.raises(UsageError, match="expected one text per question, found list"):
        process({"golds": ["x"]}, [["x", "y"]])
    with pytest.raises(UsageError, match=r"for scores of fullmarks, found 0\.5"):
        AGGREGATION_REGISTRY["fullmarks"]([0.5])
