"""Qasper's gold: every annotator's answer as a text with a type and evidence."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.protocols.qasper.metric import EVIDENCE
from fullmarks.protocols.qasper.rules import FLOAT, read_answer
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

ANSWER_TYPES = "types"
"""The fact that holds the type of each reference."""
SHAPE = (
    '{paper: {"qas": [{"question_id", "answers": [{"answer": {"unanswerable", "extractive_spans", "free_form_answer", '
    '"yes_no", "evidence"}}]}]}}'
)
FORM = RecordForm(
    "question_id",
    at="{}.qas[]",
    columns={"paper": "@1", "question": "question"},
    facts={"answers": "answers[].answer"},
    shape=SHAPE,
)


def read_qasper(source: Source, *, text_evidence_only: bool) -> Gold:
    """Every question of the file in file order; figures and tables are dropped from the evidence where asked for."""
    gold = read_records(source, FORM)
    types: list[list[str]] = []
    evidence: list[list[list[str]]] = []
    for at, (identifier, answers) in enumerate(zip(gold.ids, gold.facts["answers"], strict=True)):
        read = [_read(answer, identifier, source.name) for answer in answers]
        gold.references[at] = [text for text, _, _ in read]
        types.append([kind for _, kind, _ in read])
        paragraphs = [found for _, _, found in read]
        if text_evidence_only:
            paragraphs = [[text for text in found if FLOAT not in text] for found in paragraphs]
        evidence.append(paragraphs)
    gold.facts = {ANSWER_TYPES: types, EVIDENCE: evidence}
    return gold


def _read(answer: Any, identifier: Identifier, name: str) -> tuple[str, str, list[str]]:
    """Text, type and evidence; an unanswerable question has no evidence, whatever is listed.

    Only the fields that decide are looked at, as in the published program: those after them may be anything.
    """
    where, advice = f"{name}: question {identifier!r}", f"Expected {SHAPE}."
    if not isinstance(answer, dict):
        raise InputError(where, f"an answer must be an object, found {kind_of(answer)}", advice)
    try:
        if answer["unanswerable"]:
            return "Unanswerable", "none", []
        spans, evidence = answer["extractive_spans"], answer["evidence"]
        if spans and not _are_texts(spans):
            raise InputError(where, "'extractive_spans' must be a list of texts", advice)
        read = read_answer(answer)
    except KeyError as error:
        raise InputError(where, f"an answer has no field {error}", advice) from None
    if read is None:
        problem = "an answer is neither unanswerable nor has it spans, a free-form answer or yes or no"
        raise InputError(where, problem, "Remove it, or say what was answered.")
    if not isinstance(read[0], str):
        raise InputError(where, f"'free_form_answer' must be a text, found {kind_of(read[0])}", advice)
    if not _are_texts(evidence):
        raise InputError(where, "'evidence' must be a list of texts", advice)
    return *read, evidence


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(text, str) for text in values)
