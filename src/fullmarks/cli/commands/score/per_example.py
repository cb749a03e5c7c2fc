"""`--per-example`: every scored chunk as records in a file, while the scoring goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.evaluate import Watcher
    from fullmarks.metrics.tally import Rows
    from fullmarks.types import Examples

RECORDS_AT_ONCE = 1 << 14


@contextmanager
def written_records(
    protocol: str, options: dict[str, Any], path: str, *, spreadsheet: bool = False
) -> Iterator[Watcher]:
    """A watcher that writes what it sees; the file appears when the work has ended without an error."""
    from fullmarks.evaluate import make_protocol
    from fullmarks.metrics.tally import Tally
    from fullmarks.report.per_example import check_record_path, record_file
    from fullmarks.result import PerExample

    check_record_path(path)
    rules = make_protocol(protocol, options)
    with record_file(path, spreadsheet=spreadsheet) as write:

        def watch(examples: Examples, rows: Rows) -> None:
            chunk = Tally(rules.metrics_for(examples), keep=True)
            chunk.add(examples, rows)
            records = PerExample(chunk)
            for start in range(0, len(records), RECORDS_AT_ONCE):
                write(records[start : start + RECORDS_AT_ONCE])

        yield watch
