"""Two processes that gather over gloo have the digits of one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch.distributed
import torch.multiprocessing

import fullmarks
from tests.adapters.answered import answers, official

PREDICTIONS, GOLDS = answers(300)


WAYS = {
    "halves": (range(150), range(150, 300)),
    "dealt out": (range(0, 300, 2), range(1, 300, 2)),
    "nothing on rank 0": (range(0), range(300)),
    "nothing on rank 1": (range(300), range(0)),
}


def work(rank: int, folder: str) -> None:
    """What each rank does: takes in its part, computes with the other, writes down what it found."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    Path(folder, f"found-{rank}").write_text(repr({way: found_by(way, rank) for way in WAYS}))
    torch.distributed.destroy_process_group()


def found_by(way: str, rank: int) -> list[dict[str, float]]:
    from torchmetrics import MetricCollection

    from fullmarks.adapters.torchmetrics import Squad2, TokenF1

    metrics, part = MetricCollection({"squad": Squad2(), "f1": TokenF1()}), WAYS[way][rank]
    for start in range(0, len(part), 40):
        batch = part[start : start + 40]
        places = torch.tensor(list(batch)) if way == "dealt out" else None
        metrics.update([PREDICTIONS[at] for at in batch], [GOLDS[at] for at in batch], positions=places)
    twice = metrics.compute(), metrics.compute()
    return [{name: value.item() for name, value in found.items()} for found in twice]


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
def test_two_ranks_have_the_digits_of_one(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(work, args=(str(tmp_path),), nprocs=2)
    alone = fullmarks.load("token_f1").compute(predictions=PREDICTIONS, references=GOLDS)
    expected = {**official("squad2", PREDICTIONS, GOLDS), **alone}
    for rank in (0, 1):
        found = eval((tmp_path / f"found-{rank}").read_text())
        assert found == {way: [expected, expected] for way in WAYS}
