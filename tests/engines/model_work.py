"""A network and work for it that actors import: it counts, is slow, fails or ends its process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any


class Doubler:
    """Opened under a name that is its identity; what the name says may go wrong when it is opened."""

    def __init__(self, name: str = "doubler", *, device: str | None = None) -> None:
        own = {"different": f"different-{os.getpid()}", "where": str(Path.cwd())}
        self.identity = own.get(name, name)
        if name == "broken":
            raise FileNotFoundError("no such weights")


def double(network: Any, batch: int) -> tuple[int, int]:
    """The doubled number and who doubled it, a little later for even ones."""
    time.sleep(0.05 if batch % 2 == 0 else 0.0)
    return 2 * batch, os.getpid()


def fail_from_five(network: Any, batch: int) -> int:
    time.sleep(0.3 if batch == 5 else 0.0)
    if batch >= 5:
        raise ValueError(f"batch {batch} is not liked")
    return batch


def end_at_two(network: Any, batch: int) -> int:
    if batch == 2:
        os._exit(1)
    return batch


def torch_threads(network: Any, batch: int) -> int:
    import torch

    return torch.get_num_threads()


def end_once(marker: str, network: Any, batch: int) -> int:
    """Ends its process at batch 3 unless it was there before."""
    if batch == 3 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return 10 * batch
