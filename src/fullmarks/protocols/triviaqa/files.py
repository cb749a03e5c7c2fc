"""TriviaQA's gold: one object for Wikipedia, Web and verified questions, told apart by what it says of itself.

The key of a prediction is the question's id in the Wikipedia form; in every other form each document of a question
has one of its own, `QuestionId--Filename`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fullmarks.errors import InputError
from fullmarks.protocols.triviaqa.rules import RECIPE
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, FindingKind, Gold

ALIASES = "aliases"
"""The fact with the answers as people write them, which the published program does not read."""
OTHER_VERSION = FindingKind("other-version", "files of another version than 1.0")
_COLUMNS = {"question": "Question", "question_source": "QuestionSource"}
_SHAPE = 'Expected {"Domain", "VerifiedEval", "Data": [{"QuestionId", "Answer": {"NormalizedAliases": [...]}}]}.'


class _Form(NamedTuple):
    """What a file says of itself."""

    domain: str
    is_verified: bool
    needs_aliases: bool
    """Whether `Aliases` are right answers, which the file does not say."""

    @property
    def is_by_document(self) -> bool:
        """Any word but Wikipedia is read as Web."""
        return self.domain != "Wikipedia"


def read_triviaqa(source: Source, audit: Audit, *, needs_aliases: bool) -> Gold:
    """The questions, or their documents, in the order of the file; a key that comes twice is there twice.

    The published program does not read `Aliases`: unless they are needed they may be anything.
    """
    document = read_values(source)
    if not isinstance(document, dict):
        raise InputError(source.name, f"expected an object, found {kind_of(document)}", _SHAPE)
    domain, is_verified = (_field(document, name, source.name) for name in ("Domain", "VerifiedEval"))
    if not isinstance(is_verified, bool):
        raise InputError(source.name, f"'VerifiedEval' must be true or false, found {kind_of(is_verified)}", _SHAPE)
    if document.get("Version") != 1.0:
        found = f"'Version' is {document.get('Version')!r}; it is scored all the same, as in the published program"
        audit.add(OTHER_VERSION, "warning", count=1, detail=found, where=source.name)
    gold = Gold([], [], {name: [] for name in ("question_id", "answer_type", *_COLUMNS)}, {ALIASES: []})
    form = _Form(domain, is_verified, needs_aliases)
    for place, question in _list(document, "Data", source.name):
        if not is_verified or _field(question, "QuestionPartOfVerifiedEval", place):
            _add(gold, question, form, place)
    gold.columns = {name: found for name, found in gold.columns.items() if any(value is not None for value in found)}
    return gold


def _add(gold: Gold, question: dict[str, Any], form: _Form, place: str) -> None:
    identifier, answer = _field(question, "QuestionId", place), _field(question, "Answer", place)
    if not isinstance(answer, dict):
        raise InputError(place, f"'Answer' must be an object, found {kind_of(answer)}", _SHAPE)
    references = [*_texts(answer, "NormalizedAliases", place)]
    references += map(RECIPE, _texts(answer, "HumanAnswers", place, or_none=True))
    is_read = form.needs_aliases or _are_texts(answer.get("Aliases"))
    aliases = _texts(answer, "Aliases", place, or_none=True) if is_read else []
    for key in _keys(identifier, question, form, place):
        gold.ids.append(key)
        gold.references.append(references)
        gold.facts[ALIASES].append(aliases or references)
        gold.columns["question_id"].append(identifier)
        gold.columns["answer_type"].append(answer.get("Type"))
        for name, field in _COLUMNS.items():
            gold.columns[name].append(question.get(field))


def _keys(identifier: str, question: dict[str, Any], form: _Form, place: str) -> list[str]:
    """The keys under which a question wants predictions."""
    if not form.is_by_document:
        return [identifier]
    documents = [
        each for name in ("EntityPages", "SearchResults") if name in question for each in _list(question, name, place)
    ]
    if form.is_verified and form.domain == "Web":
        documents = [(at, each) for at, each in documents if _field(each, "DocPartOfVerifiedEval", at)]
        if not documents:
            found = f"the verified question {identifier!r} has no verified document"
            raise InputError(place, found, "Give one 'DocPartOfVerifiedEval' true, or take the question out.")
    return [f"{identifier}--{_field(each, 'Filename', at)}" for at, each in documents]


def _field(record: dict[str, Any], name: str, place: str) -> Any:
    if name not in record:
        found = ", ".join(f"'{key}'" for key in list(record)[:8]) or "nothing"
        raise InputError(place, f"the field '{name}' is missing, found {found}", _SHAPE)
    return record[name]


def _list(record: dict[str, Any], name: str, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a list, with its place."""
    found = _field(record, name, place)
    if not isinstance(found, list):
        raise InputError(place, f"'{name}' must be a list, found {kind_of(found)}", _SHAPE)
    for position, item in enumerate(found):
        if not isinstance(item, dict):
            raise InputError(f"{place}: {name}[{position}]", f"expected an object, found {kind_of(item)}", _SHAPE)
        yield f"{place}: {name}[{position}]", item


def _texts(record: dict[str, Any], name: str, place: str, *, or_none: bool = False) -> list[str]:
    found = record.get(name) or [] if or_none else _field(record, name, place)
    if not _are_texts(found):
        raise InputError(place, f"'{name}' must be a list of texts, found {kind_of(found)}", _SHAPE)
    return list(found)


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(text, str) for text in values)
