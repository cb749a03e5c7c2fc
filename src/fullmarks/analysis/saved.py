"""Runs in files: everything a result holds, so that comparing and reporting need neither gold nor predictions.

A run read back is a real `Result`: its rows give the same digits as before and its texts are those that were scored,
which reading checks. The format is described in docs/results.md; a file of a newer version, a damaged or a foreign one
is refused.
"""

from __future__ import annotations

import hashlib
import math
import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from itertools import chain
from typing import Any

import msgspec

from fullmarks.analysis.compact_json import compact_json
from fullmarks.analysis.fingerprint import fingerprint_of
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.saved_format import (
    FORMER_COLUMNS,
    SHAPE,
    VERSION,
    SavedAudit,
    SavedExamples,
    SavedHeader,
    SavedRows,
    SavedRun,
)
from fullmarks.atomic_file import write_whole
from fullmarks.checks import check_labels, is_address, shown_path, wrong_value
from fullmarks.errors import InputError, UsageError
from fullmarks.evaluate import make_protocol
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.documents import collector_paused, kind_of, read_document, read_plain
from fullmarks.readers.saved_run import FORMAT
from fullmarks.readers.source import Source
from fullmarks.result import Result, finished, flat_numbers
from fullmarks.text.tables import table
from fullmarks.types import Audit, Examples, Finding, FindingKind, Identifier
from fullmarks.version import __version__


def save_run(result: Result, path: str | os.PathLike[str], *, extra: Mapping[str, Any] | None = None) -> None:
    """Write the run to a file, compressed where its name ends in .gz or .zst.

    `extra` adds entries that readers may use or ignore, such as intervals. The file appears whole or not at all.
    """
    check_result("result", result)
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_value("path", "the path of a file", path)
    document = {**_document(result), **(extra or {})}
    write_whole(path, _encoded(document))


def load_run(path: Any) -> Result:
    """The result in a file that `save_run` wrote."""
    return read_run(Source(path, "saved run"))


def read_run(source: Source) -> Result:
    """The result in a source that may have been looked at before."""
    _check_header(source)
    with collector_paused():
        saved = read_document(source, msgspec.json.Decoder(SavedRun), SHAPE)
        with _told_as_damage(source.name):
            rules = make_protocol(saved.protocol, saved.options)
        tally = _tally(saved, rules, source.name)
    with _told_as_damage(source.name):
        scores = finished(tally, tally.totals())
    _check_scores(saved, tally, scores, source.name)
    audit = _audit(saved.audit)
    _check_official(saved, rules, tally, audit, source.name)
    if saved.digest is not None and saved.digest != _digest(saved.examples):
        problem = "its examples are not those that were scored: a text, an id or a column was changed"
        raise _damaged(source.name, problem)
    return Result(
        saved.protocol,
        saved.official,
        scores,
        saved.signature,
        audit,
        saved.scale,
        tally,
        rules,
        saved.options,
        saved.fingerprint,
    )


def saved_options(result: Result) -> dict[str, Any]:
    """The options as plain data. Input files are kept by name only: what was in them is in the examples."""
    kinds = {field.name: field.metadata.get("kind") for field in fields(result.rules)}
    plain = {}
    for name, value in result.options.items():
        if isinstance(value, os.PathLike):
            plain[name] = os.fspath(value)
        elif kinds.get(name) is not Source or isinstance(value, str):
            plain[name] = shown_path(value) if is_address(value) else _plain_option(name, value)
    return plain


def _plain_option(name: str, value: Any) -> Any:
    if callable(value):
        raise UsageError(
            f"a run whose option '{name}' is a function cannot be saved: it could not be scored again. "
            "Use one of the named choices"
        )
    return value


def _document(result: Result) -> dict[str, Any]:
    tally = result.tally
    if not tally.keep:
        raise UsageError("this run kept only its sums and cannot be saved; score with keep=True")
    examples = tally.examples
    return {
        "format": FORMAT,
        "version": VERSION,
        "fullmarks": __version__,
        **result.to_dict(),
        "fingerprint": fingerprint_of(result),
        "options": saved_options(result),
        "scale": result.scale,
        "slice_columns": list(tally.slice_columns),
        "metrics": [
            _metric_rows(metric, rows, width)
            for metric, rows, width in zip(tally.metrics, tally.rows, tally.widths, strict=True)
        ],
        "examples": _plain_examples(examples),
        "digest": _digest(examples),
    }


def _plain_examples(examples: Examples | SavedExamples) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "ids": list(examples.ids),
        "predictions": examples.predictions,
        "references": examples.references,
        "columns": examples.columns,
        "unanswered": list(examples.unanswered),
    }
    plain.update((name, named) for name, named in (("parts", examples.parts), ("facts", examples.facts)) if named)
    return plain


def _digest(examples: Examples | SavedExamples) -> str:
    """A SHA-256 of the examples as they stand in the file: of ids, texts and columns, whatever the spaces between."""
    return f"sha256:{hashlib.sha256(compact_json(_plain_examples(examples))).hexdigest()}"


def _metric_rows(metric: Metric, rows: array[float], width: int) -> dict[str, Any]:
    """The rows of one metric by column, a whole number without its fraction."""
    options = {name: _named(value) for name, value in metric.options().items()}
    columns = {name: _short(rows[place::width].tolist()) for place, name in enumerate(metric.columns)}
    return {"name": metric.name, "options": options, "scores": list(metric.scores), "columns": columns}


def _named(value: Any) -> Any:
    """An option of a metric as it stands in the file: a function, a recipe or another metric by its name."""
    for attribute in ("__name__", "name"):
        name = getattr(value, attribute, None)
        if isinstance(name, str):
            return name
    return value


def _short(values: list[float]) -> list[float]:
    return [int(value) if value in (0.0, 1.0) else value for value in values]


def _encoded(document: Mapping[str, Any]) -> bytes:
    """One line per entry, so that the head of the file can be read by people."""
    entries = [compact_json(name) + b": " + compact_json(value) for name, value in document.items()]
    return b"{\n" + b",\n".join(entries) + b"\n}\n"


def _check_header(source: Source) -> None:
    advice = f"Expected {SHAPE}."
    if not source.is_object:
        source.read()  # where that fails, its own error is the right one
    try:
        header = read_document(source, msgspec.json.Decoder(SavedHeader), SHAPE)
    except InputError:
        read_plain(source)  # likewise for what is no JSON; what is, has another shape
        raise InputError(source.name, "this is not a saved run", advice) from None
    if header.format != FORMAT:
        raise InputError(source.name, f"this is not a saved run but '{header.format}'", advice)
    if header.version > VERSION:
        raise InputError(
            source.name,
            f"the run is saved in version {header.version} of the format (by fullmarks {header.fullmarks}); "
            f"this fullmarks {__version__} reads up to version {VERSION}",
            "Update fullmarks, or score again.",
        )
    if header.version < 1:
        raise _damaged(source.name, f"there is no version {header.version} of the format")


@contextmanager
def _told_as_damage(name: str) -> Iterator[None]:
    """Turns the errors that values of unexpected kinds lead to into one about the file they are from."""
    try:
        yield
    except UsageError as error:
        raise _damaged(name, str(error)) from error
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise _damaged(name, f"its entries do not fit together ({type(error).__name__}: {error})") from error


def _tally(saved: SavedRun, rules: Protocol, name: str) -> Tally:
    """The sums of the saved rows, added up again in their order."""
    examples = _examples(saved.examples, saved.protocol, name)
    with _told_as_damage(name):
        metrics = rules.metrics_for(examples)
    if saved.n != len(examples):
        raise _damaged(name, f"n is {saved.n}, but there are {len(examples)} examples")
    if saved.protocol in PROTOCOLS.built_in:  # that of another package may keep other things than texts
        _check_texts(examples, rules, name)
    _check_metrics(saved, metrics, name)
    rows = tuple(_rows(part, len(examples), name) for part in saved.metrics)
    with _told_as_damage(name):
        rows += chunk_rows(metrics[len(rows) :], examples)
    unknown = [column for column in saved.slice_columns if column not in examples.columns]
    if unknown:
        raise _damaged(name, f"the column '{unknown[0]}' is missing")
    for column in {*saved.slice_columns, *rules.slices} & examples.columns.keys():
        with _told_as_damage(name):
            check_labels(column, examples.columns[column])
    tally = Tally(metrics, saved.slice_columns, keep=True)
    tally.add(examples, rows)
    return tally


def _examples(saved: SavedExamples, protocol: str, name: str) -> Examples:
    n = len(saved.ids)
    lengths = {"predictions": len(saved.predictions), "references": len(saved.references)}
    for kind, named in (("column", saved.columns), ("part", saved.parts), ("fact", saved.facts)):
        lengths.update({f"{kind} '{found}'": len(values) for found, values in named.items()})
    for what, length in lengths.items():
        if length != n:
            raise _damaged(name, f"{what}: {length} values for {n} examples")
    if n == 0 or len(set(saved.ids)) != n:
        raise _damaged(name, "it holds no example" if n == 0 else "an id appears twice")
    if any(not 0 <= position < n for position in saved.unanswered):
        raise _damaged(name, "a position without a prediction is outside of the examples")
    if len(set(saved.unanswered)) < len(saved.unanswered):
        raise _damaged(name, "a position without a prediction appears twice")
    ids: list[Identifier] = list(saved.ids)
    examples = Examples(
        ids, saved.predictions, saved.references, {}, tuple(saved.unanswered), dict(saved.parts), dict(saved.facts)
    )
    for column, values in saved.columns.items():
        kind, moved = FORMER_COLUMNS.get(protocol, {}).get(column, ("", ""))
        if kind:
            getattr(examples, kind)[moved] = values
        else:
            examples.columns[column] = _several(values)
    return examples


def _several(values: list[Any]) -> list[Any]:
    """The values of a column; several of one example were a tuple before they were written as a list."""
    return [tuple(value) if isinstance(value, list) else value for value in values]


def _check_texts(examples: Examples, rules: Protocol, name: str) -> None:
    """Every protocol of ours keeps predictions and references as texts, some as lists of texts."""
    for what, lists in (("prediction", [[text] for text in examples.predictions]), ("reference", examples.references)):
        if set(map(type, chain.from_iterable(lists))) <= {str}:
            continue
        for identifier, values in zip(examples.ids, lists, strict=True):
            for value in values:
                if not isinstance(value, str) and not (rules.answers_may_be_lists and _is_texts(value)):
                    raise _damaged(name, f"a {what} of the example {identifier!r} is {kind_of(value)}, not a text")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _check_metrics(saved: SavedRun, metrics: tuple[Metric, ...], name: str) -> None:
    found = [(part.name, tuple(part.columns)) for part in saved.metrics]
    wanted = [(metric.name, metric.columns) for metric in metrics]
    if not found or found != wanted[: len(found)]:  # what is wanted besides came with a later version
        shown = ", ".join(metric for metric, _ in found)
        raise InputError(
            name,
            f"the rows are those of {shown} in fullmarks {saved.fullmarks}; {saved.protocol} now has others",
            "Score again.",
        )


def _rows(part: SavedRows, n: int, name: str) -> array[float]:
    width = len(part.columns)
    rows = array("d", bytes(8 * width * n))
    for place, (column, values) in enumerate(part.columns.items()):
        if len(values) != n:
            raise _damaged(name, f"column '{column}' of {part.name}: {len(values)} values for {n} examples")
        rows[place::width] = array("d", [math.nan if value is None else value for value in values])
    return rows


def _check_scores(saved: SavedRun, tally: Tally, scores: dict[str, float], name: str) -> None:
    """The saved scores must be those that follow from the saved rows, to the last digit."""
    names = (score for metric in tally.metrics[: len(saved.metrics)] for score in metric.scores)
    for score, value in ((score, scores[score]) for score in names):
        stored = saved.scores.get(score)
        same = stored is None if math.isnan(value) else stored == value
        if not same:
            raise _damaged(name, f"the score '{score}' is {stored}, but its rows give {value}")


def _check_official(saved: SavedRun, rules: Protocol, tally: Tally, audit: Audit, name: str) -> None:
    """The saved official result must follow from the saved rows as well, whatever its protocol makes of them.

    Every protocol works it out from rows, examples and options alone. One that another version of fullmarks wrote may
    have other keys: then the numbers are compared that both have.
    """
    if saved.scale != rules.scale:
        raise _damaged(name, f"the scale is {saved.scale}, but that of {saved.protocol} is {rules.scale}")
    with _told_as_damage(name):
        again = msgspec.json.decode(compact_json(rules.official(tally, audit)))
    stored, numbers = flat_numbers(saved.official), flat_numbers(again)
    same_version = saved.fullmarks == __version__
    for key in dict.fromkeys((*numbers, *stored)) if same_version else numbers.keys() & stored.keys():
        if stored.get(key) != numbers.get(key):
            raise _damaged(name, f"the official '{key}' is {stored.get(key)}, but the rows give {numbers.get(key)}")
    if same_version and again != saved.official:
        raise _damaged(name, "the official result is not the one that the rows give")


def _audit(saved: SavedAudit) -> Audit:
    audit = Audit(saved.gold, saved.predictions, saved.scored, extracted=saved.extracted)
    for part in saved.findings:
        level: Any = part.level
        code = part.code or _code_of(part.kind)
        code = part.kind if code in audit.findings else code  # texts of the same words, parted by their signs alone
        audit.findings[code] = Finding(
            code, part.kind, level, part.count, list(part.first_ids), part.detail, part.where, part.advice
        )
    return audit


def _code_of(text: str) -> str:
    """The code of a finding that was saved without one: that of its text in former versions, or made of its words."""
    known: dict[str, str] = table("former_findings")
    return known.get(text) or FindingKind.of(text).code


def _damaged(name: str, problem: str) -> InputError:
    return InputError(name, f"the saved run is damaged: {problem}", "Score again.")
