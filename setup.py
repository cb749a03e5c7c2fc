"""The compiled text kernel; without a C compiler the install succeeds and the Python kernel is used."""

from __future__ import annotations

import sys

from setuptools import Extension, setup

SPEED = Extension(
    "fullmarks.text._speed",
    ["src/fullmarks/text/_speed.c"],
    depends=[f"src/fullmarks/text/_speed_{part}.h" for part in ("bleu", "ngrams", "overlap", "sets", "squad", "text")],
    # No fused multiply-add: it would round once where the Python functions round twice.
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
    optional=True,
)

setup(ext_modules=[SPEED])
