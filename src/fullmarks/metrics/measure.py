"""What every metric has, be it one of examples (`Metric`) or of whole sets (`SetMetric`): a name, options, a signature.

It is a frozen dataclass: its fields are its options, and its options are its signature.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from fullmarks.options import check_options, option_values
from fullmarks.version import __version__


class Measure(ABC):
    """What `fullmarks.load` finds by name. Subclasses say what is measured."""

    name: ClassVar[str]
    """The name under which it is registered; the first word of its signature."""
    summary: ClassVar[str]
    """What it is, in one line of `fullmarks list`."""
    citation: ClassVar[str] = ""
    """Where it was published, as a list of references has it."""
    features: ClassVar[dict[str, str]] = {"predictions": "text", "references": "list of texts"}
    """What an example brings, by name: its prediction, its references, and the columns that it needs or may have."""
    needs: ClassVar[str] = ""
    """The extra that has to be installed, if any."""
    less_is_better: ClassVar[tuple[str, ...]] = ()
    """The scores that are better the smaller they are."""

    @property
    def runs_models(self) -> bool:
        """Whether it runs neural models, which an engine may have elsewhere."""
        return False

    def __post_init__(self) -> None:
        check_options(self)

    def options(self) -> dict[str, Any]:
        """The options by name, in their order of declaration."""
        return option_values(self)

    def signature_parts(self) -> dict[str, str]:
        """What changes the number, besides the metric's name, n and the version: here every option."""
        return {name: signature_value(value) for name, value in self.options().items()}

    def signature(self, n: int) -> str:
        """The rules and options behind a number, in one line.

        On the same questions, two numbers with the same signature are comparable.
        """
        return signature_line(self.name, self.signature_parts(), n)


def signature_line(name: str, parts: Mapping[str, str], n: int) -> str:
    """A signature in the form that every number has.

    >>> signature_line("bleu", {"max_order": "4"}, 100)  # doctest: +ELLIPSIS
    'bleu|max_order:4|n:100|v:...'
    """
    return "|".join([name, *(f"{key}:{value}" for key, value in parts.items()), f"n:{n}", f"v:{__version__}"])


def signature_value(value: object) -> str:
    """An option in a signature; a function is told from the named choice that may have its name.

    >>> signature_value("max"), signature_value(max), signature_value(("a", "b"))
    ('max', 'function:max', 'a+b')
    """
    if callable(value):
        return f"function:{getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "+".join(str(item) for item in value)
    return str(value)
