"""The examples in the documentation of the code are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import fullmarks

SOURCE = Path(fullmarks.__file__).parent


def test_examples() -> None:
    files = [path for path in sorted(SOURCE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    names = [".".join(("fullmarks", *path.relative_to(SOURCE).with_suffix("").parts)) for path in files]
    modules = [importlib.import_module(name.removesuffix(".__init__")) for name in names]
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert sum(result.attempted for result in results.values()) > 150
    failed = [name for name, result in results.items() if result.failed]
    assert not failed, f"examples that are not true in: {', '.join(failed)}"
