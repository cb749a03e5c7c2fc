"""The compiled parts: the text kernel, and what reads plain objects and looks for repeated keys.

Without a C compiler the install succeeds, and Python code does the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Extension, setup

SPEED = Extension(
    "fullmarks.text._speed",
    ["src/fullmarks/text/_speed.c"],
    depends=sorted(map(str, Path("src/fullmarks/text").glob("_speed_*.h"))),
    # No fused multiply-add: it would round once where the Python functions round twice.
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
    libraries=[] if sys.platform == "win32" else ["m"],
    optional=True,
)

KEYS = Extension(
    "fullmarks.readers._keys",
    ["src/fullmarks/readers/_keys.c"],
    depends=sorted(map(str, Path("src/fullmarks/readers").glob("_keys_*.h"))),
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3"],
    optional=True,
)

setup(ext_modules=[SPEED, KEYS])
