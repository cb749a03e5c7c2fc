"""`fullmarks.adapters.mlflow` with the real MLflow on its stores: a database and a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow
import pytest

import fullmarks
from fullmarks.adapters.mlflow import log
from tests.adapters.answered import answers, snippets


@pytest.fixture(params=["sqlite", "folder"])
def store(request: pytest.FixtureRequest, here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # MLflow 3 wants to be asked for its older store
    address = f"sqlite:///{here}/mlflow.db" if request.param == "sqlite" else (here / "store").as_uri()
    mlflow.set_tracking_uri(address)
    experiment = mlflow.create_experiment("gate", artifact_location=(here / "artefacts").as_uri())
    mlflow.set_experiment(experiment_id=experiment)
    yield
    while mlflow.active_run():
        mlflow.end_run()


@pytest.mark.usefixtures("store")
def test_numbers_signature_and_files_come_back(result: Any, numbers: dict[str, float], tmp_path: Path) -> None:
    with mlflow.start_run() as run:
        assert log(result, step=3) == numbers
    kept = mlflow.get_run(run.info.run_id).data
    assert kept.metrics == numbers
    assert kept.tags["fullmarks.signature"] == result.signature
    assert kept.tags["fullmarks.protocol"] == "vqa"
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "overall")
    assert [(point.step, point.value) for point in history] == [(3, 50.0)]
    found = Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=str(tmp_path / "down")))
    assert fullmarks.load_run(found / "fullmarks" / "vqa.run.json.gz").official == result.official
    assert (found / "fullmarks" / "vqa.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.usefixtures("store")
def test_several_results_in_one_run(result: Any, numbers: dict[str, float]) -> None:
    predictions, golds = answers(20)
    rows = [{"prediction": text, "references": gold} for text, gold in zip(predictions, golds, strict=True)]
    other = fullmarks.score("squad2", rows, keep=False)
    with mlflow.start_run() as run:
        log(result, prefix="vqa/", report=False)
        log(other, prefix="squad/", report=False)
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept["squad/f1"] == other.official["f1"]
    assert {name: value for name, value in kept.items() if name.startswith("vqa/")} == {
        f"vqa/{name}": value for name, value in numbers.items()
    }
    assert mlflow.MlflowClient().list_artifacts(run.info.run_id) == []


@pytest.mark.usefixtures("store")
def test_a_run_without_examples_has_no_report(result: Any) -> None:
    rows = [{"prediction": "a", "references": ["a"]}]
    with mlflow.start_run(), pytest.raises(fullmarks.UsageError, match="keep"):
        log(fullmarks.score("squad2", rows, keep=False))


def test_what_is_no_result_is_told() -> None:
    with pytest.raises(fullmarks.UsageError, match="result"):
        log({"f1": 80.0})  # type: ignore[arg-type]


@pytest.mark.usefixtures("store")
def test_the_page_shows_what_comes_out(result: Any) -> None:
    for snippet in snippets("MLflow"):
        exec(snippet, {"result": result})
        assert mlflow.last_active_run().data.metrics["overall"] == 50.0
