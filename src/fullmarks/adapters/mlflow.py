"""A result in MLflow: its numbers as metrics, its signature as a tag, the page and the saved run as artefacts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fullmarks.adapters.run_files import tracked_numbers, write_run_files
from fullmarks.analysis.given_results import check_result
from fullmarks.optional import require_package

if TYPE_CHECKING:
    from fullmarks.result import Result


def log(
    result: Result, *, step: int | None = None, prefix: str = "", report: bool = True, artifact_path: str = "fullmarks"
) -> dict[str, float]:
    """Log a result to the active run of MLflow, which is started where there is none; the numbers as logged.

    Tags name the protocol and the signature. With `report` the page and the saved run, from which comparisons and gates
    can be made later, become artefacts; the result must have kept its examples for it.
    """
    check_result("result", result)
    mlflow = require_package("mlflow", needed_by="fullmarks.adapters.mlflow")
    numbers = tracked_numbers(result, prefix)
    tags = {f"fullmarks.{prefix}protocol": result.protocol, f"fullmarks.{prefix}signature": result.signature}
    with TemporaryDirectory() as folder:
        paths = write_run_files(result, Path(folder)) if report else []  # what cannot be written leaves nothing behind
        mlflow.log_metrics(numbers, step=step)
        mlflow.set_tags(tags)
        for path in paths:
            mlflow.log_artifact(str(path), artifact_path=artifact_path)
    return numbers
