"""Logs of Inspect: a document of JSON, or the same in pieces in an archive (`.eval`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.archive import Archive, opened_archive
from fullmarks.readers.documents import parse_json
from fullmarks.readers.logs.sample import About, Given, LogFormat, Sample
from fullmarks.readers.logs.values import (
    answers_of,
    filled,
    first_id,
    first_object,
    is_list,
    list_of,
    object_of,
    reason_of,
    scores_of,
    text_or_none,
)
from fullmarks.readers.source import Source

STARTED = "started"
_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_ATTACHMENT = "attachment://"
_STANDING = ("task", "model")


def _about(given: Given) -> About:
    """Task and model, and whether every sample was run in several epochs."""
    about = object_of(given.document.get("eval"))
    epochs = object_of(about.get("config")).get("epochs")
    has_runs = isinstance(epochs, int) and epochs > 1
    has_runs = has_runs or any(object_of(sample).get("epoch") not in (None, 1) for sample in given.samples)
    return About(filled(**{name: text_or_none(about.get(name)) for name in _STANDING}), has_runs)


def _read(sample: dict[str, Any], position: int, about: About) -> Sample:
    output, attached = object_of(sample.get("output")), object_of(sample.get("attachments"))
    text = output.get("completion")
    if not isinstance(text, str) or not text:
        content = object_of(first_object(output.get("choices")).get("message")).get("content")
        text = _content_text(content) if content is not None else text
    columns = {
        **({"run": sample.get("epoch")} if about.has_runs else {}),
        **about.columns,
        **filled(question=_attached(_question(sample.get("input")), attached), choices=_choices(sample)),
        **_metadata(sample.get("metadata")),
        **_scores(sample.get("scores")),
    }
    references, no_answer = answers_of(sample.get("target"))
    return Sample(
        first_id(sample.get("id"), position),
        _attached(text, attached),
        references,
        columns,
        failure=_failure(sample),
        no_answer=no_answer,
    )


def _failure(sample: dict[str, Any]) -> str | None:
    """The error that ended the sample, or that it was declared invalid afterwards."""
    error, invalid = sample.get("error"), sample.get("invalidation")
    if error is not None:
        return reason_of(object_of(error).get("message", error))
    return None if invalid is None else reason_of(object_of(invalid).get("reason", "declared invalid"))


def _content_text(content: Any) -> str | None:
    """The text of a message: as it is, or the parts of kind text joined."""
    if isinstance(content, str):
        return content
    if not is_list(content):
        return None
    parts = [part.get("text") for part in map(object_of, content) if part.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str)) if parts else None


def _question(asked: Any) -> str | None:
    """The input: a text, or the last message of the user."""
    if isinstance(asked, str):
        return asked
    messages = [message for message in map(object_of, list_of(asked)) if message.get("role") == "user"]
    return _content_text(messages[-1].get("content")) if messages else None


def _attached(text: Any, attached: dict[str, Any]) -> Any:
    """The text, taken from where the log put it aside."""
    if isinstance(text, str) and text.startswith(_ATTACHMENT):
        found = attached.get(text.removeprefix(_ATTACHMENT))
        return found if isinstance(found, str) else text
    return text


def _choices(sample: dict[str, Any]) -> list[Any] | None:
    found = list_of(sample.get("choices"))
    return found if found and all(isinstance(item, str) for item in found) else None


def _metadata(found: Any) -> dict[str, Any]:
    """The sample's own columns, those that hold a single value and have a name of their own."""
    taken = ("id", "prediction", "references", "run", "question", "choices", *_STANDING)
    return {
        name: value
        for name, value in object_of(found).items()
        if isinstance(value, (str, int, float)) and name not in taken
    }


def _scores(found: Any) -> dict[str, Any]:
    """The value of every scorer."""
    values = {name: object_of(score).get("value") for name, score in object_of(found).items()}
    return scores_of(values)


INSPECT = tuple(
    LogFormat("Inspect", frozenset(keys), _read, "samples", "status", _about)
    for keys in (("eval", "samples"), ("eval", "plan", "status"))
)


class _Fields(msgspec.Struct):
    """The fields of a sample that are read; its events, which are most of it, are passed over."""

    id: Any = None
    epoch: Any = None
    input: Any = None
    choices: Any = None
    target: Any = None
    output: Any = None
    scores: Any = None
    metadata: Any = None
    error: Any = None
    invalidation: Any = None
    attachments: Any = None


_decoder = msgspec.json.Decoder(_Fields)


def archive_header(source: Source) -> dict[str, Any]:
    """What an archive says of its run, with its `status`; that of one which is still being written is "started"."""
    with opened_archive(source) as archive:
        names = archive.names
        for name in (_HEADER, _START):
            if name in names:
                header = object_of(_parsed(archive, name))
                several = any(not each.endswith("_epoch_1.json") for each in _sample_names(archive))
                epochs = {} if not several else {"samples": [{"epoch": 2}]}
                return {"status": STARTED if name == _START else None, **header, **epochs}
    found = "this ZIP archive is no log of Inspect: it holds neither 'header.json' nor '_journal/start.json'"
    raise InputError(source.name, found, "Pass the .eval file as Inspect wrote it.")


def archive_samples(source: Source, header: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The samples of an archive with this header, one after the other, in the order of the data set."""
    places = _places(header)
    with opened_archive(source) as archive:
        for name in sorted(_sample_names(archive), key=lambda name: _place_of_entry(name, places)):
            data = archive.read(name)
            try:
                yield msgspec.structs.asdict(_decoder.decode(data))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                yield object_of(parse_json(data, f"{archive.name}: entry '{name}'"))


def in_order(document: Mapping[str, Any], samples: Sequence[Any]) -> Sequence[Any]:
    """The samples in the order of the data set, epoch by epoch, in which Inspect adds up their scores.

    Logs have them in another order: by name in JSON, as they ended in an archive.
    """
    places = _places(document)
    if not places or not all(isinstance(sample, dict) for sample in samples):
        return samples
    return sorted(samples, key=lambda each: _place(str(each.get("epoch", 1)), each.get("id"), places))


def _places(document: Mapping[str, Any]) -> dict[str, int]:
    ids = object_of(object_of(document.get("eval")).get("dataset")).get("sample_ids")
    return {str(identifier): place for place, identifier in enumerate(list_of(ids))}


def _place_of_entry(name: str, places: Mapping[str, int]) -> tuple[int, int]:
    identifier, _, epoch = name.removeprefix(_SAMPLES).removesuffix(".json").rpartition("_epoch_")
    return _place(epoch, identifier, places)


def _place(epoch: str, identifier: Any, places: Mapping[str, int]) -> tuple[int, int]:
    return int(epoch) if epoch.isdecimal() else 0, places.get(str(identifier), len(places))


def _sample_names(archive: Archive) -> list[str]:
    return [name for name in archive.names if name.startswith(_SAMPLES) and name.endswith(".json")]


def _parsed(archive: Archive, name: str) -> Any:
    data = archive.read(name)
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return parse_json(data, f"{archive.name}: entry '{name}'")
