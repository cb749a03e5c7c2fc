"""What pyproject.toml cannot say: the compiled parts, and the addresses of the project.

The compiled parts are the text kernel, and what reads plain objects and looks for repeated keys. Without a C compiler
the install succeeds, and Python code does the same.
"""

from __future__ import annotations

import re
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

HOME = "https://github.com/fullmarks/fullmarks"  # the one place; a test holds all others to it
ADDRESSES = {
    "Homepage": HOME,
    "Documentation": "https://fullmarks.github.io/fullmarks/",
    "Source": HOME,
    "Changelog": f"{HOME}/blob/main/CHANGELOG.md",
    "Issues": f"{HOME}/issues",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?P<to>[^)\s]+)\)")


def version() -> str:
    """The version, which is read and not imported: nothing is installed yet."""
    found = re.search(r'__version__ = "(.+)"', Path("src/fullmarks/version.py").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit('src/fullmarks/version.py: expected a line __version__ = "..."')
    return found[1]


def absolute(text: str, release: str) -> str:
    """Markdown whose links to files of the repository lead to its home, at this release: an index page has no files.

    >>> absolute("[a](docs/a.md#b) [![c](d.png)](e.md) [f](#g)", "v1")  # doctest: +ELLIPSIS
    '[a](https://.../blob/v1/docs/a.md#b) [![c](https://.../raw/v1/d.png)](https://.../blob/v1/e.md) [f](#g)'
    """

    def led_home(link: re.Match[str]) -> str:
        to = link["to"]
        if not re.match(r"[a-z]+:|#", to):
            to = f"{HOME}/{'raw' if link['image'] else 'blob'}/{release}/{to}"
        return f"{link['image']}[{absolute(link['text'], release)}]({to})"

    return LINK.sub(led_home, text)


setup(
    ext_modules=[SPEED, KEYS],
    long_description=absolute(Path("README.md").read_text(encoding="utf-8"), f"v{version()}"),
    long_description_content_type="text/markdown",
    project_urls=ADDRESSES,
)
