"""Where a network runs: the device asked for, or the first usable one."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import UsageError


def choose_device(torch: Any, name: str | None = None) -> Any:
    """The torch device of that name (cpu, cuda, cuda:1, mps); without a name a GPU if there is one."""
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"unknown device {name!r}: expected cpu, cuda, cuda:N or mps") from error
    usable = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not usable.get(device.type, False):
        raise UsageError(f"device {name!r} is not available here; use cpu")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UsageError(f"device {name!r} does not exist: there are {torch.cuda.device_count()} GPUs")
    return device
