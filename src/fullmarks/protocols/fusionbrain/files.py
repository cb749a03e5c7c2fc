"""FusionBrain's files: elements of text and image by id, and the number of every id's sub-task.

A bare element instead of a list of one is accepted. Whatever is wrong with single records is collected with their ids
and raised together, before anything is scored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from fullmarks.errors import InputError
from fullmarks.readers.complaints import Complaints
from fullmarks.readers.documents import Pairs, kind_of, pairs_of, read_plain
from fullmarks.readers.predictions import TakenById
from fullmarks.readers.saved_run import refuse_saved_run
from fullmarks.readers.source import Source
from fullmarks.types import Identifier

KINDS = ("text", "image")
SHAPE = '{"id": [{"type": "text" or "image", "content": ...}, ...], ...}'
IDS_SHAPE = '{"id": number of its sub-task, ...}'


class Element(NamedTuple):
    """One piece of a question or an answer: a text or the path of an image, in gold several to choose from."""

    kind: str
    content: list[str]
    is_list: bool = False
    """Whether the content was written as a list."""


Elements = list[Element]


def read_elements(
    source: Source, taken: TakenById, *, several: bool, plain: bool = False
) -> dict[Identifier, Elements]:
    """The elements of every id in file order, under the rule for repeated ids.

    `several` allows a list of options as content; `plain` allows a text, or a list of them, instead of elements.
    """
    complaints = Complaints(source.name)
    for identifier, value in _items(source, SHAPE):
        taken.put(identifier, _elements(value, f"id {identifier!r}", complaints, several=several, plain=plain))
    complaints.raise_all(f"Expected {SHAPE}.")
    return taken.values


def read_task_numbers(source: Source, taken: TakenById) -> dict[Identifier, int | str]:
    """The number or name of every id's sub-task."""
    complaints = Complaints(source.name)
    for identifier, value in _items(source, IDS_SHAPE):
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            found = repr(value) if isinstance(value, float) else kind_of(value)
            complaints.add(f"id {identifier!r}", f"expected a whole number or the name of a sub-task, found {found}")
        taken.put(identifier, value)
    complaints.raise_all(f"Expected {IDS_SHAPE}.")
    return taken.values


def first_of(elements: Elements, kind: str) -> Element | None:
    """The first element of a kind; the others do not count."""
    return next((element for element in elements if element.kind == kind), None)


def _items(source: Source, shape: str) -> Iterable[tuple[Identifier, Any]]:
    document = read_plain(source, pairs=True)
    if not isinstance(document, (dict, Pairs)):
        raise InputError(source.name, f"found {kind_of(document)} at the top", f"Expected {shape}.")
    refuse_saved_run(document, source.name)
    return pairs_of(document)


def _elements(value: Any, place: str, complaints: Complaints, *, several: bool, plain: bool) -> Elements:
    if plain and (isinstance(value, str) or _is_texts(value)):
        return [Element("text", [value] if isinstance(value, str) else list(value))]
    listed = [value] if isinstance(value, (dict, Pairs)) else value
    if not isinstance(listed, (list, tuple)):
        complaints.add(place, f"expected a list of elements, found {kind_of(value)}")
        return []
    found = [_element(one, f"element {number}", several) for number, one in enumerate(listed, start=1)]
    for problem in found:
        if isinstance(problem, str):
            complaints.add(place, problem)
    return [element for element in found if isinstance(element, Element)]


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(text, str) for text in value)


def _element(value: Any, place: str, several: bool) -> Element | str:
    """The element, or what is wrong with it."""
    if not isinstance(value, (dict, Pairs)):
        return f"{place}: expected an object with type and content, found {kind_of(value)}"
    fields = dict(value)
    for name in ("type", "content"):
        if name not in fields:
            return f"{place}: the field '{name}' is missing"
    kind, content = fields["type"], fields["content"]
    if kind not in KINDS:
        return f"{place}: expected the type 'text' or 'image', found {kind!r}"
    options = [content] if isinstance(content, str) else content
    is_list = isinstance(options, (list, tuple)) and not isinstance(options, Pairs)
    if not is_list or (options is content and not several):
        wanted = "a string or a list of strings" if several else "a string"
        return f"{place}: expected the content as {wanted}, found {kind_of(content)}"
    odd = [option for option in options if not isinstance(option, str)]
    return (
        f"{place}: expected options that are strings, found {kind_of(odd[0])}"
        if odd
        else Element(kind, list(options), options is content)
    )
