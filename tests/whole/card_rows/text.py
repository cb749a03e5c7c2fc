"""What the cards of the text benchmarks say of fullmarks under "Where we differ", run case by case.

What a published program does cannot be run here; where it has a number, a comment gives it.
"""

from __future__ import annotations

from tests.whole.card_rows.checking import Case
from tests.whole.card_rows.generic import QA
from tests.whole.card_rows.open_questions import OPEN
from tests.whole.card_rows.passages import PASSAGES
from tests.whole.card_rows.several_pages import HOPS, MUSIQUE
from tests.whole.card_rows.squad_family import SQUAD

CASES: dict[str, dict[str, Case]] = {**SQUAD, **OPEN, **HOPS, **MUSIQUE, **PASSAGES, **QA}
