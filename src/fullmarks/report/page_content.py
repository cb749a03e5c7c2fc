"""All that the report page shows, as plain data: numbers in the official scale, examples as columns.

Position i of everything about examples belongs to the baseline's example i. Explanations come in blocks of
`BLOCK` examples, so that the page unpacks only those that are looked at.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fullmarks.analysis.contexts import NO_CONTEXTS, TEXTS, Contexts, contexts_of_column, read_contexts
from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.intervals import finite, slice_confidence
from fullmarks.errors import MissingDependencyError
from fullmarks.protocols.extracting import RAW_PREDICTION
from fullmarks.report.headline import headline
from fullmarks.report.html_page import PageContent
from fullmarks.report.page_contexts import PARAGRAPHS, context_blocks
from fullmarks.report.page_images import NO_IMAGES, find_images
from fullmarks.report.sampling_line import sampling_line
from fullmarks.result import flat_numbers
from fullmarks.stats.rows import ROUNDING
from fullmarks.version import __version__

if TYPE_CHECKING:
    from fullmarks.analysis.comparison import Difference
    from fullmarks.analysis.intervals import Sampling
    from fullmarks.analysis.standings import Standings
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result
    from fullmarks.stats.interval import Interval
    from fullmarks.types import Example

BLOCK = 128
"""Examples whose explanations are packed together: one look costs the unpacking of so many."""

NOT_EXPLAINED = "not explained"
"""The fact that stands for an explanation where something that it needs is missing."""


SHARES = (
    *("precision", "recall", "f1", "exact", "em", "similarity", "counts", "vote", "equal", "contained"),
    *("em without it", "f1 without it"),
)
"""Numbers of explanations that are from 0 to 1 as scores are, besides those that have a score's own name."""


def page_content(
    standings: Standings, *, title: str = "", images: Path | None = None, context: Any = None
) -> PageContent:
    """The content of the page; pictures are taken from the folder `images`, paragraphs from the gold file `context`."""
    base = standings.base
    told = _contexts(standings, context)
    pictures = NO_IMAGES if images is None else find_images(base.tally.examples.columns, images)
    names = " and ".join(filter(None, [", ".join(list(standings.runs)[:-1]), list(standings.runs)[-1]]))
    heading = title or f"{base.protocol}: {names}"
    protocol = base.rules
    document = {
        "title": heading,
        "protocol": protocol.title,
        "version": __version__,
        "n": base.n,
        "scale": standings.scale,
        "sampling": sampling_line(standings.sampling, standings.intervals[standings.baseline].values()),
        "scores": list(standings.score_names.values()),
        "lessIsBetter": [less_is_better(standings.base, score) for score in standings.score_names],
        "main": list(standings.score_names).index(standings.main_score),
        "baseline": list(standings.runs).index(standings.baseline),
        "systems": [_system(standings, name) for name in standings.runs],
        "counts": _counts(standings),
        "differences": _differences(standings),
        "slices": [_slice(standings, column) for column in standings.columns],
        "notes": [*(standings.comparison.notes if standings.comparison else ()), *standings.rule_doubts],
        "testNotes": list(standings.comparison.test_notes) if standings.comparison else [],
        "examples": _examples(standings),
        "images": pictures.of_example,
        "contexts": told.of_example,
        "shares": sorted({*SHARES, *standings.score_names, *standings.score_names.values()}),
        "block": BLOCK,
        "contextBlock": PARAGRAPHS,
    }
    explained = _explanations(standings)
    return PageContent(heading, document, explained, pictures.files, context_blocks(told), headline(standings))


def _contexts(standings: Standings, context: Any) -> Contexts:
    """The paragraphs of the file, else those of a column that the runs have."""
    examples = standings.base.tally.examples
    if context is not None:
        return read_contexts(context, examples.ids)
    column = _context_column(standings)
    return contexts_of_column(examples.columns[column]) if column else NO_CONTEXTS


def _context_column(standings: Standings) -> str | None:
    columns = standings.base.tally.examples.columns
    return next((name for name in TEXTS if name in columns and name not in standings.columns), None)


def _system(standings: Standings, name: str) -> dict[str, Any]:
    run, scale = standings.runs[name], standings.scale
    rank = standings.comparison.ranks.get(name) if standings.comparison else None
    return {
        "name": name,
        "signature": run.signature,
        "official": {key: finite(number) for key, number in flat_numbers(run.official).items()},
        "scores": [
            _with_interval(run.scores[score], standings.intervals[name].get(score), scale)
            for score in standings.score_names
        ],
        "rank": None if rank is None else [rank.rank, rank.best, rank.worst],
        "audit": run.audit.to_dict(),
    }


def _counts(standings: Standings) -> list[str]:
    """The keys of the official results whose numbers are counts, not scores: those that are whole by their type."""
    numbers = [item for run in standings.runs.values() for item in flat_numbers(run.official).items()]
    scores = {key for key, number in numbers if not isinstance(number, int)}
    return [key for key in dict.fromkeys(key for key, _ in numbers) if key not in scores]


def _differences(standings: Standings) -> list[dict[str, Any]]:
    if standings.comparison is None:
        return []
    systems, scores = list(standings.runs), list(standings.score_names)
    return [
        {
            "system": systems.index(each.system),
            "score": scores.index(each.score),
            "difference": _difference(each, standings.scale),
            "p": finite(each.test.permutation.p_value),
            "pHolm": finite(each.p_holm),
            "pBootstrap": finite(each.test.p_bootstrap),
            "pMcnemar": each.test.p_mcnemar,
            **_floors(each, standings.sampling),
            "effectName": each.test.effect and each.test.effect.name,
            "effect": each.test.effect and finite(each.test.effect.value),
            "equivalentWithin": _within(each, standings.scale),
        }
        for each in standings.comparison.differences
    ]


def _floors(each: Difference, sampling: Sampling) -> dict[str, int | None]:
    """How many random draws a p-value is the least one of; None for one that they do not bound."""
    drawn, bootstrapped = each.test.permutation, each.test.p_bootstrap
    is_least = bootstrapped is not None and bootstrapped * (sampling.resamples + 1) < 1 + ROUNDING
    return {
        "floor": drawn.permutations if drawn.is_floor else None,
        "bootstrapFloor": sampling.resamples if is_least else None,
    }


def _within(each: Difference, scale: float) -> float | None:
    found = each.test.equivalence
    return None if found is None or found.within is None else scale * found.within


def _codes(values: Sequence[Hashable]) -> tuple[list[Hashable], list[int | list[int]]]:
    """The distinct values of a column, and for each example the position of its value, or of each of its values."""
    places: dict[Hashable, int] = {}
    codes: list[int | list[int]] = []
    for value in values:
        own = [places.setdefault(each, len(places)) for each in (value if isinstance(value, tuple) else (value,))]
        codes.append(own if isinstance(value, tuple) else own[0])
    return list(places), codes


def _slice(standings: Standings, column: str) -> dict[str, Any]:
    """The values of a column with the scores of every system, and for each example the position of its value."""
    labels, codes = _codes(standings.base.tally.examples.columns[column])
    intervals = [slice_confidence(run, column, standings.sampling) for run in standings.runs.values()]
    values = [run.by(column) for run in standings.runs.values()]
    differences = _slice_differences(standings, column)
    return {
        "column": column,
        "codes": codes,
        "values": [
            {
                "label": label,
                "n": values[0][label]["n"],
                "scores": [
                    [_with_interval(scores[label][name], ends[label].get(name), standings.scale) for name in names]
                    for scores, ends in zip(values, intervals, strict=True)
                ],
                "differences": differences.get(label, {}),
            }
            for names in [list(standings.score_names)]
            for label in labels
        ],
    }


def _slice_differences(standings: Standings, column: str) -> dict[Hashable, dict[int, list[float | None]]]:
    """For each value and each system: difference of the main score, its ends, p-value corrected and not, its floor."""
    found: dict[Hashable, dict[int, list[float | None]]] = {}
    systems = list(standings.runs)
    for each in standings.comparison.slices if standings.comparison else ():
        if each.column == column:
            p_values = finite(each.p_holm), finite(each.test.permutation.p_value)
            floor = _floors(each, standings.sampling)["floor"]
            numbers = [*_difference(each, standings.scale), *p_values, floor]
            found.setdefault(each.value, {})[systems.index(each.system)] = numbers
    return found


def _difference(each: Difference, scale: float) -> list[float | None]:
    return _with_interval(each.test.difference, each.test.interval, scale)


def _examples(standings: Standings) -> dict[str, Any]:
    base = standings.base
    paired = [standings.paired[name] for name in standings.runs]
    columns = base.tally.examples.columns
    # the slices, what every system has of its own, and what is shown as a paragraph
    apart = {*standings.columns, RAW_PREDICTION, _context_column(standings)}
    return {
        "ids": list(base.tally.examples.ids),
        "references": base.tally.examples.references,
        "columns": {name: columns[name] for name in columns if name not in apart},
        "predictions": [each.predictions for each in paired],
        "unanswered": [each.unanswered for each in paired],
        "scores": [[_finite_list(each.scores[score]) for score in standings.score_names] for each in paired],
    }


def _explanations(standings: Standings) -> Iterator[list[Any]]:
    """Blocks of examples; for each example and system the facts and tables, null where there was no prediction."""
    explained = [_explained(run, standings.paired[name].places) for name, run in standings.runs.items()]
    block: list[Any] = []
    for each in zip(*explained, strict=True):
        block.append(each)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


def _explained(run: Result, places: Sequence[int]) -> Iterator[dict[str, Any] | None]:
    rules, examples = run.rules, run.tally.examples
    unanswered = set(examples.unanswered)
    for position in places:
        if position in unanswered:
            yield None
        else:
            yield _explanation(rules, examples[position])


def _explanation(rules: Protocol, example: Example) -> dict[str, Any]:
    """Facts and tables; only the reason where what they need, such as a lexicon, is not on this machine."""
    try:
        told = rules.explanation(example)
    except MissingDependencyError as error:
        return {"facts": {"prediction": example.prediction, NOT_EXPLAINED: str(error)}, "tables": {}}
    return {"facts": told.facts, "tables": told.tables}


def _with_interval(value: float, interval: Interval | None, scale: float) -> list[float | None]:
    ends = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    return [finite(scale * number) for number in (value, *ends)]


def _finite_list(values: Sequence[float]) -> list[float | None]:
    """Whole numbers without their fraction: most scores of answers are 0 or 1."""
    return [int(value) if value in (0.0, 1.0) else finite(value) for value in array("d", values)]
