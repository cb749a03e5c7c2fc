"""Kinds of findings: every code of the package, the table of docs/findings.md, and what an audit makes of them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import fullmarks
from fullmarks import Audit, FindingKind
from fullmarks.cli.main import main
from fullmarks.readers.alignment import MISSING, UNKNOWN, raise_errors
from fullmarks.text.tables import table
from tools.finding_table import HEADER, PAGE, SOURCE, declared, page

KINDS = [each.kind for each in declared()]
MADE_ELSEWHERE = {"types.py", "hidden.py"}
"""The files that make kinds of other kinds, so that their codes are not written out."""
NO_UNIT = FindingKind("no-unit", "answers without a unit", "Write the unit after the number")


def calls(name: str) -> Iterator[tuple[Path, ast.Call]]:
    """Every call in the package of a function or method of that name."""
    for path in sorted((SOURCE / "fullmarks").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if f"{name}(" in text else ():
            if isinstance(node, ast.Call) and name in (getattr(node.func, "attr", ""), getattr(node.func, "id", "")):
                yield path, node


def test_codes_and_texts_are_unique() -> None:
    for values in ([kind.code for kind in KINDS], [kind.text for kind in KINDS]):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_codes_are_short_words_with_hyphens() -> None:
    assert [kind.code for kind in KINDS if not re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)] == []
    assert max(len(kind.code) for kind in KINDS) <= 32


def test_advice_is_a_sentence_without_its_full_stop() -> None:
    assert [kind.advice for kind in KINDS if kind.advice and not re.fullmatch(r"[A-Z].*[^.]", kind.advice)] == []


def test_every_kind_stands_under_a_name_of_its_module() -> None:
    made = [(path, call) for path, call in calls("FindingKind") if path.name not in MADE_ELSEWHERE]
    codes = [ast.literal_eval(call.args[0]) for _, call in made]
    assert sorted(codes) == sorted(kind.code for kind in KINDS)
    assert len(codes) > 100


def test_the_package_counts_under_declared_kinds_alone() -> None:
    added = [(path, call) for path, call in calls("add") if "audit" in ast.unparse(call.func)]
    assert len(added) > 90
    assert [
        (path.name, call.lineno) for path, call in added if isinstance(call.args[0], (ast.Constant, ast.JoinedStr))
    ] == []


def test_the_page_lists_every_code_and_no_other() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([^`]+)` \|", text.partition(HEADER)[2], re.MULTILINE)
    assert listed == sorted(kind.code for kind in KINDS)
    assert page(text) == text, "run: make pages"


def test_the_command_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text('{"id": "a", "references": ["x"]}\n{"id": "b", "references": ["y"]}\n')
    Path("predictions.json").write_text('{"a": "x", "c": "z"}')
    found = re.search(r"^ {4}\$ fullmarks (.+)\n((?: {4}.*\n)+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    assert main(found[1].split()) == 2
    assert "".join(f"    {line}\n" for line in capsys.readouterr().out.splitlines()) == found[2]


def test_codes_of_former_texts_are_known() -> None:
    former = table("former_findings")
    assert set(former.values()) <= {kind.code for kind in KINDS}
    assert former["questions without a prediction"] == MISSING.code


def test_a_kind_of_ones_own_is_counted_under_its_code() -> None:
    audit = Audit()
    audit.add(NO_UNIT, "error", ["q3"], where="gold.json")
    audit.add(NO_UNIT, "error", ["q7"])
    assert audit.to_dict()["findings"] == [
        {
            "code": "no-unit",
            "kind": "answers without a unit",
            "level": "error",
            "count": 2,
            "first_ids": ["q3", "q7"],
            "detail": "",
            "where": "gold.json",
            "advice": "Write the unit after the number",
        }
    ]


def test_a_text_alone_makes_a_kind() -> None:
    audit = Audit()
    audit.add("odd rows (of 'x')", "warning", ["a"])
    audit.add("odd rows (of 'x')", "warning", ["b"])
    (finding,) = audit.findings.values()
    assert (finding.code, finding.kind, finding.count, finding.advice) == ("odd-rows-of-x", "odd rows (of 'x')", 2, "")


def test_a_kind_of_several_things_is_counted_for_each() -> None:
    kind = FindingKind("missing-part", "predictions without {part}", "Add {part}", for_errors_only=True)
    audit = Audit()
    audit.add(kind.about(part="{sp}"), "error", [1])
    audit.add(kind.about(part="answer"), "warning", [1, 2])
    assert [(each.code, each.kind, each.count, each.advice) for each in audit.findings.values()] == [
        ("missing-part:{sp}", "predictions without {sp}", 1, "Add {sp}"),
        ("missing-part:answer", "predictions without answer", 2, ""),
    ]


def test_what_a_rule_has_settled_needs_no_advice() -> None:
    gold, predictions = {"a": ["x"], "b": ["y"]}, {"a": "x", "c": "z"}
    for rule, wanted in (("error", MISSING.advice), ("zero", ""), ("skip", "")):
        findings = fullmarks.validate("qa", gold, predictions, on_missing=rule).findings
        assert findings[MISSING.code].advice == wanted
        assert findings[UNKNOWN.code].advice == UNKNOWN.advice != ""


def test_errors_are_raised_with_their_own_advice() -> None:
    audit = Audit()
    audit.add(NO_UNIT, "error", ["q3"])
    audit.add("odd rows", "error", ["r"], where="other.json")
    with pytest.raises(fullmarks.MismatchError) as caught:
        raise_errors(audit, "gold.json")
    assert str(caught.value) == (
        "gold.json: answers without a unit: 1 (first ids: 'q3'). Write the unit after the number. "
        "Also other.json: odd rows: 1 (first ids: 'r'). Correct it."
    )


def test_a_warning_that_becomes_an_error_has_its_advice() -> None:
    gold = [{"questionId": at, "answers": ["x"]} for at in (1, 2)]
    predictions = [{"questionId": at, "answer": "x"} for at in (1, 2, 2)]
    with pytest.raises(fullmarks.MismatchError, match=r"repeated id: 1 .*remove one of each, or pass --on-duplicate"):
        fullmarks.score("docvqa", {"data": gold}, predictions)
