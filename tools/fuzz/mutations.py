"""Small changes of JSON documents, of lists of records, and of bytes; several are made one after the other."""

from __future__ import annotations

import gzip
from random import Random
from typing import Any

import zstandard

from tools.fuzz.json_text import Pairs
from tools.fuzz.odd_values import odd_name, odd_text, odd_value

Records = list[Pairs]


def changed_document(document: Any, source: Random) -> Any:
    """The document with one thing other, somewhere inside."""
    holders = _holders(document)
    if not holders:
        return odd_value(source) if source.random() < 0.5 else [document]
    holder = source.choice(holders)
    at = source.randrange(len(holder))
    key, value = holder[at] if isinstance(holder, Pairs) else (None, holder[at])
    kind = source.randrange(8)
    if kind in (0, 1):
        _put(holder, at, key, odd_value(source))
    elif kind == 2:
        del holder[at]
    elif kind == 3:  # a repeated key or element
        holder.insert(source.randrange(len(holder) + 1), holder[at])
    elif kind == 4:
        _put(holder, at, key, [value])
    elif kind == 5 and isinstance(value, str):
        _put(holder, at, key, value + odd_text(source))
    elif isinstance(holder, Pairs):
        holder[at] = (odd_name(source), value)
    else:
        holder.append(odd_value(source))
    return document


def _put(holder: Any, at: int, key: Any, value: Any) -> None:
    holder[at] = value if key is None and not isinstance(holder, Pairs) else (key, value)


def _holders(document: Any) -> list[Any]:
    """Every list and object that holds something."""
    found, waiting = [], [document]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Pairs):
            waiting.extend(value for _, value in each)
        elif isinstance(each, list):
            waiting.extend(each)
        else:
            continue
        if each:
            found.append(each)
    return found


def changed_records(records: Records, source: Random) -> Records:
    """The records with one thing other; the kinds are those that tables go wrong by."""
    kind = source.randrange(9)
    at = source.randrange(len(records))
    if kind == 0:  # a late column, beyond what any look at the first records sees
        size = source.choice((100, 101, 150))
        more = _numbered(records, size)
        name, value = odd_name(source), odd_value(source)
        if source.random() < 0.5:
            name, value = source.choice((("no_answer_probability", 0.75), ("topic", "late"), ("question_id", 7)))
        return [Pairs([*record, (name, value)]) if number >= 100 else record for number, record in enumerate(more)]
    if kind == 1:
        return _numbered(records, source.choice((2, 99, 100, 101, 300)))
    if kind == 2:
        return [*records, source.choice(records)]
    if kind == 3:
        return records[:at] + records[at + 1 :]
    if kind == 4:
        name = odd_name(source)
        return [Pairs([*record, (name, odd_value(source))]) for record in records]
    if kind == 5:  # one column of mixed types
        name = source.choice(records[at])[0] if records[at] else "id"
        values = [odd_value(source), odd_value(source)]
        return [
            Pairs(
                (key, source.choice(values) if key == name and source.random() < 0.3 else value) for key, value in each
            )
            for each in records
        ]
    if kind == 6:
        source.shuffle(records)
        return records
    changed = changed_document(records, source)
    return [each if isinstance(each, Pairs) else Pairs([("id", each)]) for each in changed] or records


def _numbered(records: Records, size: int) -> Records:
    """So many records, those given over and over under other ids."""
    return [
        Pairs(
            (key, f"{value}-{number}" if key in ("id", "question_id", "Guid") else value)
            for key, value in records[number % len(records)]
        )
        for number in range(size)
    ]


def changed_bytes(data: bytes, source: Random) -> bytes:
    """The bytes with one thing other: flipped, cut, doubled, in another encoding."""
    kind = source.randrange(9)
    at = source.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes(source.choices(range(256), k=source.choice((1, 1, 4)))) + data[at:]
    if kind == 2:
        return data[:at] + bytes([data[at] ^ 1 << source.randrange(8)]) + data[at + 1 :] if at < len(data) else data
    if kind == 3:
        end = min(len(data), at + source.choice((1, 10, 100)))
        return data[:at] + data[end:]
    if kind == 4:
        return (
            source.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\n\n", b"PK\x03\x04", b"PAR1", b"\x1f\x8b")) + data
        )
    if kind == 5:
        return data.replace(b"\n", source.choice((b"\r\n", b"\r", b"\n\n", b"\n \n")))
    if kind == 6:
        return data + source.choice((data, b"\n", b"\x00" * 10, b"\xff", b"{", b"]", b"\n[]", b"\n{}\n"))
    if kind == 7:
        return _recoded(data, source.choice(("utf-16", "utf-32", "latin-1", "cp1251", "utf-16-be")))
    return data[at:]


def _recoded(data: bytes, encoding: str) -> bytes:
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def compressed(data: bytes, source: Random) -> tuple[bytes, str]:
    """The bytes in a compressed form, whole, in two pieces or damaged; and the ending of its name."""
    half = source.randrange(len(data) + 1)
    pieces = (data,) if source.random() < 0.7 else (data[:half], data[half:])
    if source.random() < 0.5:
        packed, ending = b"".join(gzip.compress(piece, 1) for piece in pieces), ".gz"
    else:
        packer = zstandard.ZstdCompressor(level=1)
        packed, ending = b"".join(packer.compress(piece) for piece in pieces), ".zst"
    return (changed_bytes(packed, source) if source.random() < 0.2 else packed), ending
