"""Names to classes without importing them: our own and those that other packages register by entry point."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cached_property
from typing import Any

from fullmarks.checks import wrong_value
from fullmarks.errors import UsageError
from fullmarks.frozen import declared_fields

_CONTRACTS = {
    "engine": "fullmarks.engines.engine:Engine",
    "metric": "fullmarks.metrics.measure:Measure",
    "protocol": "fullmarks.protocols.protocol:Protocol",
}
"""What a class of another package has to be a subclass of, by kind."""

Modules = Callable[[], list[str]]


def folders_with(place: str, module: str) -> list[str]:
    """The names of the folders that hold this module, sorted."""
    return sorted(entry.name for entry in os.scandir(place) if os.path.exists(f"{entry.path}/{module}.py"))


def class_name(name: str) -> str:
    """The name of the class that is registered under a name.

    >>> class_name("nq_open")
    'NqOpen'
    """
    return "".join(map(str.capitalize, name.split("_")))


class Registry:
    """What one entry-point group offers. Built-in names are looked up first and cost no scan of installed packages."""

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: dict[str, str],
        modules: Modules = list,
        advice: str = "See: fullmarks list",
    ) -> None:
        self.kind = kind
        self.advice = advice
        """What to do about a name that is unknown."""
        self.group = group
        self.built_in = built_in
        self.modules = modules
        """The modules of ours that hold more classes, each with its own name; imported only to look for one."""

    def get(self, name: str) -> Any:
        """The class behind a name, or an error that suggests the nearest names."""
        if not isinstance(name, str):
            raise wrong_value(f"the name of a {self.kind}", "a text", name, self.advice)
        if name in self.built_in:
            return _load(self.built_in[name])
        if name in self._found:
            return self._found[name]
        if name in self._registered:
            return self._load_registered(name)
        known = self._other_names.get(_bare(name))
        if known is not None:
            return self.get(known)
        raise UsageError(self._unknown(name))

    def make(self, name: str, options: dict[str, Any]) -> Any:
        """The class behind a name with its options, or an error that names an option it does not have."""
        kind = self.get(name)
        known = sorted(declared_fields(kind))
        unknown = sorted(options.keys() - set(known))
        if unknown:
            raise UsageError(f"{name} has no option '{unknown[0]}'. Its options: {', '.join(known) or 'none'}")
        return kind(**options)

    def package_of(self, name: str) -> str:
        """The name and version of the package that registers a name, as in my-package 1.0; empty for ours."""
        entry = None if name in self.built_in or name in self._found else self._registered.get(name)
        package = None if entry is None else entry.dist
        return "" if package is None else f"{package.metadata['Name']} {package.version}"

    def names(self) -> list[str]:
        """All names: the built-in ones, then those of other packages."""
        own = self.own_names()
        return [*own, *sorted(self._registered.keys() - set(own))]

    def own_names(self) -> list[str]:
        """The built-in names, those of our further modules included."""
        return [*self.built_in, *self._found]

    @cached_property
    def _found(self) -> dict[str, Any]:
        """What the further modules hold, by name: every public class of the contract that is made there."""
        contract = _load(_CONTRACTS[self.kind])
        found = {}
        for place in self.modules():
            for value in vars(importlib.import_module(place)).values():
                is_class = isinstance(value, type) and issubclass(value, contract) and value.__module__ == place
                if is_class and not value.__name__.startswith("_"):
                    found[value.name] = value
        return found

    @cached_property
    def _other_names(self) -> dict[str, str]:
        """The name behind each other spelling and each other name that a class has, whatever its case and marks.

        Asked for only where a name is unknown, for every class is imported for it; one that cannot be used has none.
        """
        found: dict[str, str] = {}
        for name in self.names():
            try:
                others = getattr(self.get(name), "also_known_as", ())
            except UsageError:
                others = ()
            for other in (name, *others):
                found.setdefault(_bare(other), name)
        return found

    @cached_property
    def _registered(self) -> dict[str, Any]:
        from importlib.metadata import entry_points

        return {entry.name: entry for entry in entry_points(group=self.group)}

    def _load_registered(self, name: str) -> Any:
        entry = self._registered[name]
        which = f"the {self.kind} '{name}' comes from another package and cannot be"
        try:
            with redirect_stdout(sys.stderr):  # standard output belongs to the caller, and may be read by a program
                found = entry.load()
        except (Exception, SystemExit) as error:  # the code of another package may fail in any way
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise UsageError(
                f"{which} loaded from '{entry.value}' ({reason}). Reinstall or update that package"
            ) from error
        contract = _load(_CONTRACTS[self.kind])
        if not isinstance(found, type) or not issubclass(found, contract):
            raise UsageError(f"{which} used: '{entry.value}' is no subclass of fullmarks.{self.kind.capitalize()}")
        lacking = _lacking(found, contract)
        if lacking:
            raise UsageError(
                f"{which} used: '{entry.value}' lacks {', '.join(lacking)}. "
                f"Give the class what every {self.kind} must have, or update that package"
            )
        return found

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.names(), n=2, cutoff=0.5)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        return f"unknown {self.kind} {name!r}.{hint} {self.advice}"


def _bare(name: str) -> str:
    """A name without case, hyphens, underscores and blanks.

    >>> _bare("NQ-Open") == _bare("nq_open")
    True
    """
    return "".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _lacking(found: type, contract: Any) -> list[str]:
    """What the contract declares and leaves to its subclasses, and this one does not have."""
    from dataclasses import fields, is_dataclass
    from inspect import get_annotations

    options = {field.name for field in fields(contract)} if is_dataclass(contract) else set()
    declared = [name for name in get_annotations(contract) if name not in options]
    missing = [name for name in declared if not hasattr(found, name)]
    return [*missing, *sorted(getattr(found, "__abstractmethods__", ()))]


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
