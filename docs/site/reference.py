"""The Python reference: public names are documented as `fullmarks.NAME`, wherever they are defined."""

from __future__ import annotations

from typing import Any

import fullmarks

PUBLIC = "|".join(fullmarks._HOMES)

FOREIGN_NAMES = [
    # Python's own and NumPy's: their inventories would have to be fetched.
    (r"py:.*", r"(builtins|collections|typing|os|pathlib|array|numpy|io|dataclasses|re|types|enum)(\..*)?"),
    (r"py:.*", r"[a-z]+"),
    # Types behind the public ones, which signatures name and the reference does not list; public ones must be found.
    (r"py:class", rf"(?!({PUBLIC})$)[A-Z]\w*"),
    (r"py:class", rf"fullmarks\.[a-z_.]+\.(?!({PUBLIC})$)\w+"),
]


def _leave_out(_app: Any, _kind: str, _name: str, value: Any, _skip: bool, _options: Any) -> bool | None:
    """Functions without a word of explanation are not part of the reference."""
    return True if callable(value) and not value.__doc__ else None


def _resolve(app: Any, env: Any, node: Any, content: Any) -> Any:
    """A link to a type that is named without its module, as annotations name it, if just one of that name is listed."""
    name = node.get("reftarget", "").rpartition(".")[2]
    python = env.domains["py"]
    found = [full for full in python.objects if full.rpartition(".")[2] == name and name[:1].isupper()]
    if node.get("refdomain") != "py" or len(found) != 1:
        return None
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, content)


def setup(app: Any) -> None:
    """Let public names be known under the package's name, before anything is documented."""
    for name in fullmarks._HOMES:
        getattr(fullmarks, name).__module__ = "fullmarks"
    app.connect("autodoc-skip-member", _leave_out)
    app.connect("missing-reference", _resolve)
