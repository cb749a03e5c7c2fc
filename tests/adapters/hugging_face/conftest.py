"""What the tools of this environment warn of among themselves: nothing of ours can change it."""

from __future__ import annotations

import pytest

FOREIGN = (
    "ignore::DeprecationWarning:(torch|torchmetrics|transformers|accelerate|evaluate|datasets|dill|multiprocess)",
    "ignore::FutureWarning:(torch|torchmetrics|transformers|accelerate|evaluate|datasets)",
    "ignore::UserWarning:(torch|transformers|accelerate)",  # no GPU to pin memory for, and the like
)


def pytest_configure(config: pytest.Config) -> None:
    for line in FOREIGN:
        config.addinivalue_line("filterwarnings", line)
