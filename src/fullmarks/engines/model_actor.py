"""What an actor of a model does: it opens the network, says what it computes with, and computes batches."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from fullmarks.backends.batches import Opener
from fullmarks.optional import require
from fullmarks.version import __version__

PACKAGES = ("torch", "transformers", "pillow", "numpy")
"""What moves the last bits of a feature, beside the machine itself."""


class Presence(NamedTuple):
    """Where an actor runs, and what it computes with."""

    process: int
    host: str
    facts: dict[str, str]


class NetworkActor:
    """What runs in an actor: it opens the network when it is first asked for something.

    `folder` is where the caller works: files that are named from there are found where machines share a disk.
    """

    def __init__(self, opener: Opener, threads: int | None, folder: str) -> None:
        self._opener, self._threads, self._folder = opener, threads, folder
        self._network: Any = None

    def ready(self) -> Presence:
        """Open the network, and say where."""
        identity = str(self._opened().identity)
        facts = {"model": identity, "fullmarks": __version__, "Python": platform.python_version()}
        facts.update((name, _installed(name)) for name in PACKAGES)
        return Presence(os.getpid(), socket.gethostname(), facts)

    def compute(self, work: Callable[[Any, Any], Any], batch: Any) -> Any:
        """What the work makes of the network and the batch."""
        return work(self._opened(), batch)

    def _opened(self) -> Any:
        if self._network is None:
            with suppress(OSError):
                os.chdir(self._folder)
            if self._threads is not None:
                require("torch", needed_by="a model", extra="vision").set_num_threads(self._threads)
            self._network = self._opener.open()
        return self._network


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"
