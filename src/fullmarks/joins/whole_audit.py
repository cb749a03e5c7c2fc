"""The audit of a join in parts: the findings, counts, details and first ids of one join in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fullmarks.errors import UsageError
from fullmarks.jobs.job import note_left_out
from fullmarks.joins.both_sides import BothSides
from fullmarks.joins.parts import PartScored
from fullmarks.joins.placed_audit import merged
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import MISSING, REPEATED_GOLD, UNKNOWN, note_strangers, why_missing
from fullmarks.types import FIRST_IDS, Audit, Finding


def whole_audit(rules: Protocol, sides: BothSides, found: Sequence[PartScored]) -> Audit:
    """What the files, both sides, the join, the protocol and the extraction of answers gave rise to."""
    audit = Audit(gold=sum(part.gold for part in found), predictions=sum(part.predictions for part in found))
    _take(audit, found[0].before.values())
    for piece in (*sides.gold, *sides.predictions):
        _take(audit, piece.findings.findings.values())
    _take(audit, merged(part.read for part in found))
    _take_findings_of_join(audit, rules, sides, found)
    _take(audit, merged(part.noted for part in found))
    _take(audit, merged(part.extracted for part in found))
    _take(audit, merged(part.completed for part in found))
    note_left_out(set[str]().union(*(part.left_out for part in found)), audit, sides.gold_name)
    changes = sorted((change for part in found for change in part.changes), key=lambda change: change[0])
    audit.extracted = [change for _, change in changes[:FIRST_IDS]]
    return audit


def _take_findings_of_join(audit: Audit, rules: Protocol, sides: BothSides, found: Sequence[PartScored]) -> None:
    """What did not meet; that nothing did is known of the whole alone."""
    aligned = {finding.code: finding for finding in merged(part.aligned for part in found)}
    repeated = aligned.pop(REPEATED_GOLD.code, None)
    if repeated is not None:
        if rules.limit is not None and rules.repeated_gold == "last":
            problem = f"{sides.gold_name}: {repeated.brief}. Only a join in memory settles them before"
            raise UsageError(f"{problem} it counts the questions for limit: leave limit or spilling out")
        _take(audit, [repeated])
    if not any(part.has_common for part in found):
        first = aligned[UNKNOWN.code].first_ids
        names = {"gold_name": sides.gold_name, "name": sides.name}
        note_strangers(sides.first_ids(), first, audit, count=audit.predictions, **names)
    if MISSING.code in aligned:
        aligned[MISSING.code].detail = why_missing(audit)
    _take(audit, aligned.values())


def _take(audit: Audit, findings: Iterable[Finding]) -> None:
    """Add the findings to the audit; one of a kind that is there already comes after it."""
    for finding in findings:
        known = audit.findings.setdefault(finding.code, finding)
        if known is not finding:
            known.count += finding.count
            known.first_ids += finding.first_ids[: FIRST_IDS - len(known.first_ids)]
