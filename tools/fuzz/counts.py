"""How many records a file holds, counted without any code of fullmarks; None where the count is not plain to see."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import Any

import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import zstandard

from tools.fuzz.json_text import Pairs

LISTS = ("annotations", "samples", "request_states")
READ = ("id", "question_id", "prediction", "prediction_text", "answer", "references", "answers", "data", "annotations")
"""Names that every reader looks at, where they stand in a record or at the top."""


def count_records(name: str, data: bytes) -> int | None:
    """The records of a table, or the entries of a document; repeats count."""
    try:
        name, data = _unpacked(name, data)
        if name.endswith(".parquet"):
            return int(pyarrow.parquet.ParquetFile(io.BytesIO(data)).metadata.num_rows)
        text = data.decode("utf-8-sig")
        if name.endswith((".csv", ".tsv")):
            reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if name.endswith(".csv") else "\t")
            return max(0, sum(1 for row in reader if row) - 1)
        if name.endswith(".jsonl"):
            return sum(1 for line in text.split("\n") if line.strip())
        return _entries(json.loads(text, object_pairs_hook=Pairs))
    except (OSError, ValueError, EOFError, RecursionError, csv.Error, pyarrow.ArrowException, zstandard.ZstdError):
        return None


def repeated_name(name: str, data: bytes) -> str | None:
    """A name of the above that an object at the top, or a record, has twice; of the two values one can be used."""
    try:
        name, data = _unpacked(name, data)
        text = data.decode("utf-8-sig")
        if name.endswith(".jsonl"):
            found = [json.loads(line, object_pairs_hook=Pairs) for line in text.split("\n") if line.strip()]
        elif name.endswith(".json"):
            document = json.loads(text, object_pairs_hook=Pairs)
            found = [document] if isinstance(document, Pairs) else document
        else:
            return None
    except (OSError, ValueError, EOFError, RecursionError, zstandard.ZstdError):
        return None
    for record in found if isinstance(found, list) else ():
        names = [key for key, _ in record] if isinstance(record, Pairs) else []
        repeated = next((key for key in READ if names.count(key) > 1), None)
        if repeated is not None:
            return repeated
    return None


def _unpacked(name: str, data: bytes) -> tuple[str, bytes]:
    if name.endswith(".gz"):
        return name[:-3], gzip.decompress(data)
    if name.endswith(".zst"):
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
            return name[:-4], stream.read()
    return name, data


def _entries(document: Any) -> int | None:
    if not isinstance(document, Pairs):
        return len(document) if isinstance(document, list) else None
    found = dict(document)
    if len(found) < len(document):
        return None  # keys repeat at the top: whether that is one entry more depends on which
    for key in LISTS:
        if isinstance(found.get(key), list) and not isinstance(found[key], Pairs):  # an object is one too
            return len(found[key])
    if isinstance(found.get("data"), list):
        return _questions(found["data"])
    if "prediction" in found or "references" in found or "id" in found:
        return None  # columns, or a single row
    if "pred" in found:  # a lone record of LongBench
        return 1
    return len(document)


def _questions(articles: list[Any]) -> int | None:
    """SQuAD's: articles hold paragraphs, which hold questions."""
    try:
        paragraphs = [each for article in articles for each in dict(article)["paragraphs"]]
        return sum(len(dict(paragraph)["qas"]) for paragraph in paragraphs)
    except (KeyError, TypeError, ValueError):
        return None
