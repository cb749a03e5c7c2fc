"""The files of a sample, before they are changed, in every format that fullmarks reads.

A form is a list of parts: a document (JSON), records (a table) or bytes, each with the flag it is passed under.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import fullmarks
from fullmarks.protocols.sample import read_sample, sample_folder
from tools.fuzz.json_text import Pairs, read_json
from tools.fuzz.parquet_types import parquet_bytes
from tools.fuzz.samples import Sample

TABLES = (".jsonl", ".csv", ".tsv", ".parquet", ".json")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass
class Part:
    """One file to be: its flag ("" for those passed by position), its name, and what it holds."""

    flag: str
    name: str
    document: Any = None
    records: list[Pairs] | None = None
    data: bytes | None = None
    escaped: bool = True
    """Whether what is beyond ASCII is written as escapes, where the format has them."""


def official(sample: Sample) -> list[Part]:
    """The sample's own files."""
    given = [("", sample.gold), *([("", sample.predictions)] if sample.predictions else []), *sample.files]
    return [_part(flag, path.name, path.read_bytes()) for flag, path in given]


def _part(flag: str, name: str, data: bytes) -> Part:
    ending = name[name.rfind(".") :]
    if ending == ".json":
        try:
            return Part(flag, name, document=read_json(data))
        except ValueError:  # JSON lines under that name: changed as bytes
            return Part(flag, name, data=data)
    if ending == ".jsonl":
        return Part(flag, name, records=[read_json(line) for line in data.splitlines() if line.strip()])
    if ending in DELIMITERS:
        reader = csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=DELIMITERS[ending])
        return Part(flag, name, records=[Pairs(record.items()) for record in reader])
    return Part(flag, name, data=data)


def one_table(sample: Sample, ending: str) -> list[Part]:
    """Ids, predictions, references and one column to slice by, in one table."""
    return [Part("", f"table{ending}", records=_records(sample, "id", "prediction", "references", "topic"))]


def two_tables(sample: Sample, ending: str, other: str) -> list[Part]:
    """Gold and predictions as two tables."""
    return [
        Part("", f"gold{ending}", records=_records(sample, "id", "references", "topic")),
        Part("", f"predictions{other}", records=_records(sample, "id", "prediction")),
    ]


def other_tools(sample: Sample, source: Random) -> list[Part]:
    """The sample's gold with its predictions as another tool would have logged them."""
    gold = (
        official(sample)[0]
        if sample.predictions
        else Part("", "gold.jsonl", records=_records(sample, "id", "references"))
    )
    tool = source.choice((_inspect, _harness, _helm, _lighteval))
    return [
        gold,
        tool([(dict(record)["id"], dict(record)["prediction"]) for record in _records(sample, "id", "prediction")]),
    ]


def _inspect(answers: list[tuple[Any, str]]) -> Part:
    samples = [Pairs([("id", key), ("output", Pairs([("completion", text)])), ("epoch", 1)]) for key, text in answers]
    document = Pairs([("version", 2), ("status", "success"), ("eval", Pairs([("task", "x")])), ("samples", samples)])
    return Part("", "log.json", document=document)


def _harness(answers: list[tuple[Any, str]]) -> Part:
    return Part(
        "",
        "samples.jsonl",
        records=[
            Pairs([("doc_id", number), ("doc", Pairs([("id", key)])), ("resps", [[text]]), ("filtered_resps", [text])])
            for number, (key, text) in enumerate(answers)
        ],
    )


def _helm(answers: list[tuple[Any, str]]) -> Part:
    return Part(
        "", "helm.json", document=[Pairs([("instance_id", key), ("predicted_text", text)]) for key, text in answers]
    )


def _lighteval(answers: list[tuple[Any, str]]) -> Part:
    document = [
        Pairs([("doc", Pairs([("id", key)])), ("model_response", Pairs([("text", [text])]))]) for key, text in answers
    ]
    return Part("", "details.json", document=document)


def _records(sample: Sample, *names: str) -> list[Pairs]:
    return [Pairs((name, record[name]) for name in names) for record in _examples(sample)]


@cache
def _examples(sample: Sample) -> tuple[dict[str, Any], ...]:
    """The sample's examples as fullmarks itself reads them, with a column of two values."""
    options = read_sample(sample.protocol).keywords(sample_folder(sample.protocol))
    predictions = None if sample.predictions is None else str(sample.predictions)
    found = fullmarks.score(sample.protocol, str(sample.gold), predictions, **options).tally.examples
    return tuple(
        {"id": key, "prediction": text, "references": list(golds), "topic": "even" if number % 2 else "odd"}
        for number, (key, text, golds) in enumerate(zip(found.ids, found.predictions, found.references, strict=True))
    )


def reads_tables(sample: Sample) -> bool:
    """Whether plain tables may stand for the official files."""
    from fullmarks.protocols import PROTOCOLS

    return "id, prediction and references" in PROTOCOLS.get(sample.protocol).tables


def written(part: Part, source: Random) -> bytes:
    """The bytes of a part by the ending of its name."""
    from tools.fuzz.json_text import write_json

    escaped = part.escaped
    if part.data is not None:
        return part.data
    ending = part.name[part.name.rfind(".") :]
    if part.records is None:
        return write_json(part.document, escaped=escaped).encode("utf-8", "surrogatepass")
    if ending == ".parquet":
        return parquet_bytes(part.records, source)
    if ending in DELIMITERS:
        return _delimited(part.records, DELIMITERS[ending])
    if ending == ".json":
        return write_json(part.records, escaped=escaped).encode("utf-8", "surrogatepass")
    lines = [write_json(record, escaped=escaped) for record in part.records]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _delimited(records: list[Pairs], delimiter: str) -> bytes:
    from tools.fuzz.json_text import write_json

    names = list(dict.fromkeys(name for record in records for name, _ in record))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    for record in records:
        found = dict(record)
        cells = [found.get(name, "") for name in names]
        writer.writerow([cell if isinstance(cell, str) else write_json(cell, escaped=False) for cell in cells])
    return text.getvalue().encode("utf-8", "surrogatepass")
