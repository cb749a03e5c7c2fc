"""Results of other evaluation tools as answers by id, recognised by their shape.

Which fields are read is listed in docs/results.md. A sample without a usable text, or one that failed in its own run,
is counted in the audit and has no answer; a file without any answer is an error, and so is the log of a run that did
not succeed unless the user takes it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, kind_of, parse_json
from fullmarks.readers.predictions import FAILED
from fullmarks.readers.source import BYTE_ORDER_MARK, Source
from fullmarks.types import Audit, FindingKind, Identifier

WITHOUT_TEXT = FindingKind(
    "samples-without-text",
    "samples of another tool without a text",
    "Only tasks that generate text can be scored; leave the others out of the log",
)
PERTURBED = FindingKind("perturbed-copies", "perturbed copies of instances")
FAILED_RUN = FindingKind(
    "failed-run", "runs of another tool that did not succeed", "Run it again, for what failed is missing"
)

MOST_OF_A_REASON = 100
"""How many characters of a tool's own message are shown."""


class _Sample(NamedTuple):
    """What one sample offers: its id and the first place that holds a text."""

    id: Any
    text: Any
    is_perturbed: bool = False
    failure: str | None = None
    """Why the tool itself got no answer; None where it did."""


class _Tool(NamedTuple):
    """One tool's format: which keys tell it, where its samples are, and how one is read."""

    name: str
    keys: frozenset[str]
    samples: str
    """The key that holds the list of samples; empty where the document is that list."""
    read: Callable[[dict[str, Any], int], _Sample]
    status: str = ""
    """The key of the log that says how the run ended; empty where it does not."""


def _harness(sample: dict[str, Any], position: int) -> _Sample:
    document = _object(sample.get("doc"))
    request = _object(_object(sample.get("arguments")).get("gen_args_0"))
    texts = (_answer_text(sample.get(field), request) for field in ("filtered_resps", "resps"))
    return _Sample(
        _first_id(document.get("id"), document.get("question_id"), sample.get("doc_id"), position),
        next((text for text in texts if text is not None), None),
    )


def _answer_text(responses: Any, request: dict[str, Any]) -> str | None:
    """The first generated text; None where the request was for log-likelihoods, whose numbers are written as strings.

    The second argument of a request tells what was asked for: settings for a text, a given answer for its likelihood;
    without one the whole document was weighed.
    """
    if isinstance(request.get("arg_1"), (dict, Pairs)):
        return _first_text(responses)
    while _is_list(responses) and responses:
        if len(responses) == 2 and _is_number(responses[0]) and responses[1] in (True, False, "True", "False"):
            return None
        responses = responses[0]
    is_weight = request.keys() == {"arg_0"} and _is_number(responses)
    return responses if isinstance(responses, str) and not is_weight else None


def _inspect(sample: dict[str, Any], position: int) -> _Sample:
    output = _object(sample.get("output"))
    text = output.get("completion")
    if not isinstance(text, str) or not text:
        content = _object(_first_object(output.get("choices")).get("message")).get("content")
        text = _content_text(content) if content is not None else text
    return _Sample(_first_id(sample.get("id"), position), text, failure=_inspect_failure(sample))


def _inspect_failure(sample: dict[str, Any]) -> str | None:
    """The error that ended the sample, or that it was declared invalid afterwards."""
    error, invalid = sample.get("error"), sample.get("invalidation")
    if error is not None:
        return _reason(_object(error).get("message", error))
    return None if invalid is None else _reason(_object(invalid).get("reason", "declared invalid"))


def _reason(value: Any) -> str:
    """The first line of a tool's message, shortened."""
    line = next(iter(str(value).splitlines()), "") or "no reason given"
    return line if len(line) <= MOST_OF_A_REASON else f"{line[: MOST_OF_A_REASON - 4]} ..."


def _helm_prediction(sample: dict[str, Any], position: int) -> _Sample:
    perturbed = sample.get("perturbation") is not None
    return _Sample(_first_id(sample.get("instance_id"), position), sample.get("predicted_text"), perturbed)


def _helm_state(sample: dict[str, Any], position: int) -> _Sample:
    instance, result = _object(sample.get("instance")), _object(sample.get("result"))
    perturbed = instance.get("perturbation") is not None
    text = _first_object(result.get("completions")).get("text")
    failure = _reason(result.get("error")) if result.get("success") is False else None
    return _Sample(_first_id(instance.get("id"), position), text, perturbed, failure)


def _lighteval(sample: dict[str, Any], position: int) -> _Sample:
    response = _object(sample.get("model_response"))
    text = _first_text(response.get("text_post_processed"))
    found = _first_text(response.get("text")) if text is None else text
    return _Sample(_first_id(_object(sample.get("doc")).get("id"), position), found)


_TOOLS = (
    _Tool("lm-evaluation-harness", frozenset({"doc_id", "resps"}), "", _harness),
    _Tool("lm-evaluation-harness", frozenset({"doc_id", "filtered_resps"}), "", _harness),
    _Tool("lighteval", frozenset({"doc", "model_response"}), "", _lighteval),
    _Tool("HELM", frozenset({"instance_id", "predicted_text"}), "", _helm_prediction),
    _Tool("HELM", frozenset({"adapter_spec", "request_states"}), "request_states", _helm_state),
    _Tool("Inspect", frozenset({"eval", "samples"}), "samples", _inspect, "status"),
    _Tool("Inspect", frozenset({"eval", "plan", "status"}), "samples", _inspect, "status"),
)


def foreign_answers(
    document: Any, name: str, audit: Audit, *, allow_failed: bool = False
) -> list[tuple[Identifier, str]] | None:
    """Ids and texts in the order of the file, repeats and all; None where this is no other tool's file.

    The log of a run that did not succeed is refused unless `allow_failed`.
    """
    tool = _recognised(document)
    if tool is None:
        return None
    if tool.status:
        _check_status(tool, _object(document).get(tool.status), name, audit, allow_failed=allow_failed)
    if tool.samples:
        document = _object(document).get(tool.samples)
        if not _is_list(document) or not document:
            raise InputError(name, f"this {tool.name} log holds no samples", "Export the log with its samples.")
    elif not _is_list(document):
        document = [document]
    answers = list(_answers(tool, document, name, audit))
    if not answers:
        raise _no_answers(tool, name, audit)
    return answers


def _check_status(tool: _Tool, status: Any, name: str, audit: Audit, *, allow_failed: bool) -> None:
    """A run that failed, was cancelled or never ended holds answers to a part of the questions only."""
    if status in (None, "success"):
        return
    if not allow_failed:
        raise InputError(
            name,
            f"this {tool.name} run did not succeed: its status is {status!r}",
            "Run it again, or score what it holds with --allow-failed.",
        )
    audit.add(FAILED_RUN, "warning", count=1, detail=f"its status is {status!r}", where=name)


def is_samples_file(source: Source) -> bool:
    """Whether a file of JSON lines is another tool's, told from its first line without using the source up."""
    if source.path is None or not source.is_json_lines:
        return False
    with (source.parts()[0] if source.is_many else source).stream() as stream:
        line = next((text for text in stream if text.strip()), b"")
    try:
        first = parse_json(line.removeprefix(BYTE_ORDER_MARK), source.name)
    except InputError:  # the reader of tables will say what is wrong with it
        return False
    return _recognised([first]) is not None


def _no_answers(tool: _Tool, name: str, audit: Audit) -> InputError:
    these = f"these are samples of {tool.name}, but"
    if WITHOUT_TEXT.code not in audit.findings:
        failed = audit.findings.get(FAILED.code)
        if failed is not None:
            return InputError(name, f"{these} all {failed.count} failed; {failed.detail}", "Run it again.")
        return InputError(
            name,
            f"{these} all of them are perturbed copies of instances",
            "Their answers are not scored: write the instances themselves as well.",
        )
    return InputError(
        name,
        f"{these} none of them holds a text",
        "Only tasks that generate text can be scored: log-likelihoods of given answers are no answers.",
    )


def _recognised(document: Any) -> _Tool | None:
    """The tool that wrote this list of samples, this log, or this only sample."""
    listed = _is_list(document)
    keys = _object(next(iter(document), None) if listed else document).keys()
    return next((tool for tool in _TOOLS if tool.keys <= keys and not (listed and tool.samples)), None)


def _answers(tool: _Tool, samples: list[Any], name: str, audit: Audit) -> Iterator[tuple[Identifier, str]]:
    for position, item in enumerate(samples):
        if not isinstance(item, (dict, Pairs)):
            found = f"expected a {tool.name} sample, found {kind_of(item)}"
            raise InputError(f"{name}: record {position + 1}", found, "Write one object per sample.")
        sample = tool.read(_object(item), position)
        if sample.is_perturbed:
            audit.add(PERTURBED, "note", [sample.id], where=name)
        elif sample.failure is not None:
            audit.add(FAILED, "warning", [sample.id], detail=f"the first: {sample.failure}", where=name)
        elif isinstance(sample.text, str):
            yield sample.id, sample.text
        else:
            audit.add(WITHOUT_TEXT, "warning", [sample.id], where=name)


def _first_id(*candidates: Any) -> Identifier:
    """The first that can be an id; the last one, a position, always can."""
    found: Identifier = next(
        candidate for candidate in candidates if isinstance(candidate, (str, int)) and not isinstance(candidate, bool)
    )
    return found


def _first_text(value: Any) -> str | None:
    """The text itself, or the first one of nested lists."""
    while _is_list(value) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def _content_text(content: Any) -> str | None:
    """The text of a message: as it is, or the parts of kind text joined."""
    if isinstance(content, str):
        return content
    if not _is_list(content):
        return None
    parts = [part.get("text") for part in map(_object, content) if part.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str)) if parts else None


def _first_object(value: Any) -> dict[str, Any]:
    """The first of a list, if that is an object; otherwise one without entries."""
    return _object(value[0]) if _is_list(value) and value else {}


def _object(value: Any) -> dict[str, Any]:
    """An object as a dictionary, what is inside of it as it is; anything else as one without entries."""
    if isinstance(value, Pairs):
        return dict(value)
    return value if isinstance(value, dict) else {}


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not isinstance(value, Pairs)


def _is_number(value: Any) -> bool:
    """Whether this is a number, or a text that reads as one."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    try:
        float(value)
    except ValueError:
        return False
    except OverflowError:  # a whole number that is too large for a double is a number all the same
        return True
    return True
