"""2WikiMultihopQA's files: the gold with its triples, and the aliases by which answers and triples are known too.

Invariant: aliases end up in the gold itself, as further references and in the groups `[subjects, relation, objects]` of
its triples, so that scoring needs no file.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records, read_values
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

_SHAPE = 'JSON lines {"Q_id", "aliases": [...], "demonyms": [...]}'
_ASIDE = {"_answer_id": "answer_id", "_evidences": "evidences?", "_evidences_id": "evidences_id?"}


class Aliases:
    """Other names by Wikidata id; of a repeated id the last line counts."""

    def __init__(self, source: Source) -> None:
        document = read_values(source)
        rows = [document] if isinstance(document, dict) else document
        if not isinstance(rows, list):
            raise InputError(source.name, f"expected {_SHAPE}, found {kind_of(document)}", "Check the alias file.")
        self._names: dict[Any, list[str]] = {}
        for number, row in enumerate(rows, start=1):
            identifier = _id(row, number, source.name)
            self._names[identifier] = _names(row, number, source.name)
        data = json.dumps(list(self._names.items()), ensure_ascii=False, separators=(",", ":"))
        self.digest = hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        """What tells these aliases from others, in the signature."""

    def of(self, identifier: Any) -> list[str]:
        """The other names of an id; none of one that is unknown or null."""
        return self._names.get(identifier, []) if isinstance(identifier, str) else []


def _id(row: Any, number: int, name: str) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("Q_id"), str):
        raise InputError(f"{name}: record {number}", "there is no text 'Q_id'", f"Expected {_SHAPE}.")
    return str(row["Q_id"])


def _names(row: dict[str, Any], number: int, name: str) -> list[str]:
    names: list[str] = []
    for field in ("aliases", "demonyms"):
        found = row.get(field)
        if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
            raise InputError(f"{name}: record {number}", f"'{field}' must be a list of texts", f"Expected {_SHAPE}.")
        names += found
    return names


def read_twowiki(source: Source, form: RecordForm, aliases: Aliases | None) -> Gold:
    """The gold, with aliases where there are any; without them neither `answer_id` nor `evidences_id` is looked at."""
    aside = {**_ASIDE, **({} if aliases else {"_answer_id": "answer_id?"})}
    gold = read_records(source, msgspec.structs.replace(form, facts={**form.facts, **aside}))
    answer_ids, evidences, evidences_ids = (gold.facts.pop(name) for name in _ASIDE)
    _check_facts(gold, source.name)
    if aliases:
        for references, identifier in zip(gold.references, answer_ids, strict=True):
            references.extend(aliases.of(identifier))
    gold.facts["evidence"] = [
        None if triples is None else _groups(identifier, triples, ids, aliases, source.name)
        for identifier, triples, ids in zip(gold.ids, evidences, evidences_ids, strict=True)
    ]
    return gold


def _check_facts(gold: Gold, name: str) -> None:
    for identifier, facts in zip(gold.ids, gold.facts["sp"], strict=True):
        if facts is not None and not (isinstance(facts, list) and all(map(is_fact, facts))):
            problem = "'supporting_facts' must be a list of lists that begin with a title"
            raise InputError(f"{name}: question {identifier!r}", problem, "Check the gold file.")


def _groups(identifier: Identifier, triples: Any, ids: Any, aliases: Aliases | None, name: str) -> list[list[Any]]:
    """What each gold triple allows; the ids must belong to the triples one by one, as the published program asserts.

    Without ids no alias of a subject or an object counts.
    """
    where = f"{name}: question {identifier!r}"
    if not isinstance(triples, list) or not all(map(is_triple, triples)):
        raise InputError(where, "'evidences' must be a list of triples of texts", "Check the gold file.")
    if aliases is None or not triples or ids is None or ids == []:
        return [[[subject], relation, [target]] for subject, relation, target in triples]
    if not isinstance(ids, list):
        raise InputError(where, f"'evidences_id' must be a list, found {kind_of(ids)}", "Check the gold file.")
    if len(ids) != len(triples):
        problem = f"there are {len(ids)} 'evidences_id' for {len(triples)} 'evidences'"
        raise InputError(where, problem, "Give one for each, or an empty list.")
    groups = []
    for triple, found in zip(triples, ids, strict=True):
        if not isinstance(found, list) or len(found) != 3 or found[1] != triple[1]:
            problem = f"'evidences_id' {found!r} does not belong to the evidence {triple!r}: the relations differ"
            raise InputError(where, problem, "Give the ids in the order of the evidences.")
        subjects, objects = [triple[0], *aliases.of(found[0])], [triple[2], *aliases.of(found[2])]
        groups.append([subjects, triple[1], objects])
    return groups


def is_evidence(value: Any) -> bool:
    """Whether this is a list of texts, as all predicted evidence must be."""
    return isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)


def is_triple(value: Any) -> bool:
    """Whether these are three texts."""
    return is_evidence(value) and len(value) == 3


def is_fact(value: Any) -> bool:
    """Whether this is a title with the number of a sentence, or with whatever else can be compared."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and isinstance(value[0], str)
        and not any(isinstance(item, (list, dict)) for item in value)
    )
