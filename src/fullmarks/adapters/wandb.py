"""A result in Weights & Biases: its numbers in the history, the page and the saved run as an artefact."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fullmarks.adapters.run_files import tracked_numbers, write_run_files
from fullmarks.analysis.given_results import check_result
from fullmarks.errors import UsageError
from fullmarks.optional import require_package

if TYPE_CHECKING:
    from fullmarks.result import Result


def log(
    result: Result, *, run: Any = None, step: int | None = None, prefix: str = "", report: bool = True
) -> dict[str, float]:
    """Log a result to a run of wandb, by default the one that `wandb.init` started; the numbers as logged.

    The signature goes to the run's config. With `report` the page and the saved run become an artefact of
    the type `evaluation`; the result must have kept its examples for it.
    """
    check_result("result", result)
    wandb = require_package("wandb", needed_by="fullmarks.adapters.wandb")
    run = wandb.run if run is None else run
    if run is None:
        raise UsageError("there is no run of wandb: call wandb.init first, or pass run=")
    numbers = tracked_numbers(result, prefix)
    with TemporaryDirectory() as folder:
        paths = write_run_files(result, Path(folder)) if report else []  # what cannot be written leaves nothing behind
        run.log(numbers, step=step)
        run.config.update({f"fullmarks/{prefix}signature": result.signature}, allow_val_change=True)
        if paths:
            name = re.sub(r"[^\w.-]", "-", f"{prefix}{result.protocol}-{run.id}")
            artifact = wandb.Artifact(name, type="evaluation", metadata={"signature": result.signature, **numbers})
            for path in paths:
                artifact.add_file(str(path))
            run.log_artifact(artifact)
    return numbers
