"""The examples in the documentation of the code are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fullmarks

REGISTERING = ("fullmarks.adapters.inspect_ai", "fullmarks.adapters.lm_eval")
"""Modules whose import registers something with a tool: they need it, and are tested where it is installed."""
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fullmarks.__path__, "fullmarks.")
    if not module.name.endswith("__main__") and module.name not in REGISTERING
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
