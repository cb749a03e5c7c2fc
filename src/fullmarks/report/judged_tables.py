"""What a judge and a person say together, as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fullmarks.report.documents import shown_number

if TYPE_CHECKING:
    from fullmarks.analysis.judged import JudgedMean
    from fullmarks.report.terminal import Page


def judged_text(judged: JudgedMean, page: Page) -> str:
    """The estimate with its interval, either opinion alone, and what the judge is good for."""
    from fullmarks.report.terminal import draw, line, table

    found, person = judged.estimate, judged.person
    level = f"{100 * found.level:g} %"
    means = [
        ["both together", *map(shown_number, (found.mean, found.low, found.high)), f"{judged.rows:,}"],
        ["person alone", *map(shown_number, (found.person_alone, person.low, person.high)), f"{found.labelled:,}"],
        ["judge alone", shown_number(found.judge_alone), "", "", f"{judged.rows:,}"],
    ]
    said = (
        f"judge and person agree on {found.agreement:.1%} of {found.labelled:,} labelled rows; "
        f"the judge's weight is {found.weight:.2f}",
        f"worth {found.worth:,.0f} rows labelled by the person alone",
        "assumes that the labelled rows are a random part of all, and that rows are independent",
    )
    header = ["mean", "value", f"{level} low", "high", "rows"]
    return draw(page, table(page, header, means), *(line(f" {text}") for text in said))
