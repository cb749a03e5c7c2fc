"""A result as documents for programs and papers: JSON, Markdown, CSV. Where machines read, floats are written in full.

`official_json` has the benchmark's own keys, order and floats and nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from fullmarks.result import Result, flat_numbers, slice_names
from fullmarks.types import Audit

UNDEFINED = "-"
"""What stands where these examples leave a score undefined."""


def official_json(result: Result, *, is_file: bool = False) -> str:
    """The official result byte by byte as the published program prints it, or writes it to a file of its own."""
    program = result.rules
    if is_file and program.writes_one_line:
        return json.dumps(result.official)
    return json.dumps(result.official, indent=None if program.prints_one_line else 2) + "\n"


def full_json(result: Result, extra: Mapping[str, Any] | None = None) -> str:
    """The official result with scores, signature, counts, audit and slices; then what is given besides."""
    return plain_json({**result.to_dict(), **(extra or {})})


def plain_json(document: Any) -> str:
    """Any plain data as an indented document; texts stay readable unless they are no valid Unicode."""
    from fullmarks.report.indented_json import indented_json

    text = indented_json(document, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = indented_json(document, ensure_ascii=True)
    return text + "\n"


def markdown(result: Result, by: Sequence[str] = ()) -> str:
    """Tables with the official numbers and the slices, then what determined them and what was odd."""
    from fullmarks.report.markdown import code, escaped, markdown_table

    parts = [f"## {escaped(result.protocol)}", markdown_table(["score", "value"], official_rows(result))]
    for column in by:
        header, rows = slice_rows(result, column)
        parts.append(markdown_table(header, rows))
    counts = audit_counts(result.audit)
    findings = "".join(f"\n- {finding.level}: {escaped(str(finding))}" for finding in result.audit.in_order)
    parts.append(code(result.signature))
    parts.append(counts + ("\n" + findings if findings else ""))
    return "\n\n".join(parts) + "\n"


def audit_counts(audit: Audit, done: str = "scored") -> str:
    """How many questions and predictions there were, and how many were scored."""
    questions, predictions = (
        f"{count} {noun}" + ("" if count == 1 else "s")
        for count, noun in ((audit.gold, "question"), (audit.predictions, "prediction"))
    )
    return f"{questions}, {predictions}, {audit.scored} {done}"


def comma_separated(result: Result, by: Sequence[str] = (), *, spreadsheet: bool = False) -> str:
    """One line per number: the column and value of its slice (both empty for the whole), its name, the number."""
    from fullmarks.report.delimited import delimited

    rows = [["column", "value", "score", "result"]]
    rows += [["", "", key, repr(number)] for key, number in flat_numbers(result.official).items()]
    for column in by:
        groups = result.by(column)
        labels = slice_names(groups)
        for value, scores in groups.items():
            numbers = _official_scale(scores, result.scale)
            rows += [[column, labels[value], key, repr(number)] for key, number in numbers.items()]
    return delimited(rows, spreadsheet=spreadsheet)


def official_rows(result: Result) -> list[list[str]]:
    """The official numbers by joined key, shortened for reading."""
    return [[key, shown_number(number)] for key, number in flat_numbers(result.official).items()]


def slice_rows(result: Result, column: str, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Header and rows of one breakdown, in the official scale; of more than `most` values the largest."""
    groups = result.by(column)
    names = list(next(iter(groups.values())))
    labels = slice_names(groups)
    rows = []
    for value in largest_slices(groups, most):
        scores = _official_scale(groups[value], result.scale)
        rows.append([labels[value], *(shown_number(scores[name]) for name in names)])
    return [column, *names], rows


def largest_slices(groups: Mapping[Hashable, Mapping[str, float]], most: int | None) -> list[Hashable]:
    """All values in their order where they are no more than `most`, otherwise so many, the largest first."""
    if most is None or len(groups) <= most:
        return list(groups)
    from heapq import nsmallest

    return nsmallest(most, groups, key=lambda value: -groups[value]["n"])


def shown_number(number: float) -> str:
    """A number for people: four decimals, four significant digits where that would show nothing; a dash for none."""
    if isinstance(number, int):
        return str(number)
    if math.isnan(number):
        return UNDEFINED
    return f"{number:.4g}" if 0 < abs(number) < 0.001 else f"{number:.4f}"


def decimals(scale: float) -> int:
    """How many decimals scores are compared by: two of percentages, four of scores from 0 to 1."""
    return 2 if scale >= 10 else 4


def _official_scale(scores: dict[str, float], scale: float) -> dict[str, float]:
    return {name: number if name == "n" else scale * number for name, number in scores.items()}
