"""Names to classes without importing them: our own and those that other packages register by entry point."""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import Any

from fullmarks.errors import UsageError


class Registry:
    """What one entry-point group offers. Built-in names are looked up first and cost no scan of installed packages."""

    def __init__(self, kind: str, group: str, built_in: dict[str, str]) -> None:
        self.kind = kind
        self.group = group
        self.built_in = built_in

    def get(self, name: str) -> Any:
        """The class behind a name, or an error that suggests the nearest names."""
        if name in self.built_in:
            return _load(self.built_in[name])
        if name in self._registered:
            return self._load_registered(name)
        raise UsageError(self._unknown(name))

    def make(self, name: str, options: dict[str, Any]) -> Any:
        """The class behind a name with its options, or an error that names an option it does not have."""
        from dataclasses import fields

        kind = self.get(name)
        known = sorted(field.name for field in fields(kind))
        unknown = sorted(options.keys() - set(known))
        if unknown:
            raise UsageError(f"{name} has no option '{unknown[0]}'. Its options: {', '.join(known) or 'none'}")
        return kind(**options)

    def names(self) -> list[str]:
        """All names: the built-in ones, then those of other packages."""
        return [*self.built_in, *sorted(self._registered.keys() - self.built_in.keys())]

    @cached_property
    def _registered(self) -> dict[str, Any]:
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in entry_points(group=self.group)}

    def _load_registered(self, name: str) -> Any:
        entry = self._registered[name]
        try:
            return entry.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"the {self.kind} '{name}' comes from another package and cannot be loaded "
                f"from '{entry.value}' ({error}). Reinstall or update that package"
            ) from error

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.names(), n=2, cutoff=0.5) or self.names()[:2]
        hint = " or ".join(f"'{candidate}'" for candidate in near)
        return f"unknown {self.kind} '{name}'. Did you mean {hint}? See: fullmarks list"


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
