"""An extractor: steps that are joined by `+`, each of which gets what the one before left.

    after-think+final-answer        regex:(\\d+) apples        after-think+json:answer

Names are separated by `+`. `regex:` takes all that follows it, whatever it holds, so it can only be the last step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fullmarks.errors import UsageError
from fullmarks.text.bounded_regex import BoundedPattern
from fullmarks.text.extraction.choices import LETTERS, choice
from fullmarks.text.extraction.found import Found, Status
from fullmarks.text.extraction.lines import after_think, final_answer, first_line, last_line
from fullmarks.text.extraction.numbers import last_number
from fullmarks.text.extraction.parts import boxed, by_pattern, json_field

EXTRACTION_VERSION = 1
"""Grows whenever any step gives another text than before for the same text."""

KEEPS_TEXT = ("after-think", "final-answer", "first-line", "last-line")
"""The steps that let the text go on unchanged where they find nothing; the others let nothing go on."""
SINGLE: dict[str, Callable[[str], Found]] = {
    "after-think": after_think,
    "final-answer": final_answer,
    "first-line": first_line,
    "last-line": last_line,
    "boxed": boxed,
    "number": last_number,
}
WITH_VALUE = ("regex", "json")
CHOICE = "choice"
NAMES = (*SINGLE, CHOICE, "regex:PATTERN", "json:FIELD")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Step(NamedTuple):
    """One step of an extractor, as it was written."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.value}" if self.value else self.name


class StepOutcome(NamedTuple):
    """What one step left of a text."""

    step: str
    text: str
    status: Status


class Extraction(NamedTuple):
    """What an extractor left of a text, and what every step found; a step after nothing finds nothing."""

    text: str
    outcomes: tuple[StepOutcome, ...]


class Extractor(NamedTuple):
    """Ordered steps; `str` gives the text that it is made from."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.steps))

    @property
    def uses_choices(self) -> bool:
        """Whether it matters how many options an example has."""
        return any(step == Step(CHOICE) for step in self.steps)

    @property
    def signature(self) -> str:
        """Its steps and the version of their rules; what would end a part of a signature is written as %XX.

        >>> extractor("after-think+number").signature, extractor("regex:(yes|no)").signature
        ('after-think+number:v1', 'regex:(yes%7Cno):v1')
        """
        written = str(self)
        for character in "%|\n\r":
            written = written.replace(character, f"%{ord(character):02X}")
        return f"{written}:v{EXTRACTION_VERSION}"

    def extract(self, text: str, options: int | None = None) -> Extraction:
        """What the steps leave of a text; `options` is the number of the example's options where it is known.

        >>> extractor("after-think+number").extract("<think>9 or 12?</think>It is 1,200.").text
        '1200'
        """
        outcomes: list[StepOutcome] = []
        for step in self.steps:
            text, status = _apply(step, text, options)
            outcomes.append(StepOutcome(str(step), text, status))
            if not text:
                break
        return Extraction(text, tuple(outcomes))


def extractor(spec: str) -> Extractor:
    """The extractor that a text such as "after-think+number" stands for.

    >>> extractor(r"last-line+regex:\\w+").steps
    (Step(name='last-line', value=''), Step(name='regex', value='\\\\w+'))
    """
    steps: list[Step] = []
    rest: str | None = spec
    while rest is not None:
        if rest.lstrip().startswith("regex:"):
            step, rest = Step("regex", rest.lstrip().removeprefix("regex:")), None
        else:
            written, plus, after = rest.partition("+")
            name, _, value = written.strip().partition(":")
            step, rest = Step(name, value.strip()), after if plus else None
        _check(step, spec)
        steps.append(step)
    return Extractor(tuple(steps))


def _check(step: Step, spec: str) -> None:
    known = f"Known: {', '.join(NAMES)}; joined by +"
    if step.name not in (*SINGLE, *WITH_VALUE, CHOICE):
        from difflib import get_close_matches

        near = get_close_matches(step.name, (*SINGLE, *WITH_VALUE, CHOICE), 1)
        advice = f"Did you mean '{near[0]}'? " if near else ""
        raise UsageError(f"extract: there is no extractor '{step.name}' in '{spec}'. {advice}{known}")
    if step.name in WITH_VALUE and not step.value:
        raise UsageError(f"extract: '{step.name}:' in '{spec}' names nothing to look for. {known}")
    if step.name in SINGLE and step.value:
        raise UsageError(f"extract: '{step.name}' takes nothing after a colon, found '{step}'. {known}")
    if step.name == CHOICE and step.value and step.value not in tuple(ALPHABET[1:]):
        raise UsageError(
            f"extract: after 'choice:' stands the last letter of the options, as in choice:D; found '{step}'"
        )
    if step.name == "regex":
        BoundedPattern(step.value).check()


def _apply(step: Step, text: str, options: int | None) -> Found:
    if step.name == CHOICE:
        return choice(text, _letters(step, options))
    if step.name == "regex":
        return by_pattern(text, BoundedPattern(step.value))
    if step.name == "json":
        return json_field(text, step.value)
    return SINGLE[step.name](text)


def _letters(step: Step, options: int | None) -> str:
    if step.value:
        return ALPHABET[: ALPHABET.index(step.value) + 1]
    return LETTERS if not options else ALPHABET[:options]
