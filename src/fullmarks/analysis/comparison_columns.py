"""All that is known of the differences of a comparison as columns: one row per system and score, then one per slice.

Numbers are on the scale of `Result.scores` (0-1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.analysis.comparison import Comparison, Difference

NUMBERS = (
    *("value_system", "value_baseline", "difference", "low", "high", "level", "standard_error"),
    *("p_permutation", "p_holm", "p_bootstrap", "p_mcnemar", "effect_size", "equivalent_within", "p_equivalence"),
    *(f"between_{of}_{side}" for of in ("examples", "runs") for side in ("system", "baseline")),
)
"""The columns that hold numbers also where no difference has one."""


def comparison_columns(comparison: Comparison) -> dict[str, list[Any]]:
    """The columns by name; None for what a difference does not have."""
    rows = [_record(each, comparison) for each in (*comparison.differences, *comparison.slices)]
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _record(each: Difference, comparison: Comparison) -> dict[str, Any]:
    test = each.test
    interval, effect, counts, alike = test.interval, test.effect, test.outcomes, test.equivalence
    return {
        "system": each.system,
        "baseline": comparison.baseline,
        "score": each.score,
        "column": each.column or None,
        "value": each.label if each.column else None,
        "n": test.examples,
        "value_system": test.system,
        "value_baseline": test.baseline,
        "difference": test.difference,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
        "standard_error": interval.standard_error,
        "p_permutation": test.permutation.p_value,
        "p_holm": each.p_holm,
        "p_bootstrap": test.p_bootstrap,
        "p_mcnemar": test.p_mcnemar,
        "effect": effect and effect.name,
        "effect_size": effect and effect.value,
        "wins": counts and counts.wins,
        "losses": counts and counts.losses,
        "ties": counts and counts.ties,
        "equivalent_within": alike and alike.within,
        "p_equivalence": alike and alike.p_value,
        "note": interval.note or None,
        **_runs(each, comparison),
    }


def _runs(each: Difference, comparison: Comparison) -> dict[str, Any]:
    """The runs of both sides where one has several; how far they lie apart belongs to the whole, not to a slice."""
    found: dict[str, Any] = {}
    for side, name in (("system", each.system), ("baseline", comparison.baseline)) if comparison.runs else ():
        spread = comparison.runs[name][each.score]
        found[f"runs_{side}"] = spread.runs
        found[f"between_examples_{side}"] = None if each.column else spread.between_examples
        found[f"between_runs_{side}"] = None if each.column else spread.between_runs
    return found
