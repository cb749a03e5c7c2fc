"""A crosscheck as text and Markdown: numbers side by side in the official scale, then the examples behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fullmarks.report.comparison_tables import cut, shown_count
from fullmarks.report.documents import decimals
from fullmarks.report.markdown import code, escaped, markdown_table
from fullmarks.result import flat_numbers

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fullmarks.analysis.crosscheck import Crosscheck, DifferingExample, OtherNumbers
    from fullmarks.report.terminal import Page

OWN = "official"
NOTHING = "no other rules are known for this protocol"


def crosscheck_text(check: Crosscheck, page: Page, examples: int) -> str:
    """The numbers, what each rule is, and the first examples that each scores differently."""
    from fullmarks.report.terminal import draw, line, lines, table

    parts: list[RenderableType] = [table(page, *_numbers(check))]
    meanings = [[rule.name, rule.description] for rule in check.rules]
    parts.append(table(page, ["rule", "what it does"], meanings, numbers=()) if meanings else line(f" {NOTHING}"))
    parts += [line(f" {text}") for text in _digits(check)]
    for rule in _with_examples(check, examples):
        header, rows = _examples(rule, examples)
        below = [[line(row[0]), lines(row[1].split("; ")), *map(line, row[2:])] for row in rows]
        parts += [line(f" {_title(rule, examples)}", "bold"), table(page, header, below, numbers=())]
    return draw(page, *parts, line(f" {check.signature}"))


def crosscheck_markdown(check: Crosscheck, examples: int) -> str:
    """The same as Markdown."""
    parts = [f"## {escaped(check.protocol)} under other rules", markdown_table(*_numbers(check))]
    parts.append("\n".join(f"- {code(rule.name)}: {escaped(rule.description)}" for rule in check.rules) or NOTHING)
    parts += map(escaped, _digits(check))
    for rule in _with_examples(check, examples):
        parts += [f"### {escaped(_title(rule, examples))}", markdown_table(*_examples(rule, examples))]
    return "\n\n".join([*parts, code(check.signature)]) + "\n"


def _numbers(check: Crosscheck) -> tuple[list[str], list[list[str]]]:
    names = list(check.scores)
    own = [OWN, *(_shown(check.scores[name], check.scale) for name in names), ""]
    rows = [own]
    for rule in check.rules:
        cells = [_beside(rule.scores.get(name), check.scores[name], check.scale) for name in names]
        rows.append([rule.name, *cells, str(len(rule.differing))])
    return ["rule", *names, "examples that differ"], rows


def _digits(check: Crosscheck) -> list[str]:
    """What the published program prints on another Python, to the last digit."""
    said = []
    for rule in check.rules:
        if rule.official is not None:
            own, other = flat_numbers(check.official), flat_numbers(rule.official)
            changed = [f"{key} {other[key]!r} instead of {own[key]!r}" for key in own if own[key] != other[key]]
            said.append(f"{rule.name}: {', '.join(changed) or 'the same digits'}")
    return said


def _with_examples(check: Crosscheck, examples: int) -> list[OtherNumbers]:
    return [rule for rule in check.rules if rule.differing and examples]


def _title(rule: OtherNumbers, examples: int) -> str:
    return f"differing under {rule.name}: {shown_count(len(rule.differing), examples)}"


def _examples(rule: OtherNumbers, examples: int) -> tuple[list[str], list[list[str]]]:
    rows = [_example_row(example) for example in rule.differing[:examples]]
    return ["id", "change", "prediction", "references"], rows


def _example_row(example: DifferingExample) -> list[str]:
    changes = "; ".join(_change(name, value, example.other_scores[name]) for name, value in example.scores.items())
    references = " / ".join(dict.fromkeys(map(str, example.references))) or "(no answer)"
    return [str(example.id), changes, cut(str(example.prediction)), cut(references)]


def _change(name: str, own: float, other: float) -> str:
    """Both numbers, with two decimals unless these are the same."""
    before, after = f"{own:.2f}", f"{other:.2f}"
    return f"{name} {before} -> {after}" if before != after else f"{name} {own!r} -> {other!r}"


def _shown(value: float, scale: float) -> str:
    return f"{scale * value:.{decimals(scale)}f}"


def _beside(value: float | None, own: float, scale: float) -> str:
    """The number and how far it is from the official one."""
    if value is None:
        return ""
    return f"{_shown(value, scale)} ({scale * (value - own):+.{decimals(scale)}f})"
