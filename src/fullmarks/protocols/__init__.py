"""Benchmarks, one folder each: `protocol.py` and, where it has them, its own rules, metric, files, card and sample.

`PROTOCOLS` finds them by their folders and imports none: `nq_open/protocol.py` holds the class `NqOpen`.
"""

from __future__ import annotations

from fullmarks.registry import Registry, class_name, folders_with

PROTOCOLS = Registry(
    "protocol",
    "fullmarks.protocols",
    {name: f"{__name__}.{name}.protocol:{class_name(name)}" for name in folders_with(__path__[0], "protocol")},
)
