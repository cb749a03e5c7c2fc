"""`fullmarks doctor`: versions, the kernel in use, and optional parts with the line that installs them.

The optional parts are read from the installed package's own metadata, so the list is always the true one. The lines add
to the fullmarks that is installed, wherever it came from: pip looks up the missing packages alone.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from typing import Any

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import emit, format_option, output_page

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)[^;]*(;.*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"])?")
_ELSEWHERE = " From a checkout: pip install PATH, or with an optional part: pip install 'PATH[parquet]'"
_FOR_DEVELOPERS = ("dev", "docs")


def examine() -> dict[str, Any]:
    """All findings as plain data."""
    import os
    import platform
    import sys

    from fullmarks.text.kernel import IMPLEMENTATION
    from fullmarks.version import __version__

    core, extras = _requirements()
    return {
        "fullmarks": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": sys.executable,
        "installed_from": installed_from(),
        "kernel": IMPLEMENTATION,
        "kernel_asked_for": os.environ.get("FULLMARKS_KERNEL") == "python",
        "packages": {name: _installed(name) for name in core},
        "extras": {extra: _extra(extra, names) for extra, names in extras.items()},
    }


def installed_from() -> str:
    """Where the installed package came from, and for a folder that was never installed the line that does it."""
    try:
        installed = distribution("fullmarks")
    except PackageNotFoundError:
        from pathlib import Path

        return f"nowhere; from its folder: pip install --editable {Path(__file__).resolve().parents[4]}"
    record = installed.read_text("direct_url.json")  # written by installers for all that no package index gave
    if record is None:
        return "a package index"
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    origin = json.loads(record)
    address = urlsplit(origin["url"])
    place = url2pathname(address.path) if address.scheme == "file" else origin["url"]
    if "dir_info" not in origin:
        return str(place)
    return f"the checkout {place}{' (editable)' if origin['dir_info'].get('editable') else ''}"


def missing_extras() -> set[str]:
    """The extras of which a package is not installed."""
    return {extra for extra, names in _requirements()[1].items() if None in map(_installed, names)}


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """The packages that are always needed, and those of every extra."""
    core: list[str] = []
    extras: dict[str, list[str]] = {}
    try:
        lines = requires("fullmarks") or []
    except PackageNotFoundError:  # run from a folder that was never installed
        return core, extras
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found is None or found["name"] == "fullmarks":
            continue
        if found["extra"] is None:
            core.append(found["name"])
        elif found["extra"] not in _FOR_DEVELOPERS:
            extras.setdefault(found["extra"], []).append(found["name"])
    return core, extras


def _extra(extra: str, names: list[str]) -> dict[str, Any]:
    packages = {name: _installed(name) for name in names}
    present = None not in packages.values()
    return {
        "present": present,
        "packages": packages,
        "install": None if present else f"pip install 'fullmarks[{extra}]'",
    }


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _text(found: dict[str, Any]) -> str:
    from fullmarks.report.drawing import BAD, DOUBTFUL, GOOD, draw, line, table

    page = output_page()
    plain = [[name, found[name]] for name in ("fullmarks", "python", "platform", "executable")]
    plain.append(["installed from", found["installed_from"]])
    plain.append(["kernel", _kernel(found)])
    packages = [[name, number or line("missing", BAD)] for name, number in found["packages"].items()]
    extras = [
        [name, line("present", GOOD) if extra["present"] else line("missing", DOUBTFUL), _state(extra)]
        for name, extra in found["extras"].items()
    ]
    parts: list[Any] = [table(page, ["", ""], plain, numbers=())]
    if packages:
        parts.append(table(page, ["package", "version"], packages, numbers=()))
    if extras:
        parts.append(table(page, ["optional part", "", "packages"], extras, numbers=()))
    if not found["installed_from"].startswith("a package index"):
        parts.append(line(_ELSEWHERE))
    return draw(page, *parts)


def _kernel(found: dict[str, Any]) -> str:
    if found["kernel"] != "python":
        return f"{found['kernel']} (compiled)"
    if found["kernel_asked_for"]:
        return "python (asked for by FULLMARKS_KERNEL)"
    return "python (slower; the compiled one was not built)"


def _state(extra: dict[str, Any]) -> str:
    if extra["present"]:
        return ", ".join(f"{name} {number}" for name, number in extra["packages"].items())
    return str(extra["install"])


def _run(output_format: str | None) -> None:
    found = examine()
    if output_format == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(found))
    else:
        emit(_text(found))


command = click.Command(
    "doctor", callback=_run, params=[format_option("text", "json", elsewhere="text")], help=ENTRIES["doctor"].summary
)
