"""Dataclasses that are made without `dataclasses`, frozen ones and others.

That module imports the inspection of code and compiles six methods for every class: an eighth of what the smallest
command takes. What `frozen` and `record` make is a dataclass to everybody who looks (`fields`, `replace`,
`inspect.signature`, `@dataclass` on a subclass): what they look for is made when they do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

if TYPE_CHECKING:
    from dataclasses import Field
    from inspect import Signature

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[T], T]:
        """For type checkers alone."""
        return lambda function: function


T = TypeVar("T")

NOTHING: Any = object()
"""The default of a field that has none."""
_FIELDS = "__dataclass_fields__"
_NO_FACTS: Mapping[str, Any] = MappingProxyType({})


class Declared:
    """A field as its class declares it."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "metadata", "name", "type")

    def __init__(self, default: Any, default_factory: Any, init: bool, compare: bool, metadata: Any) -> None:
        self.name = self.type = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.compare = compare
        self.metadata: Mapping[str, Any] = MappingProxyType(metadata) if metadata else _NO_FACTS
        self.kw_only = False


class _View:
    """A class's fields, and the same as a dataclass of the library, made when it is first needed."""

    def __init__(self, name: str, fields: dict[str, Declared], is_frozen: bool) -> None:
        self.name = name
        self.declared = fields
        self.is_frozen = is_frozen

    @cached_property
    def standard(self) -> Any:
        """A dataclass with the same fields."""
        from dataclasses import field, make_dataclass

        fields = []
        for name, each in self.declared.items():
            given = {"default": each.default, "default_factory": each.default_factory}
            known: Any = {kind: value for kind, value in given.items() if value is not NOTHING}
            made = field(**known, init=each.init, compare=each.compare, metadata=each.metadata, kw_only=each.kw_only)
            fields.append((name, each.type, made))
        return make_dataclass(self.name, fields, frozen=self.is_frozen)


class _Shown:
    """What the library looks for at a dataclass and at its instances."""

    def __init__(self, view: _View, name: str) -> None:
        self.view = view
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        return getattr(self.view.standard, self.name)


class _Signature:
    """The signature of a class, and of subclasses that are made like it."""

    def __init__(self, view: _View) -> None:
        self.view = view

    def __get__(self, instance: object, owner: type) -> Signature:
        if getattr(_held(owner), "view", None) is not self.view:
            raise AttributeError("__signature__")
        from inspect import signature

        return signature(self.view.standard)


def declared(
    *,
    default: Any = NOTHING,
    default_factory: Any = NOTHING,
    compare: bool = True,
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """A field with more to it than a default, for `frozen` and for `dataclass`.

    Whoever writes `@dataclass` has imported the module before the fields of the class are made, and gets what it knows.
    """
    library = sys.modules.get("dataclasses")
    if library is None:
        return Declared(default, default_factory, True, compare, metadata)
    given = {"default": default, "default_factory": default_factory}
    return library.field(
        **{name: value for name, value in given.items() if value is not NOTHING}, compare=compare, metadata=metadata
    )


def declared_fields(of: Any) -> dict[str, Declared | Field[Any]]:
    """The fields of a dataclass or of one of its instances, however it was made, by name."""
    kind = of if isinstance(of, type) else type(of)
    held = _held(kind)
    if isinstance(held, _Shown):
        return dict(held.view.declared)
    from dataclasses import fields

    return {field.name: field for field in fields(kind)}


def replaced(value: T, /, **changes: Any) -> T:
    """The same value with these fields changed."""
    kept = {name: getattr(value, name) for name, field in declared_fields(value).items() if field.init}
    return type(value)(**(kept | changes))


def _held(kind: type) -> Any:
    return next(vars(base)[_FIELDS] for base in kind.__mro__ if _FIELDS in vars(base))


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = False, repr: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(declared,))
def frozen(cls: type[T] | None = None, /, *, kw_only: bool = False, repr: bool = True) -> Any:  # noqa: A002 - as there
    """Make the class what `dataclass(frozen=True)` would make of it. Its annotations are texts."""
    if cls is None:
        return lambda each: _made(each, kw_only, repr)
    return _made(cls, kw_only, repr)


@dataclass_transform(field_specifiers=(declared,))
def record(cls: type[T]) -> type[T]:
    """Make the class what `dataclass` would make of it. Its annotations are texts."""
    return _made(cls, is_frozen=False)


def _made(cls: type[T], kw_only: bool = False, shows: bool = True, is_frozen: bool = True) -> type[T]:
    view = _View(cls.__name__, _fields_of(cls, kw_only), is_frozen)
    members: dict[str, Any] = {
        **_methods(cls, view, shows),
        _FIELDS: _Shown(view, _FIELDS),
        "__dataclass_params__": _Shown(view, "__dataclass_params__"),
        "__replace__": replaced,
        "__signature__": _Signature(view),
        "__match_args__": tuple(name for name, field in view.declared.items() if field.init and not field.kw_only),
    }
    for name, member in members.items():
        if name not in vars(cls):
            setattr(cls, name, member)
    if vars(cls).get("__hash__") is None:  # none of its own, or taken away because it has its own equality
        cls.__hash__ = members["__hash__"]  # type: ignore[method-assign]
    return cls


def _fields_of(cls: type, kw_only: bool) -> dict[str, Declared]:
    """The fields in the order of their first declaration, those of bases first; defaults become class attributes."""
    found: dict[str, Declared] = {}
    for base in cls.__mro__[-1:0:-1]:
        if _FIELDS in vars(base):
            found.update((name, _plain(field)) for name, field in declared_fields(base).items())
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if annotation.startswith(("ClassVar", "typing.ClassVar")):
            continue
        value = vars(cls).get(name, NOTHING)
        field = _plain(value) if _is_field(value) else Declared(value, NOTHING, True, True, None)
        field.name, field.type, field.kw_only = name, annotation, kw_only
        if field.default is not NOTHING:
            setattr(cls, name, field.default)
        elif value is not NOTHING:
            delattr(cls, name)
        found[name] = field
    return found


def _is_field(value: object) -> bool:
    library = sys.modules.get("dataclasses")
    return isinstance(value, Declared) or (library is not None and isinstance(value, library.Field))


def _plain(field: Any) -> Declared:
    """The field as ours."""
    if isinstance(field, Declared):
        return field
    from dataclasses import MISSING

    default, factory = (NOTHING if each is MISSING else each for each in (field.default, field.default_factory))
    plain = Declared(default, factory, field.init, field.compare, field.metadata)
    plain.name, plain.type, plain.kw_only = field.name, field.type, bool(field.kw_only)
    return plain


def _methods(cls: type[Any], view: _View, shows: bool) -> dict[str, Any]:
    """What `dataclass` would write for these fields."""
    fields = view.declared
    taken = {name for name, field in fields.items() if field.init}
    in_order = tuple(name for name, field in fields.items() if field.init and not field.kw_only)
    compared = tuple(name for name, field in fields.items() if field.compare)
    put = object.__setattr__

    def completed(given: dict[str, Any], values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        if len(values) > len(in_order) or not named.keys() <= taken - given.keys():
            view.standard(*values, **named)  # raises what Python says of such a call
        given |= named
        for name, field in fields.items():
            if name in given:
                continue
            if field.default_factory is not NOTHING:
                given[name] = field.default_factory()
            elif field.init and field.default is NOTHING:
                view.standard(*values, **named)
            elif field.init:
                given[name] = field.default
        return {name: given[name] for name in fields if name in given}

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:  # noqa: N807
        given: Any = zip(in_order, values, strict=False)
        if named or len(values) != len(fields) or len(in_order) != len(fields):
            given = completed(dict(given), values, named).items()
        for name, value in given:
            put(self, name, value)
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    def __repr__(self: Any) -> str:  # noqa: N807
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{type(self).__qualname__}({shown})"

    def values_of(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in compared)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return values_of(self) == values_of(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values_of(self))

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in fields:
            _refuse(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in fields:
            _refuse(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    made = [__init__, __eq__, *([__repr__] if shows else [])]
    if not view.is_frozen:
        return {**{method.__name__: method for method in made}, "__hash__": None}
    made += [__hash__, __setattr__, __delattr__]
    return {method.__name__: method for method in made}


def _refuse(what: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(what)
