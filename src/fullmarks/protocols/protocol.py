"""The contract of a protocol: how its files are read, which metrics score them, what its official result looks like.

A protocol is a frozen dataclass: its fields are its options. The command line and the Python interface both take
their options from there. What it can declare (the forms of its files, its official keys) it declares; a method stands
where the published program does something that no declaration says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from msgspec.structs import replace

from fullmarks.errors import UsageError
from fullmarks.frozen import declared, frozen
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.options import check_options, limited
from fullmarks.readers.alignment import Gaps, OnMissing, RepeatedGold, note_without_references
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import ID_NAMES, RUN, LogOptions, OnDuplicate, RowForm
from fullmarks.readers.source import Source
from fullmarks.readers.tables.examples import TableLayout
from fullmarks.types import Audit, Example, Examples, Explanation, FindingKind, Gold

if TYPE_CHECKING:
    from fullmarks.protocols.official import Key
    from fullmarks.protocols.other_rule import OtherRule
    from fullmarks.readers.prediction_parts import PartsForm
    from fullmarks.readers.records import RecordForm
    from fullmarks.readers.run_column import RunColumn
    from fullmarks.text.extraction.extractor import Extractor

Kind = Literal["text", "visual", "generic"]
CHOICES = ("choices", "options")
"""The columns that may hold an example's options: a list, an object or their number."""


def option(
    default: Any,
    description: str,
    *,
    flags: Sequence[str] = (),
    choices: Sequence[str] = (),
    kind: type = str,
    least: float | None = None,
    most: float | None = None,
    or_function: bool = False,
    is_of_one_system: bool = False,
) -> Any:
    """A field of a protocol that users may set; `flags` are the official script's names for it, `kind` is what the
    command line reads it as, choices and limits are those of `fullmarks.options.limited`.

    One that is of one system belongs to a single file of predictions, or asks for more than scores: comparisons of
    several have no use for it.
    """
    return limited(
        default,
        choices=choices,
        least=least,
        most=most,
        or_function=or_function,
        description=description,
        flags=tuple(flags),
        kind=kind,
        is_of_one_system=is_of_one_system,
    )


def missing_option(default: OnMissing) -> Any:
    """The rule for questions without a prediction, with the default that the published program has."""
    return option(default, "What to do about questions without a prediction.", choices=get_args(OnMissing))


def duplicate_option(default: OnDuplicate) -> Any:
    """The rule for predictions with a repeated id, with the default that the published program has."""
    return option(default, "What to do about predictions with a repeated id.", choices=get_args(OnDuplicate))


@frozen(kw_only=True)
class Protocol(ABC):
    """One benchmark. Subclasses say how it reads, scores and reports."""

    name: ClassVar[str]
    """The name under which it is registered; the first word of its signature."""
    title: ClassVar[str]
    """What it is, in one line of `fullmarks list`."""
    kind: ClassVar[Kind] = "text"
    """What it is about: texts, images and texts, or anything."""
    also_known_as: ClassVar[tuple[str, ...]] = ()
    """Other names that find it."""
    gold_format: ClassVar[str]
    """What the gold file holds, in a few words."""
    prediction_format: ClassVar[str]
    """What the file of predictions holds, in a few words."""
    variants: ClassVar[dict[str, str]] = {"script": "what the published program computes"}
    """The readings of the rules by name, each with its meaning."""
    slices: ClassVar[tuple[str, ...]] = ()
    """The columns of the official files that comparisons and pages are broken down by of themselves."""
    other_columns: ClassVar[tuple[str, ...]] = ()
    """Further columns of the official files that --by and --cluster may name."""
    scale: ClassVar[float] = 1.0
    """What the official result multiplies scores by."""
    prints_one_line: ClassVar[bool] = False
    """Whether the published program prints its result on one line; otherwise it is indented."""
    writes_one_line: ClassVar[bool] = False
    """Whether it writes a file of its own, on one line that no line feed ends; otherwise files are as it prints."""
    idle_flags: ClassVar[tuple[str, ...]] = ()
    """The flags of its that `score` takes and that change nothing."""
    official_names: ClassVar[dict[str, str]] = {}
    """The official key of every score that has another name there."""
    needs: ClassVar[str] = ""
    """The extra that has to be installed, if any."""
    needs_more: ClassVar[str] = ""
    """What some of its parts need besides, in words."""
    tables: ClassVar[str] = (
        "Both may also be tables (JSON lines, CSV, TSV, Parquet) with the columns id, prediction and references."
    )
    """Which tables may stand for the official files; empty where none may."""
    answers_may_be_lists: ClassVar[bool] = False
    """Whether a prediction or a reference may be a list of texts instead of one."""
    predicts_texts: ClassVar[bool] = True
    """Whether every prediction is a text, so that an answer can be taken out of it."""
    repeated_gold: ClassVar[RepeatedGold] = "error"
    """What the published program makes of a question that comes twice in the gold."""
    tells_ids_apart: ClassVar[bool] = False
    """Whether the published program tells the ids 1 and "1" apart and its files may have both: they meet here."""
    denominator: ClassVar[str] = "all questions"
    """What the official means are taken over, in a few words."""
    gold_form: ClassVar[RecordForm | None] = None
    """Where the records of the gold file are and what their fields mean; None where `read` says it."""
    prediction_form: ClassVar[RowForm | PartsForm] = RowForm()
    """The fields of the predictions."""
    column_names: ClassVar[dict[str, tuple[str, ...]]] = {}
    """What tables of its own call the columns id, prediction and references, or one to slice by, where it is something
    else."""
    recipe: ClassVar[str] = ""
    """The name of its normaliser, for the signature; empty where there is none."""
    keys: ClassVar[Mapping[str, Key]] = {}
    """The official result, key by key; none where `official` says it."""

    notes: ClassVar[tuple[FindingKind, ...] | None] = None
    """Where questions may be read and scored in parts, each by itself: what `read` and `complete` may note of them.
    Then `read` uses `paired`. None where all questions are needed at once."""
    needs_all: ClassVar[bool] = False
    """Whether `complete` or the metrics need all examples together, so that no piece can be scored alone."""
    has_curves: ClassVar[bool] = False
    """Whether `curves` has any, so that `score` can be asked to draw them."""
    reads_logs: ClassVar[bool] = True
    """Whether logs of other tools may stand for the predictions."""

    on_missing: OnMissing = missing_option("error")
    on_duplicate: OnDuplicate = duplicate_option("error")
    allow_failed: bool = option(
        False, "Score the log of another tool's run that did not succeed: what failed is missing.", kind=bool
    )
    only: dict[str, str] = declared(
        default_factory=dict,
        metadata={
            "description": "Of another tool's log, score only the samples with these values, as in "
            "filter=strict-match,task=gsm8k. A filter also takes the text that this filter made.",
            "flags": (),
            "choices": (),
            "kind": dict,
        },
    )
    strict: bool = option(False, "Make predictions for unknown questions an error.", kind=bool)
    variant: str = option("script", "Which reading of the rules to apply (see: fullmarks list).")
    limit: int | None = option(None, "Score only the first N questions.", kind=int, least=1)
    extract: str | None = option(
        None,
        "Take the answer out of every prediction first: after-think, final-answer, first-line, last-line, boxed, "
        "number, choice, json:FIELD or regex:PATTERN, joined by +, as in after-think+number.",
    )
    columns: dict[str, str] = declared(
        default_factory=dict,
        metadata={
            "description": "Names of a table's columns, as in id=key,references=golds,run=seed.",
            "flags": (),
            "choices": (),
            "kind": dict,
        },
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.variant not in self.variants:
            known = ", ".join(f"'{name}'" for name in self.variants)
            raise UsageError(f"{self.name} has no variant '{self.variant}'. Known: {known}. See: fullmarks list")
        for name in ("allow_failed", "only"):
            if getattr(self, name) and not self.reads_logs:
                raise UsageError(f"{self.name} reads no logs of other tools: leave {name} out")
        if self.columns and not self.tables:
            raise UsageError(f"{self.name} reads no tables, so there are no columns to name: leave columns out")
        if self.extract is not None:
            if not self.predicts_texts:
                raise UsageError(f"not all predictions of {self.name} are texts: leave extract out")
            self.extractor  # noqa: B018 - an unknown step is an error now, not when all has been read

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The examples in chunks; `by` names columns that every example must have. Errors end up in the audit.

        Here as the declared forms say, a question without any reference being an error.
        """
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            yield examples

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """How `read` brings gold and predictions together."""
        del audit
        return self.pairing(self.read_gold, by, optional=self.slices)

    def read_gold(self, source: Source) -> Gold:
        """The gold of the official file."""
        if self.gold_form is None:
            raise NotImplementedError(f"{type(self).__name__} has neither a gold_form nor a read of its own")
        from fullmarks.readers.records import read_records

        return read_records(source, self.gold_form)

    @property
    def extractor(self) -> Extractor | None:
        """What takes the answers out of the predictions; None where they are scored as they are."""
        if self.extract is None:
            return None
        from fullmarks.text.extraction.extractor import extractor

        return extractor(self.extract)

    def extracted(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """The examples with their answers taken out, where that is asked for."""
        if (extractor := self.extractor) is None:
            return chunks
        from fullmarks.protocols.extracting import extracted

        return extracted(chunks, extractor, audit)

    def complete(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """The examples with what only all of them together can tell, such as a distance between two sets of images.

        Called for scoring alone: neither validating nor explaining pays for it.
        """
        del audit
        return chunks

    @abstractmethod
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that make the official result."""

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """The metrics for these examples, where predictions may come with or without some of their parts.

        Every chunk of a run has the same; here they are always `metrics()`.
        """
        del examples
        return self.metrics()

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The official result: its keys, in its order, with its floats."""
        from fullmarks.protocols.official import official_result

        return official_result(self.keys, tally, audit)

    def explain(self, example: Example) -> Explanation:
        """Why one example got its scores: here what each metric says."""
        told = [metric.explain(example) for metric in self.metrics_for(example.alone())]
        merged = Explanation(example.id, {}, {}, {})
        for each in told:
            merged.scores.update(each.scores)
            merged.facts.update(each.facts)
            merged.tables.update(each.tables)
        return merged

    def reread(self, examples: Examples) -> Examples:
        """Examples that were read under another variant, as this one reads them: here no different."""
        return examples

    def other_rules(self) -> Sequence[OtherRule]:
        """How other tools score the same answers, for `crosscheck`; the variants need not be named."""
        return ()

    def explanation(self, example: Example) -> Explanation:
        """Why one example got its scores, and what was taken out of its prediction before."""
        told = self.explain(example)
        if (extractor := self.extractor) is None:
            return told
        from fullmarks.protocols.extracting import explained

        return explained(example, told, extractor)

    def curves(self, tally: Tally) -> Mapping[str, Any]:
        """The precision-recall curves of these examples by name; each has precisions, recalls and average_precision."""
        del tally
        return {}

    @property
    def can_be_cut(self) -> bool:
        """Whether the pieces of one table may be scored alone: whether no example hangs on another one."""
        return bool(self.tables) and self.on_duplicate == "error" and self.limit is None and not self.needs_all

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The columns that the official result itself is broken down by; told from the first chunk."""
        wanted = dict.fromkeys(column for key in self.keys.values() for column in key.columns)
        return tuple(column for column in wanted if column in first.columns)

    def keeps_rows(self, first: Examples) -> bool:
        """Whether the official result needs every row, not only the sums; told from the first chunk."""
        del first
        return any(key.needs_rows for key in self.keys.values())

    def pairing(
        self,
        read_gold: Callable[[Source], Gold],
        by: tuple[str, ...],
        *,
        optional: tuple[str, ...] = (),
        decisive: tuple[str, ...] = (),
    ) -> Pairing:
        """How this protocol's options bring its gold and predictions together.

        `optional` names columns to take if they are there, `decisive` those of them that `breakdown` looks for.
        """
        form, renamed = self.prediction_form, {role: name for role, name in self.columns.items() if role != RUN}
        if isinstance(form, RowForm):
            form = self._row_form(form)
        elif form.alone is not None:
            form = replace(form, alone=self._row_form(form.alone))
        numbers = form.numbers if isinstance(form, RowForm) else ()
        form = replace(form, log_options=self.log_options)
        if self.extractor is not None and self.extractor.uses_choices:
            optional = (*optional, *CHOICES)
        taken = tuple(name for name in optional if name not in by)
        layout = TableLayout(renamed, by, taken, decisive, numbers, self.column_names)
        return Pairing(read_gold, form, layout, self.gaps, self.gold_form, self.reads_logs)

    def is_log(self, source: Source) -> bool:
        """Whether this protocol takes a source for another tool's log, which is read in one piece."""
        from fullmarks.readers.documents import may_be_log

        if not self.reads_logs or not may_be_log(source):
            return False
        from fullmarks.readers.logs.files import log_of

        return log_of(source) is not None

    @property
    def run_column(self) -> RunColumn:
        """Where its tables of predictions say which run of a system a row belongs to."""
        from fullmarks.readers.run_column import RunColumn

        form = self.prediction_form
        own = (form.id,) if isinstance(form, RowForm) else form.id_fields
        names = (*self.column_names.get("id", ()), *own, *ID_NAMES)
        given = (self.columns["id"],) if "id" in self.columns else names
        return RunColumn(self.columns.get(RUN, RUN), RUN in self.columns, given)

    def _row_form(self, form: RowForm) -> RowForm:
        """The fields of the predictions under the names that the user gave them."""
        text = (self.columns["prediction"],) if "prediction" in self.columns else form.text
        identifier, is_given = self.columns.get("id", form.id), "id" in self.columns
        return replace(form, id=identifier, is_id_given=is_given, text=text, log_options=self.log_options)

    @property
    def log_options(self) -> LogOptions:
        """How logs of other tools are read."""
        return LogOptions(self.allow_failed, self.only.get("filter"), self.only)

    @property
    def why_whole(self) -> str:
        """Why gold and predictions have to be joined in one piece; empty where they may be joined in parts."""
        return f"{self.name} needs all of its questions at once" if self.notes is None else ""

    @property
    def gaps(self) -> Gaps:
        """The rules for questions and predictions that do not meet."""
        gaps = (self.on_missing, self.on_duplicate, self.strict, self.limit)
        return Gaps(*gaps, self.repeated_gold, self.tells_ids_apart)

    def signature(self) -> dict[str, str]:
        """What changes the number, besides the protocol's name, n and the version."""
        parts = {"norm": self.recipe} if self.recipe else {}
        parts.update(variant=self.variant, missing=self.on_missing)
        if self.on_duplicate != "error":
            parts["duplicate"] = self.on_duplicate
        if self.allow_failed:
            parts["failed"] = "allowed"
        if self.only:
            parts["only"] = "+".join(f"{column}={value}" for column, value in self.only.items())
        if self.limit is not None:
            parts["limit"] = str(self.limit)
        if self.extractor is not None:
            parts["extract"] = self.extractor.signature
        return parts

    def signature_of(self, tally: Tally) -> dict[str, str]:
        """The same once it is known what was read; here no different."""
        del tally
        return self.signature()
