"""Finished shards kept in a folder, so that a run that was cut short goes on where it stopped.

A shard is known by its file (path, size and time or etag), its range, and all that determines its numbers. Whatever
differs is scored anew.
"""

from __future__ import annotations

from array import array
from hashlib import sha256
from typing import Any

import msgspec

from fullmarks.atomic_file import write_whole
from fullmarks.engines.numbers import Numbers
from fullmarks.errors import InputError
from fullmarks.frozen import frozen, replaced
from fullmarks.jobs.job import Job, Piece
from fullmarks.metrics.labels import Labels
from fullmarks.readers.shards import Shard
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Change, Finding
from fullmarks.version import __version__

PLAN = "plan.json"


class _StoredLabels(msgspec.Struct):
    values: list[Any]
    codes: bytes
    where: bytes | None


class _Stored(msgspec.Struct):
    """A piece as it lies in a file."""

    key: str
    n: int
    rows: list[bytes]
    labels: dict[str, _StoredLabels]
    audit: dict[str, Any]
    left_out: set[str]
    lacking: set[str]
    is_alike: bool
    parcels: list[bytes]


@frozen
class Checkpoint:
    """The finished shards of one run."""

    folder: str
    key: str
    """What determines the numbers of every shard."""

    def load(self, shard: Shard) -> tuple[Piece, list[bytes]] | None:
        """What came of a shard, and its parcels; None if it was not finished under the same rules on the same file."""
        try:
            with Source(self._path(shard), "checkpoint").stream() as stream:
                stored = msgspec.msgpack.decode(stream.read(), type=_Stored)
        except (InputError, msgspec.MsgspecError):  # never written, or by another version
            return None
        if stored.key != self._key_of(shard):
            return None
        labels = {name: _labels(each) for name, each in stored.labels.items()}
        rows = tuple(Numbers(array("d", each)) for each in stored.rows)
        audit = _audit(stored.audit)
        piece = Piece(stored.n, rows, labels, audit, stored.left_out, stored.lacking, stored.is_alike, is_known=True)
        return piece, stored.parcels

    def save(self, shard: Shard, piece: Piece, parcels: list[bytes]) -> None:
        """Keep what came of a shard."""
        stored = _Stored(
            self._key_of(shard),
            piece.n,
            [each.values.tobytes() for each in piece.rows],
            {name: _stored_labels(each) for name, each in piece.labels.items()},
            _stored_audit(piece.audit),
            piece.left_out,
            piece.lacking,
            piece.is_alike,
            parcels,
        )
        write_whole(self._path(shard), msgspec.msgpack.encode(stored))

    def _path(self, shard: Shard) -> str:
        return f"{self.folder}/{shard.number:05}.piece"

    def _key_of(self, shard: Shard) -> str:
        return sha256(f"{self.key}|{replaced(shard, weight=0)!r}".encode("utf-8", "surrogatepass")).hexdigest()


def key_of(job: Job) -> str:
    """What determines the numbers of a job, in one text: another version, option or column makes another."""
    rules = (job.rules, job.by, job.metrics, job.labelled, job.breakdown, job.buckets)
    return f"{__version__}|{rules!r}"


class Plan(msgspec.Struct):
    """How a run has cut its table, for one that goes on with it: it may have another number of workers."""

    shard_bytes: int
    shards: int


def kept_plan(folder: str) -> Plan | None:
    """The plan of the run that left this folder; None if none has."""
    try:
        return msgspec.json.decode(Source(f"{folder}/{PLAN}", "checkpoint").read(), type=Plan)
    except (InputError, msgspec.MsgspecError):
        return None


def keep_plan(folder: str, plan: Plan) -> None:
    """Note how this run cuts its table."""
    write_whole(f"{folder}/{PLAN}", msgspec.json.encode(plan))


def _stored_labels(labels: Labels) -> _StoredLabels:
    return _StoredLabels(labels.values, bytes(labels.codes), None if labels.where is None else bytes(labels.where))


def _labels(stored: _StoredLabels) -> Labels:
    where = None if stored.where is None else array("i", stored.where)
    return Labels(stored.values, array("i", stored.codes), where)


def _stored_audit(audit: Audit) -> dict[str, Any]:
    stored = audit.to_dict()
    for each in stored["findings"]:
        each["is_unreadable"] = audit.findings[each["code"]].is_unreadable
    return stored


def _audit(stored: dict[str, Any]) -> Audit:
    findings = {each["code"]: Finding(**each) for each in stored["findings"]}
    changes = [Change(**each) for each in stored.get("extracted", ())]
    return Audit(stored["gold"], stored["predictions"], stored["scored"], findings, changes)
