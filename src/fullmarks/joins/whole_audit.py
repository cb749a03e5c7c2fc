"""The audit of a join in parts: as one join in memory writes it, findings in the order of the code that makes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fullmarks.errors import UsageError
from fullmarks.jobs.job import note_left_out
from fullmarks.joins.both_sides import BothSides
from fullmarks.joins.parts import PartScored, Sides
from fullmarks.joins.placed_audit import in_order, merged
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import EMPTY, MISSING, REPEATED_GOLD, UNKNOWN, note_strangers, why_missing
from fullmarks.types import FIRST_IDS, Audit, Finding


def whole_audit(rules: Protocol, sides: BothSides, facts: Sides, found: Sequence[PartScored]) -> Audit:
    """What the files, both sides, the join, the protocol and the extraction of answers gave rise to."""
    audit = Audit(gold=sum(part.gold for part in found), predictions=sum(part.predictions for part in found))
    _take(audit, found[0].before.values())
    for piece in sides.gold:
        _take(audit, piece.findings.findings.values())
    _take_findings_of_predictions(audit, sides, facts, found)
    _take_findings_of_join(audit, rules, sides, found)
    _take(audit, in_order(merged(part.noted for part in found), rules.notes or ()))
    _take(audit, [placed.finding for placed in merged(part.extracted for part in found).values()])
    _take(audit, in_order(merged(part.completed for part in found), rules.notes or ()))
    note_left_out(set[str]().union(*(part.left_out for part in found)), audit, sides.gold_name)
    changes = sorted((change for part in found for change in part.changes), key=lambda change: change[0])
    audit.extracted = [change for _, change in changes[:FIRST_IDS]]
    return audit


def _take_findings_of_predictions(audit: Audit, sides: BothSides, facts: Sides, found: Sequence[PartScored]) -> None:
    """What was odd about predictions as they were read, with ids that came again, in the order of the records."""
    made = [
        (start + piece.born[code], finding)
        for start, piece in zip(facts.prediction_starts, sides.predictions, strict=False)
        for code, finding in piece.findings.findings.items()
    ]
    made += [(placed.first, placed.finding) for placed in merged(part.repeated for part in found).values()]
    _take(audit, [finding for _, finding in sorted(made, key=lambda each: each[0])])


def _take_findings_of_join(audit: Audit, rules: Protocol, sides: BothSides, found: Sequence[PartScored]) -> None:
    """What did not meet; that nothing did is known of the whole alone."""
    aligned = merged(part.aligned for part in found)
    repeated = aligned.pop(REPEATED_GOLD.code, None)
    if repeated is not None:
        if rules.limit is not None and rules.repeated_gold == "last":
            problem = f"{sides.gold_name}: {repeated.finding.brief}. Only a join in memory settles them before"
            raise UsageError(f"{problem} it counts the questions for limit: leave limit or spilling out")
        _take(audit, [repeated.finding])
    if not any(part.has_common for part in found):
        first = aligned[UNKNOWN.code].finding.first_ids
        names = {"gold_name": sides.gold_name, "name": sides.name}
        note_strangers(sides.first_ids(), first, audit, count=audit.predictions, **names)
    if MISSING.code in aligned:
        aligned[MISSING.code].finding.detail = why_missing(audit)
    _take(audit, in_order(aligned, (UNKNOWN, MISSING, EMPTY)))


def _take(audit: Audit, findings: Iterable[Finding]) -> None:
    """Add the findings to the audit; one of a kind that is there already comes after it."""
    for finding in findings:
        known = audit.findings.setdefault(finding.code, finding)
        if known is not finding:
            known.count += finding.count
            known.first_ids += finding.first_ids[: FIRST_IDS - len(known.first_ids)]
