"""What stands in the file of a saved run, entry by entry; docs/results.md describes it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from fullmarks.types import Change

VERSION = 1
SHAPE = "a run written by: fullmarks score ... -f full -o run.json"
FORMER_COLUMNS: dict[str, dict[str, tuple[Literal["parts", "facts"], str]]] = {
    "squad2": {"_no_answer_order": ("parts", "no_answer_order")},
    "webqa": {"_sources": ("parts", "sources"), "_gold_sources": ("facts", "sources")},
    "fusionbrain": {
        "_prompt": ("facts", "prompt"),
        "_gold_paths": ("facts", "gold_paths"),
        **{f"_{name}": ("parts", name) for name in ("path", "readable", "clip", "fid", "fid_influence", "hidden")},
    },
}
"""What stood among the columns before it was a part or a fact: where it belongs, by protocol and column."""

Column = list[float | None]


class SavedHeader(msgspec.Struct):
    """What tells a saved run from other files, and whether this fullmarks can read it."""

    format: str
    version: int
    fullmarks: str = ""


class SavedExamples(msgspec.Struct):
    """The examples as columns: position i of every list belongs to the same one."""

    ids: list[int | str]
    predictions: list[Any]
    references: list[list[Any]]
    columns: dict[str, list[Any]]
    unanswered: list[int]
    parts: dict[str, list[Any]] = {}
    facts: dict[str, list[Any]] = {}


class SavedRows(msgspec.Struct):
    """One metric: its options, the names of its scores, and one number per example in every column."""

    name: str
    options: dict[str, Any]
    scores: list[str]
    columns: dict[str, Column]


class SavedFinding(msgspec.Struct):
    """One thing that the audit found."""

    kind: str
    level: str
    count: int
    first_ids: list[int | str]
    detail: str = ""
    where: str = ""
    code: str = ""
    """Empty in files of versions that wrote none."""
    advice: str = ""


class SavedAudit(msgspec.Struct):
    """What was read and scored."""

    gold: int
    predictions: int
    scored: int
    findings: list[SavedFinding]
    extracted: list[Change] = []


class SavedRun(msgspec.Struct):
    """The whole file but for its header; entries that are not named here are ignored."""

    protocol: str
    options: dict[str, Any]
    official: dict[str, Any]
    scores: dict[str, float | None]
    scale: float
    signature: str
    n: int
    audit: SavedAudit
    slice_columns: list[str]
    examples: SavedExamples
    metrics: list[SavedRows]
    fullmarks: str = ""
    digest: str | None = None
    """Of the examples; None in files of versions that wrote none."""
    fingerprint: str = ""
    """Of the rules; empty in files of versions that wrote none."""
