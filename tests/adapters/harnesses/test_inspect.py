"""`fullmarks.adapters.inspect_ai` in the real Inspect: scorers, the official numbers, explanations in the log."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match, mean, stderr
from inspect_ai.solver import solver

import fullmarks
from fullmarks.adapters.inspect_ai import official as official_metric
from fullmarks.adapters.inspect_ai import scorer, squad2
from fullmarks.errors import UsageError
from tests.adapters.answered import flat
from tests.adapters.harnesses.examples import EXAMPLES, GOLDS, PREDICTIONS, always, official


def model(answer: Callable[[str], str]) -> Model:
    """A model that answers a question by a function; its tokens are not counted, for that would be a download."""

    def output(messages: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        del tools, tool_choice, config
        made = ModelOutput.from_content("mockllm/model", answer(messages[-1].text))
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def run(folder: Path, task: Any, answer: Callable[[str], str], **options: Any) -> Any:
    given = {"log_dir": str(folder), "display": "none", **options}
    (log,) = evaluate(task, model=model(answer), **given)
    return log


def numbers(log: Any, at: int = 0) -> dict[str, float]:
    return {name: each.value for name, each in log.results.scores[at].metrics.items()}


def many(**columns: Any) -> list[Sample]:
    return [Sample(id=f"q{at}", input=str(at), target=gold, metadata=columns) for at, gold in enumerate(GOLDS)]


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_the_digits_of_score(tmp_path: Path, log_format: str) -> None:
    task = Task(dataset=many(), scorer=[squad2(), scorer("bleu", max_order=1)])
    log = run(tmp_path, task, lambda text: PREDICTIONS[int(text)], log_format=log_format)
    assert log.status == "success"
    found = read_eval_log(log.location)
    assert numbers(found) == official("squad2", PREDICTIONS, GOLDS)
    bleu = fullmarks.load("bleu", max_order=1).compute(predictions=PREDICTIONS, references=GOLDS)
    assert numbers(found, 1)["bleu"] == bleu["bleu"] > 0
    assert found.results.scores[1].params["max_order"] == 1


def test_the_explanation_is_in_the_log(tmp_path: Path) -> None:
    task = Task(
        dataset=[Sample(input="?", target=["Danube", "Rhine"])], scorer=scorer("squad2", extract="final-answer")
    )
    log = run(tmp_path, task, lambda _: "Let me see.\nFinal answer: the Danube river")
    score = read_eval_log(log.location).samples[0].scores["squad2"]
    assert score.value == {"exact": 0.0, "f1": 2 / 3}
    assert score.answer == "the Danube river"
    assert score.explanation.startswith("exact 0, f1 0.6667\nraw prediction: Let me see.")
    assert "- reference: Danube; normalised: danube; matched: danube" in score.explanation


def test_epochs_are_runs_of_their_own(tmp_path: Path) -> None:
    said = {"0": 0, "1": 0}

    def answer(text: str) -> str:
        said[text] += 1
        return "a b" if said[text] > 1 else "a"

    task = Task(dataset=[Sample(id=text, input=text, target="a b c") for text in said], scorer=scorer("squad2"))
    log = run(tmp_path, task, answer, epochs=2, max_connections=1)
    first, second = (official("squad2", [text] * 2, [["a b c"]] * 2)["f1"] for text in ("a", "a b"))
    assert numbers(log)["f1"] == (first + second) / 2
    assert numbers(log)["total"] == 2


def test_other_metrics_beside_it(tmp_path: Path) -> None:
    task = Task(dataset=many(), scorer=squad2(), metrics=[official_metric(), {"f1": [mean(), stderr()]}])
    log = run(tmp_path, task, lambda text: PREDICTIONS[int(text)])
    assert log.status == "success", log.error
    by_name = {name: each.value for score in log.results.scores for name, each in score.metrics.items()}
    assert by_name["f1"] == official("squad2", PREDICTIONS, GOLDS)["f1"] == pytest.approx(100 * by_name["mean"])
    assert by_name["stderr"] > 0


def test_metadata_as_columns(tmp_path: Path) -> None:
    golds = [gold or ["x"] for gold in GOLDS[:20]]
    samples = [
        Sample(id=at, input=str(at), target=gold, metadata={"source": "cnn" if at % 2 else "race"})
        for at, gold in enumerate(golds)
    ]
    log = run(
        tmp_path, Task(dataset=samples, scorer=scorer("coqa", fields="source")), lambda text: PREDICTIONS[int(text)]
    )
    rows = [
        {"id": each.id, "prediction": PREDICTIONS[each.id], "references": each.target, **each.metadata}
        for each in samples
    ]
    found = fullmarks.score("coqa", rows).official
    assert numbers(log)["overall.f1"] == found["overall"]["f1"]
    lacking = run(tmp_path, Task(dataset=samples, scorer=scorer("coqa", fields="domain")), lambda _: "x")
    assert lacking.status == "error"
    assert "has no metadata 'domain'; it has 'source'" in lacking.error.message


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "inspect")
    log = run(tmp_path, "task.py", lambda _: "Answer: lol")
    assert numbers(log) == always("lol")
    assert flat(fullmarks.score("squad2", log.location, extract="final-answer").official) == numbers(log)


def test_a_log_is_scored_by_the_command_line(tmp_path: Path) -> None:
    task = Task(dataset=[Sample(id="a", input="?", target=["b c"])], scorer=match())
    log = run(tmp_path, task, lambda _: "Answer: x b")
    words = ["score", log.location, "--scorer", "fullmarks/squad1", "-S", "extract=final-answer"]
    command = [sys.executable, "-m", "inspect_ai", *words, "--action", "overwrite", "--overwrite"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_eval_log(log.location)
    assert [score.name for score in found.results.scores] == ["squad1"]
    assert numbers(found)["f1"] == official("squad1", ["x b"], [["b c"]])["f1"] == 50.0


def test_the_log_gives_the_number_of_the_harness(tmp_path: Path) -> None:
    task = Task(dataset=many(), scorer=squad2())
    for log_format in ("eval", "json"):
        log = run(tmp_path, task, lambda text: PREDICTIONS[int(text)], log_format=log_format)
        result = fullmarks.score("squad2", log.location)
        assert flat(result.official) == numbers(log) == official("squad2", PREDICTIONS, GOLDS)
        without = [gold for gold in GOLDS if not gold]
        assert result.official["NoAns_total"] == len(without) > 0
        assert result.audit.findings["targets-without-answer"].count == len(without)


def test_failed_samples_are_not_scored(tmp_path: Path) -> None:
    @solver
    def failing(after: bool) -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state = await generate(state) if after else state
            raise ValueError("out of order")

        return solve

    for after in (False, True):
        dataset = [Sample(id=str(at), input="?", target="") for at in range(3)]
        log = run(
            tmp_path, Task(dataset=dataset, solver=failing(after), scorer=match()), lambda _: "", fail_on_error=False
        )
        assert all(sample.error for sample in read_eval_log(log.location).samples)
        words = ["score", log.location, "--scorer", "fullmarks/squad2", "--action", "overwrite", "--overwrite"]
        done = subprocess.run([sys.executable, "-m", "inspect_ai", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        found = read_eval_log(log.location)
        assert found.results.scores[0].unscored_samples == 3
        assert all(map(math.isnan, numbers(found).values()))
        assert all(sample.scores["squad2"].reason == "sample_error" for sample in found.samples)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no protocol and no metric is named 'sqad2'\. Did you mean 'squad2'"):
        scorer("sqad2")
    with pytest.raises(UsageError, match="squad2 has no option 'extrakt'"):
        scorer("squad2", extrakt="final-answer")
    task = Task(dataset=[Sample(input="?", target="a")], scorer=match(), metrics=[official_metric()])
    assert "for the scorers of fullmarks" in run(tmp_path, task, lambda _: "a").error.message
