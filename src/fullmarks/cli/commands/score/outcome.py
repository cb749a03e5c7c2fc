"""A result with the intervals that were asked for, rendered in each of the formats of `score`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.analysis.gate import Verdict
    from fullmarks.analysis.intervals import Confidence, Sampling
    from fullmarks.report.terminal import Page
    from fullmarks.result import Result


@dataclass(frozen=True)
class Outcome:
    """What is shown or written: a result, the columns to break it down by, how to resample it, and the verdict."""

    result: Result
    by: tuple[str, ...] = ()
    sampling: Sampling | None = None
    verdict: Verdict | None = None
    spreadsheet: bool = False
    """Whether CSV is for a spreadsheet."""

    @cached_property
    def confidence(self) -> Confidence | None:
        """The intervals; computed once, whoever asks first."""
        if self.sampling is None:
            return None
        from fullmarks.analysis.intervals import result_confidence

        return result_confidence(self.result, self.by, self.sampling)

    def extra(self) -> dict[str, Any]:
        """What the full result holds besides the result itself."""
        return {} if self.confidence is None else {"intervals": self.confidence.to_dict()}

    def rendered(self, form: str, page: Page | None, *, is_file: bool = False) -> str:
        """The text of a format; the page is that of the terminal, None for a file."""
        if form == "text":
            return self._text(page)
        if form == "markdown":
            return self.markdown()
        from fullmarks.report import documents

        if form == "csv":
            return documents.comma_separated(self.result, self.by, spreadsheet=self.spreadsheet) + self._csv_lines()
        if form == "full":
            return documents.full_json(self.result, self.extra())
        return documents.official_json(self.result, is_file=is_file)

    def markdown(self) -> str:
        """The result, its intervals and the verdict as Markdown."""
        from fullmarks.report.documents import markdown

        parts = [markdown(self.result, self.by)]
        if self.confidence is not None:
            from fullmarks.report.intervals import interval_markdown

            parts.append(interval_markdown(self.result, self.confidence))
        if self.verdict is not None:
            from fullmarks.report.verdict import verdict_markdown

            parts.append(verdict_markdown(self.verdict))
        return "\n".join(parts)

    def _text(self, page: Page | None) -> str:
        from fullmarks.report.terminal import LEVELS, Page, result_text

        levels = ("note",) if page else LEVELS
        return result_text(self.result, page or Page(), by=self.by, levels=levels, confidence=self.confidence)

    def _csv_lines(self) -> str:
        if self.confidence is None:
            return ""
        from fullmarks.report.delimited import delimited
        from fullmarks.report.intervals import interval_records

        return delimited(interval_records(self.result, self.confidence), spreadsheet=self.spreadsheet)
