"""The log of another tool: recognised by its shape, read sample by sample, with everything left out counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, kind_of
from fullmarks.readers.logs.findings import (
    CHOSEN,
    FAILED_RUN,
    FURTHER,
    NO_ANSWER,
    NO_ANSWER_GIVEN,
    NOT_WANTED,
    PERTURBED,
    WITHOUT_TARGET,
    WITHOUT_TEXT,
)
from fullmarks.readers.logs.helm import HELM
from fullmarks.readers.logs.inspect_log import INSPECT, in_order
from fullmarks.readers.logs.lighteval import LIGHTEVAL
from fullmarks.readers.logs.lm_eval import HARNESS
from fullmarks.readers.logs.lmms_eval import LMMS_EVAL
from fullmarks.readers.logs.sample import About, Given, LogFormat, Sample
from fullmarks.readers.logs.values import is_list, object_of
from fullmarks.readers.logs.vlmeval import VLMEVALKIT
from fullmarks.readers.predictions import FAILED, LogOptions
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Identifier

FORMATS: tuple[LogFormat, ...] = (*LMMS_EVAL, *HARNESS, *LIGHTEVAL, *HELM, *INSPECT, *VLMEVALKIT)

Record = dict[str, Any]
MOST_VALUES = 8
"""How many values of a column an error shows."""
FILTER = "filter"
"""The column that names the filter of the tool."""


class Log(msgspec.Struct):
    """One tool's samples: where they come from, each time anew, and what is said of all of them."""

    format: LogFormat
    name: str
    rows: Callable[[], Iterable[Any]]
    about: About
    status: Any = None

    def samples(self, wanted_filter: str | None = None) -> Iterator[Sample]:
        """All samples in the order of the file, whatever they hold.

        A tool that applies several filters writes the text of a question once for each. Such a text is one sample,
        unless a filter is asked for: then the samples of this filter have the text that it made.
        """
        first_filter, seen = None, set[int]()
        for sample in self._every_sample():
            used = sample.columns.get(FILTER)
            if wanted_filter is not None:
                if used == wanted_filter:
                    sample.text = sample.filtered
            elif isinstance(sample.filtered, str) and isinstance(sample.text, str):
                first_filter = first_filter or used
                key = hash((sample.id, sample.text))
                if used == first_filter:
                    seen.add(key)
                elif key in seen:
                    continue
            if is_word(sample.text, sample.no_answer):
                sample.text, sample.says_no_answer = "", True
            yield sample

    def _every_sample(self) -> Iterator[Sample]:
        for position, item in enumerate(self.rows()):
            if not isinstance(item, (dict, Pairs)):
                found = f"expected a {self.format.tool} sample, found {kind_of(item)}"
                raise InputError(f"{self.name}: record {position + 1}", found, "Write one object per sample.")
            yield self.format.read(object_of(item), position, self.about)

    def judged(self, audit: Audit, options: LogOptions) -> Iterator[tuple[Sample, bool]]:
        """Every wanted sample with whether it has an answer; what it lacks is noted. If none has one, that is an error.

        The log of a run that did not succeed is refused unless the options allow it.
        """
        self._check_status(audit, allow_failed=options.allow_failed)
        own, any_answer = Audit(), False
        for sample in self.samples(options.filter):
            if not is_wanted(record_of(sample), options.only):
                own.add(NOT_WANTED, "note", [sample.id], where=self.name)
                continue
            is_usable = _is_usable(sample, own, self.name)
            any_answer = any_answer or is_usable
            yield sample, is_usable
        audit.merge(own)
        if not any_answer:
            raise self._no_answers(own, options.only)

    def answered(self, audit: Audit, options: LogOptions) -> Iterator[Sample]:
        """The samples that have an answer."""
        return (sample for sample, is_usable in self.judged(audit, options) if is_usable)

    def answers(self, audit: Audit, options: LogOptions) -> Iterator[tuple[Identifier, str]]:
        """The ids and texts of these."""
        return ((sample.id, sample.text) for sample in self.answered(audit, options))

    def records(self, audit: Audit, options: LogOptions) -> Iterator[Record]:
        """The samples that have an answer as rows of a table of examples."""
        for sample in self.answered(audit, options):
            if sample.references is None:
                audit.add(WITHOUT_TARGET, "warning", [sample.id], where=self.name)
            self.note_no_answer(sample, audit)
            yield record_of(sample)

    def note_no_answer(self, sample: Sample, audit: Audit) -> None:
        """Record a target that says that there is no answer."""
        if sample.no_answer is not None:
            detail = f"it is written as {sample.no_answer!r}, and means a question without an answer"
            audit.add(NO_ANSWER, "note", [sample.id], detail=detail, where=self.name)

    def questions(self) -> Iterator[Record]:
        """The right answers alone, of all samples that have some, once where a question comes again with the same."""
        seen: dict[Identifier, list[str]] = {}
        for sample in self.samples():
            if sample.references is None or sample.is_perturbed or seen.get(sample.id) == sample.references:
                continue
            seen[sample.id] = sample.references
            yield {"id": sample.id, "references": sample.references, **sample.columns}

    def _check_status(self, audit: Audit, *, allow_failed: bool) -> None:
        """A run that failed, was cancelled or never ended holds answers to a part of the questions only."""
        if self.status in (None, "success"):
            return
        if not allow_failed:
            raise InputError(
                self.name,
                f"this {self.format.tool} run did not succeed: its status is {self.status!r}",
                "Run it again, or score what it holds with --allow-failed.",
            )
        audit.add(FAILED_RUN, "warning", count=1, detail=f"its status is {self.status!r}", where=self.name)

    def _no_answers(self, audit: Audit, only: Mapping[str, str]) -> InputError:
        these = f"these are samples of {self.format.tool}, but"
        if NOT_WANTED.code in audit.findings and len(audit.findings) == 1:
            return self._none_wanted(audit.findings[NOT_WANTED.code].count, only)
        if WITHOUT_TEXT.code in audit.findings:
            return InputError(
                self.name,
                f"{these} none of them holds a text",
                "Only tasks that generate text can be scored: log-likelihoods of given answers are no answers.",
            )
        failed = audit.findings.get(FAILED.code)
        if failed is not None:
            return InputError(self.name, f"{these} all {failed.count} failed; {failed.detail}", "Run it again.")
        if PERTURBED.code in audit.findings:
            advice = "Their answers are not scored: write the instances themselves as well."
            return InputError(self.name, f"{these} all of them are perturbed copies of instances", advice)
        return _no_samples(self.format, self.name)

    def _none_wanted(self, count: int, only: Mapping[str, str]) -> InputError:
        return none_wanted(self.name, count, only, map(record_of, self._every_sample()))


def none_wanted(name: str, count: int, only: Mapping[str, str], records: Iterable[Record]) -> InputError:
    """The error about logs without the samples that were asked for; it says what the columns do hold."""
    seen: dict[str, dict[str, None]] = {column: {} for column in only}
    for record in records:
        for column, values in seen.items():
            if column in record and len(values) < MOST_VALUES:
                values.setdefault(str(record[column]))
    found = (f"'{column}' is {', '.join(values) if values else 'no column of it'}" for column, values in seen.items())
    wanted = " and ".join(f"{column}={value}" for column, value in only.items())
    return InputError(name, f"none of the {count} samples has {wanted}", f"There, {'; '.join(found)}.")


def is_wanted(record: Record, only: Mapping[str, str]) -> bool:
    """Whether a record has the values that were asked for."""
    return all(str(record.get(column)) == value for column, value in only.items())


def is_word(text: Any, word: str | None) -> bool:
    """Whether a text is this word, whatever its case, blanks around it and a full stop at its end."""
    return bool(word) and isinstance(text, str) and text.strip().rstrip(".").casefold() == str(word).casefold()


def record_of(sample: Sample) -> Record:
    """A sample as a row of a table of examples."""
    references = {} if sample.references is None else {"references": sample.references}
    return {"id": sample.id, "prediction": sample.text, **references, **sample.columns}


def _is_usable(sample: Sample, audit: Audit, name: str) -> bool:
    """Whether a sample has an answer that counts; noted where not, and where it is not simply the one written."""
    if sample.is_perturbed:
        audit.add(PERTURBED, "note", [sample.id], where=name)
    elif sample.failure is not None:
        audit.add(FAILED, "warning", [sample.id], detail=f"the first: {sample.failure}", where=name)
    elif not isinstance(sample.text, str):
        audit.add(WITHOUT_TEXT, "warning", [sample.id], where=name)
    else:
        if sample.is_chosen:
            audit.add(CHOSEN, "note", [sample.id], where=name)
        if sample.says_no_answer:
            audit.add(NO_ANSWER_GIVEN, "note", [sample.id], where=name)
        if sample.left_out:
            audit.add(FURTHER, "warning", [sample.id], count=sample.left_out, where=name)
        return True
    return False


def log_of_document(document: Any, name: str, source: Source | None = None) -> Log | None:
    """The log that a decoded document or a list of samples is; None where this is no other tool's file."""
    form = format_of(document)
    if form is None:
        return None
    around = object_of(document) if form.samples else {}
    samples: Any = around.get(form.samples) if form.samples else document
    if form.samples and (not is_list(samples) or not samples):
        if around.get(form.status) not in (None, "success"):
            samples = []  # who reads them says first that the run did not succeed
        else:
            raise _no_samples(form, name)
    elif not is_list(samples):
        samples = [samples]
    held: Sequence[Any] = in_order(around, samples) if form in INSPECT else samples
    about = form.about(Given(name, around, held, source))
    return Log(form, name, lambda: held, about, around.get(form.status) if form.status else None)


def format_of(document: Any) -> LogFormat | None:
    """The format of this list of samples, this document, or this only sample."""
    listed = is_list(document)
    keys = object_of(next(iter(document), None) if listed else document).keys()
    return next((form for form in FORMATS if _fits(form, keys) and not (listed and form.samples)), None)


def format_of_rows(names: Iterable[str]) -> LogFormat | None:
    """The format of a table with these columns."""
    keys = set(names)
    return next((form for form in FORMATS if _fits(form, keys) and not form.samples), None)


def _fits(form: LogFormat, keys: Any) -> bool:
    return form.keys <= keys and form.not_keys.isdisjoint(keys)


def _no_samples(form: LogFormat, name: str) -> InputError:
    return InputError(name, f"this {form.tool} log holds no samples", "Export the log with its samples.")
