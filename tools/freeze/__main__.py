"""The command: `make freeze`, or python -m tools.freeze write|compare [--only NAME]."""

from __future__ import annotations

import argparse
import sys

from tools.freeze.cases import all_cases, chosen_cases
from tools.freeze.record import RECORD, compare_cases, read_record, write_record


def main() -> int:
    """0 where nothing differs or the record was written, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tools.freeze")
    parser.add_argument("command", choices=("write", "compare"))
    parser.add_argument("--only", default="", help="the cases below a name, as in squad2/golden")
    parser.add_argument("--quick", action="store_true", help="compare what `make test` compares")
    parser.add_argument("--most", type=int, default=10, help="how many differences of a case are shown")
    given = parser.parse_args()
    if given.quick and given.command == "write":
        parser.error("--quick is for compare: the record holds all steps")
    before, cases = read_record(), chosen_cases(given.only, quick=given.quick)
    if not cases:
        parser.error(f"there is no case below '{given.only}'")
    comparison = compare_cases(cases, before, quick=given.quick)
    gone = [name for name in before if name not in {case.name for case in all_cases()}]
    print("\n".join([*comparison.lines(given.most), *(f"no such case any more: {name}" for name in gone)]))
    if given.command == "compare":
        return 1 if comparison.differences or gone else 0
    kept = {name: found for name, found in before.items() if name not in gone}
    write_record({**kept, **comparison.found})
    print(f"{RECORD.name}: {len(read_record())} cases, {RECORD.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
