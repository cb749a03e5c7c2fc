"""Classes made by `frozen` behave as those that `dataclass(frozen=True)` makes, and are dataclasses to it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from fullmarks.frozen import declared, declared_fields, frozen, record, replaced
from fullmarks.types import Audit, Example, Total


def checked(self: Any) -> None:
    if self.least < 0:
        raise ValueError("least")


@frozen
class Ours:
    kind: ClassVar[str] = "x"
    name: str
    least: int = declared(default=1, metadata={"most": 3})
    notes: dict[str, int] = declared(default_factory=dict, compare=False)

    __post_init__ = checked


@dataclass(frozen=True)
class Theirs:
    kind: ClassVar[str] = "x"
    name: str
    least: int = dataclasses.field(default=1, metadata={"most": 3})
    notes: dict[str, int] = dataclasses.field(default_factory=dict, compare=False)

    __post_init__ = checked


@frozen(kw_only=True)
class OursBelow(Ours):
    more: float = 0.5
    least: int = 2


@dataclass(frozen=True, kw_only=True)
class TheirsBelow(Theirs):
    more: float = 0.5
    least: int = 2


@dataclass(frozen=True, kw_only=True)
class TheirsBelowOurs(Ours):
    more: float = 0.5
    least: int = 2


@frozen(kw_only=True)
class OursBelowTheirs(Theirs):
    more: float = 0.5
    least: int = 2


class Undecorated(Ours):
    """As users may derive from a dataclass without deriving another."""


PAIRS = [
    pytest.param(Ours, Theirs, id="alone"),
    pytest.param(OursBelow, TheirsBelow, id="below"),
    pytest.param(TheirsBelowOurs, TheirsBelow, id="theirs below ours"),
    pytest.param(OursBelowTheirs, TheirsBelow, id="ours below theirs"),
]
CALLS = [
    ((), {}),
    (("a",), {}),
    (("a", 2), {}),
    (("a",), {"least": 2}),
    (("a", 2, {}, 0.1), {}),
    (("a",), {"name": "b"}),
    (("a",), {"other": 1}),
    (("a",), {"notes": {"z": 1}}),
    (("a",), {"least": -1}),
    (("a",), {"more": 0.1, "least": 2}),
    ((), {"name": "a"}),
]


def outcome(kind: type, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    try:
        made = kind(*values, **named)
    except (TypeError, ValueError) as error:
        return type(error), str(error).replace(kind.__qualname__, "C")
    return vars(made), list(vars(made)), repr(made).replace(kind.__qualname__, "C")


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize(("values", "named"), CALLS)
def test_calls_end_alike(ours, theirs, values, named):
    assert outcome(ours, values, named) == outcome(theirs, values, named)


def shown(fields: Any) -> list[Any]:
    return [
        (f.name, f.type, f.default, f.default_factory, f.init, f.compare, dict(f.metadata), f.kw_only) for f in fields
    ]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_the_library_sees_the_same(ours, theirs):
    assert dataclasses.is_dataclass(ours)
    assert shown(dataclasses.fields(ours)) == shown(dataclasses.fields(theirs))
    assert shown(dataclasses.fields(ours("a"))) == shown(dataclasses.fields(theirs("a")))
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours.__match_args__ == theirs.__match_args__
    assert dataclasses.asdict(ours("a")) == dataclasses.asdict(theirs("a"))
    assert dataclasses.replace(ours("a"), least=3) == replaced(ours("a"), least=3) == ours("a", least=3)
    assert ours("a", least=2).__replace__(least=3) == ours("a", least=3)
    assert (ours.least, hasattr(ours, "name"), hasattr(ours, "notes")) == (theirs.least, False, False)
    assert list(declared_fields(ours)) == list(declared_fields(ours("a"))) == [f.name for f in dataclasses.fields(ours)]


@pytest.mark.parametrize("kind", [Ours, OursBelow, TheirsBelowOurs, OursBelowTheirs, Undecorated])
def test_instances_are_frozen_values(kind):
    value = kind("a", notes={"z": 1})
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    assert value == kind("a") != kind("b")
    assert hash(value) == hash(kind("a"))
    assert value != Ours("a") or kind is Ours
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(same) is kind
        assert vars(same) == vars(value)


def test_a_subclass_without_decorator_is_like_its_base():
    assert repr(Undecorated("a")) == "Undecorated(name='a', least=1, notes={})"
    assert str(inspect.signature(Undecorated)) == str(inspect.signature(Theirs))
    value = Undecorated("a")
    value.other = 1
    assert value.other == 1


def test_methods_of_the_class_stay():
    @frozen
    class Own:  # noqa: PLW1641 - frozen gives it one
        a: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

    assert (repr(Own(1)), Own(1) == Own(2), hash(Own(1))) == ("own", True, hash((1,)))


SCRIPT = """
from __future__ import annotations
import sys
from fullmarks.frozen import declared, frozen
@frozen
class A:
    a: int = declared(default=1, metadata={"most": 3})
    b: list[int] = declared(default_factory=list)
assert A().b is not A().b and repr(A(2)) == "A(a=2, b=[])" and hash(A.a)
assert "dataclasses" not in sys.modules
import dataclasses
assert [dict(field.metadata) for field in dataclasses.fields(A)] == [{"most": 3}, {}]
@dataclasses.dataclass(frozen=True)
class B(A):
    c: int = declared(default=5, metadata={"least": 1})
assert B(c=4) == B(1, [], 4) and dataclasses.fields(B)[2].metadata["least"] == 1
"""


def test_fields_declared_before_the_library_is_there():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


@record
class OurRecord:
    name: str
    notes: list[int] = declared(default_factory=list)


@dataclass
class TheirRecord:
    name: str
    notes: list[int] = dataclasses.field(default_factory=list)


def test_a_record_is_a_dataclass_that_changes():
    for kind in (OurRecord, TheirRecord):
        value = kind("a")
        value.notes.append(1)
        value.name = "b"
        assert value == kind("b", [1]) != kind("b")
        assert repr(value) == f"{kind.__name__}(name='b', notes=[1])"
        assert dataclasses.replace(value, name="c") == kind("c", [1])
        assert dataclasses.asdict(value) == {"name": "b", "notes": [1]}
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
        assert not kind.__dataclass_params__.frozen
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
            kind()


def test_what_passes_between_rooms_keeps_its_shape():
    """Shown, compared and pickled as values of their fields; neither a sum nor an example can be changed."""
    total = Total(2, (1.0, 0.5))
    assert repr(total) == "Total(n=2, sums=(1.0, 0.5))"
    example = Example("q1", "a", ["b"])
    assert repr(example) == "Example(id='q1', prediction='a', references=['b'], columns={}, parts={}, facts={})"
    audit = Audit(gold=1)
    audit.add("odd things", "note", ["q1"])
    for value in (total, example, audit):
        assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == value
    for value, name in ((total, "n"), (example, "id")):
        with pytest.raises(AttributeError):
            setattr(value, name, 0)
