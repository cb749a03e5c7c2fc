"""Input that cannot be scored, as data: what is wrong with it, and what the message must say."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from typing import Any

import zstandard

SQUAD = {
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {"qas": [{"id": "q1", "answers": [{"text": "cat"}]}, {"id": "q2", "answers": [{"text": "a dog"}]}]}
            ],
        }
    ]
}
SQUAD_PREDICTIONS = {"q1": "cat", "q2": "dog"}
VQA = {"annotations": [{"question_id": number, "answers": [{"answer": "yes"}] * 10} for number in (1, 2)]}
VQA_RESULTS = [{"question_id": 1, "answer": "yes"}, {"question_id": 2, "answer": "no"}]


def as_bytes(value: Any) -> bytes:
    """Bytes as they are, a text as UTF-8, anything else as JSON."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


@dataclass(frozen=True)
class Case:
    """One way of being wrong. `gold` and `predictions` are contents, or None for no such argument."""

    name: str
    protocol: str
    gold: Any
    predictions: Any
    says: str
    gold_name: str = "gold.json"
    predictions_name: str = "pred.json"
    options: dict[str, Any] = field(default_factory=dict)
    only: str = ""
    """"python" or "cli" where the mistake can only be made there."""


def squad(name: str, predictions: Any, says: str, **others: Any) -> Case:
    return Case(name, "squad2", SQUAD, predictions, says, **others)


def squad_gold(name: str, gold: Any, says: str, **others: Any) -> Case:
    return Case(name, "squad2", gold, SQUAD_PREDICTIONS, says, **others)


def probabilities(name: str, chances: Any, says: str) -> Case:
    return Case(name, "squad2", SQUAD, SQUAD_PREDICTIONS, says, options={"na_prob_file": as_bytes(chances)})


def vqa(name: str, results: Any, says: str, **others: Any) -> Case:
    return Case(name, "vqa", others.pop("gold", VQA), results, says, **others)


def qa(name: str, gold: Any, predictions: Any, says: str, **others: Any) -> Case:
    return Case(name, "qa", gold, predictions, says, **others)


def table(name: str, content: Any, says: str, ending: str, protocol: str = "qa", **others: Any) -> Case:
    return Case(name, protocol, content, None, says, gold_name=f"table{ending}", **others)


def question(**changes: Any) -> dict[str, Any]:
    return {"data": [{"paragraphs": [{"qas": [{"id": "q1", "answers": [{"text": "cat"}], **changes}]}]}]}


JSON_TEXT = as_bytes(SQUAD_PREDICTIONS)
LINES = b'{"id": "q1", "prediction": "cat", "references": ["cat"]}\n'

ENCODING_AND_SYNTAX = [
    squad("truncated predictions", JSON_TEXT[:-8], r"pred\.json: not valid JSON at line 1, column \d+.*cut off"),
    squad("truncated after non-ASCII text", '{"q1": "naïve ééé", "q2"', r"cut off"),
    squad_gold("truncated gold", as_bytes(SQUAD)[:40], r"gold\.json: not valid JSON.*cut off"),
    squad("trailing comma", '{"q1": "cat",}', r"not valid JSON at line 1, column 1[34]"),
    squad("single quotes", "{'q1': 'cat'}", r"not valid JSON at line 1, column 2"),
    squad("two documents", '{"q1": "cat"}{"q2": "dog"}', r"not valid JSON.*Extra data"),
    squad("empty file", b"", r"pred\.json: the file is empty"),
    squad("white space only", b" \n\t\n ", r"pred\.json: the file is empty"),
    squad_gold("empty gold file", b"", r"gold\.json: the file is empty"),
    squad("byte-order mark only", b"\xef\xbb\xbf", r"the file is empty"),
    squad("invalid UTF-8", b'{"q1": "caf\xe9", "q2": "dog"}', r"byte 0xe9 at offset 11 \(line 1\) is not UTF-8"),
    squad("cut UTF-8", b'{"q1": "caf\xc3', r"is not UTF-8"),
    squad("UTF-16", json.dumps(SQUAD_PREDICTIONS).encode("utf-16"), r"this is UTF-16 text, expected UTF-8.*iconv"),
    squad_gold("UTF-16 gold", json.dumps(SQUAD).encode("utf-16"), r"gold\.json: this is UTF-16"),
    squad("deep nesting", b"[" * 100_000, r"nested too deeply"),
    squad_gold("deep nesting in gold", b'{"data": ' + b"[" * 100_000, r"nested too deeply"),
    squad("a picture", b"\x89PNG\r\n\x1a\n\x00\x00", r"is not UTF-8"),
    squad("HTML page", "<!DOCTYPE html><html></html>", r"not valid JSON at line 1, column 1"),
    squad("number too long", '{"q1": ' + "9" * 5000 + "}", r"pred\.json: (not usable JSON|predictions that are not)"),
    squad("damaged gzip", gzip.compress(JSON_TEXT)[:-9], r"damaged", predictions_name="pred.json.gz"),
    squad(
        "not gzip",
        JSON_TEXT,
        r"pred\.json\.gz: this is not gzip data, though its name ends in \.gz\. .*name it pred\.json;",
        predictions_name="pred.json.gz",
    ),
    squad("gzip by another name", gzip.compress(JSON_TEXT), r"this is gzip data, .*Name it pred\.json\.gz,"),
    squad("zstandard by another name", zstandard.compress(JSON_TEXT), r"this is zstandard data.* pred\.json\.zst,"),
    squad(
        "gzip data named zst",
        gzip.compress(JSON_TEXT),
        r"this is gzip data, though its name ends in \.zst\. Name it pred\.json\.gz,",
        predictions_name="pred.json.zst",
    ),
    squad("gzip lines by another name", gzip.compress(LINES), r"this is gzip data", predictions_name="pred.jsonl"),
    squad("gzip table by another name", gzip.compress(LINES), r"this is gzip data", predictions_name="pred.csv"),
    squad("zstandard table", zstandard.compress(LINES), r"this is zstandard data", predictions_name="pred.csv"),
    squad("cut zstandard", zstandard.compress(JSON_TEXT)[:-3], r"damaged", predictions_name="pred.json.zst"),
    squad("not zstandard", JSON_TEXT, r"this is not zstandard data, .* pred\.json;", predictions_name="pred.json.zst"),
    squad("empty zstandard", b"", r"the file is empty", predictions_name="pred.json.zst"),
]

SHAPES = [
    squad_gold("gold without data", {"version": "2.0"}, r"gold\.json: .*the field 'data' is missing\. Expected \{"),
    squad_gold("data is an object", {"data": {}}, r"data: expected a list, found an object"),
    squad_gold("article is a text", {"data": ["x"]}, r"data\[0\]: expected an object, found a string"),
    squad_gold(
        "article without paragraphs", {"data": [{"title": "t"}]}, r"data\[0\]: the field 'paragraphs' is missing"
    ),
    squad_gold("qas missing", {"data": [{"paragraphs": [{}]}]}, r"paragraphs\[0\]: the field 'qas' is missing"),
    squad_gold("qas null", {"data": [{"paragraphs": [{"qas": None}]}]}, r"qas: expected a list, found null"),
    squad_gold("id is a number", question(id=7), r"qas\[0\]\.id: expected a string, found a whole number"),
    squad_gold(
        "answers is an object", question(answers={"text": ["cat"]}), r"answers: expected a list, found an object"
    ),
    squad_gold("answers are texts", question(answers=["cat"]), r"answers\[0\]: expected an object, found a string"),
    squad_gold(
        "answer text null", question(answers=[{"text": None}]), r"answers\[0\]\.text: expected a string, found null"
    ),
    squad_gold(
        "answer text a number", question(answers=[{"text": 3}]), r"text: expected a string, found a whole number"
    ),
    squad_gold("gold without questions", {"data": []}, r"gold\.json: there is no question in it"),
    squad_gold("gold with empty paragraphs", {"data": [{"paragraphs": []}]}, r"gold\.json: there is no question in it"),
    squad_gold("gold is a number", b"3", r"gold\.json: at the top: expected an object, found a whole number"),
    squad("predictions are a number", b"3", r"pred\.json: expected \{id: text\} or a list of rows.*found a number"),
    squad("predictions are a text", b'"cat"', r"found a string"),
    squad("predictions are null", b"null", r"found null"),
    squad("predictions are texts", ["cat", "dog"], r"record 1: expected an object, found a string"),
    squad(
        "a saved run as predictions",
        {"format": "fullmarks-run", "version": 1, "scores": {}},
        r"pred\.json: this is a saved run, .*fullmarks report RUN.*fullmarks compare RUN RUN",
    ),
    squad("no predictions", {}, r"pred\.json: there is no prediction in it"),
    squad("empty list of predictions", [], r"pred\.json: there is no prediction in it"),
    squad(
        "row without id", [{"prediction_text": "cat"}], r"record 1: the field 'id' is missing, found 'prediction_text'"
    ),
    squad(
        "row without text",
        [{"id": "q1", "text": "cat"}],
        r"record 1: expected a field 'prediction_text' or .* found 'id', 'text'",
    ),
    squad(
        "row with id null",
        [{"id": None, "prediction": "x"}],
        r"record 1: 'id' must be a string or a whole number, found null",
    ),
    squad("row with id true", [{"id": True, "prediction": "x"}], r"found true or false"),
    squad("row with id fraction", [{"id": 1.5, "prediction": "x"}], r"found a number"),
    vqa(
        "annotations missing", VQA_RESULTS, r"gold\.json: .*the field 'annotations' is missing", gold={"questions": []}
    ),
    vqa("annotation without answers", VQA_RESULTS, r"answers' is missing", gold={"annotations": [{"question_id": 1}]}),
    vqa(
        "gold answer a number",
        VQA_RESULTS,
        r"annotations\[0\]\.answers\[0\]\.answer: expected a string, found a whole number",
        gold={"annotations": [{"question_id": 1, "answers": [{"answer": 3}]}]},
    ),
    vqa("no annotations", VQA_RESULTS, r"no question in it", gold={"annotations": []}),
    vqa("questions file of another shape", VQA_RESULTS, r"'questions' is missing", options={"questions": b"{}"}),
    qa("gold is a text", b'"cat"', ["cat"], r"gold\.json: found a string\. Expected \[\["),
    qa("gold answers a number", [[1]], ["1"], r"gold\.json: \[0\]: expected answers as strings, found a number"),
    qa("gold answers null", [None], ["1"], r"\[0\]: expected a list of answers, found null"),
    qa(
        "gold answers an object",
        {"a": {"text": "x"}},
        {"a": "x"},
        r"\['a'\]: expected a list of answers, found an object",
    ),
]

VALUES_AND_IDS = [
    squad("null answer", {"q1": None, "q2": "dog"}, r"pred\.json: predictions that are not strings: 1 .*'q1' has null"),
    squad(
        "numeric answer",
        {"q1": 7, "q2": "dog"},
        r"not strings: 1 .*'q1' has a number.*Write every prediction as a string",
    ),
    squad("answer a list", {"q1": ["cat"], "q2": "dog"}, r"'q1' has a list"),
    squad("answer an object", {"q1": {"text": "cat"}, "q2": "dog"}, r"'q1' has an object"),
    squad("answer true", {"q1": True, "q2": "dog"}, r"'q1' has true or false"),
    squad("answer NaN", '{"q1": NaN, "q2": "dog"}', r"'q1' has nan"),
    squad(
        "row with null answer", [{"id": "q1", "prediction_text": None}, {"id": "q2", "answer": "x"}], r"'q1' has null"
    ),
    squad(
        "repeated key",
        '{"q1": "cat", "q2": "dog", "q1": "bird"}',
        r"repeated id: 1 \(first ids: 'q1'\).*--on-duplicate",
    ),
    squad(
        "repeated row",
        [{"id": "q1", "answer": "x"}, {"id": "q2", "answer": "x"}, {"id": "q1", "answer": "y"}],
        r"repeated id: 1",
    ),
    squad(
        "missing prediction",
        {"q1": "cat"},
        r"pred\.json: questions without a prediction: 1 \(first ids: 'q2'\).*--on-missing",
    ),
    squad(
        "unknown prediction, strict",
        {**SQUAD_PREDICTIONS, "x": "y"},
        r"unknown questions: 1 \(first ids: 'x'\)",
        options={"strict": True},
    ),
    squad(
        "another data set",
        {"x1": "cat", "x2": "dog"},
        r"not one of them for any question: 2 .*gold\.json.*'q1', 'q2'.*belong together",
    ),
    squad("another data set, zero", {"x1": "cat"}, r"not one of them for any question", options={"on_missing": "zero"}),
    squad("another data set, skip", {"x1": "cat"}, r"not one of them for any question", options={"on_missing": "skip"}),
    Case("another data set for squad1", "squad1", SQUAD, {"x1": "cat"}, r"not one of them for any question"),
    Case(
        "unanswerable question in squad1",
        "squad1",
        question(answers=[]),
        {"q1": ""},
        r"gold\.json: questions without any gold answer: 1",
    ),
    Case(
        "gold and predictions swapped", "squad2", SQUAD_PREDICTIONS, SQUAD, r"gold\.json: .*the field 'data' is missing"
    ),
    Case(
        "the gold file twice",
        "squad2",
        SQUAD,
        SQUAD,
        r"pred\.json: predictions, not one of them for any question: 1 .*'data'",
    ),
    Case("swapped vqa files", "vqa", VQA_RESULTS, VQA, r"gold\.json: there is no column 'references'.*gold file"),
    probabilities(
        "NaN probability", '{"q1": NaN, "q2": 0.5}', r"chances\.json: .*not finite numbers: 1 .*'q1' has nan"
    ),
    probabilities("infinite probability", '{"q1": Infinity, "q2": 0.5}', r"'q1' has inf"),
    probabilities("overflowing probability", '{"q1": 1e999, "q2": 0.5}', r"'q1' has inf"),
    probabilities("huge whole probability", '{"q1": ' + "9" * 400 + ', "q2": 0.5}', r"'q1' has a number"),
    probabilities("probability as text", {"q1": "0.5", "q2": 0.5}, r"'q1' has a string.*such as 0\.25"),
    probabilities("probability null", {"q1": None, "q2": 0.5}, r"'q1' has null"),
    probabilities("probability true", {"q1": True, "q2": 0.5}, r"'q1' has true or false"),
    probabilities(
        "missing probability",
        {"q1": 0.5},
        r"chances\.json: 1 of 2 questions have no no-answer probability \(first: 'q2'\)",
    ),
    probabilities(
        "repeated probability",
        '{"q1": 0.1, "q2": 0.5, "q1": 0.2}',
        r"chances\.json: no-answer probabilities with a repeated id: 1",
    ),
    probabilities(
        "probabilities are a list", [0.1, 0.5], r"chances\.json: expected an object \{id: probability\}, found a list"
    ),
    probabilities("probabilities cut off", '{"q1": 0.', r"chances\.json: not valid JSON"),
    squad(
        "row probability NaN",
        '[{"id":"q1","prediction_text":"x","no_answer_probability":NaN},{"id":"q2","prediction_text":"x"}]',
        r"no_?-?answer",
    ),
    squad(
        "some rows without probability",
        [{"id": "q1", "prediction_text": "x", "no_answer_probability": 0.5}, {"id": "q2", "prediction_text": "x"}],
        r"pred\.json: 1 of 2 questions have no no-answer probability",
    ),
    squad(
        "curves without probabilities",
        SQUAD_PREDICTIONS,
        r"need no-answer probabilities",
        options={"precision_recall": True},
    ),
    vqa(
        "unknown and missing ids",
        [{"question_id": 1, "answer": "a"}, {"question_id": 9, "answer": "a"}],
        r"without a prediction: 1 .*2.*unknown questions: 1 .*9",
    ),
    vqa(
        "numeric vqa answer",
        [{"question_id": 1, "answer": 3}, {"question_id": 2, "answer": "x"}],
        r"not strings: 1 \(first ids: 1\)",
    ),
    vqa("repeated vqa id", VQA_RESULTS * 2, r"repeated id: 2 \(first ids: 1, 2\)"),
    vqa(
        "no annotators",
        VQA_RESULTS,
        r"gold\.json: questions without any gold answer: 2",
        gold={"annotations": [{"question_id": n, "answers": []} for n in (1, 2)]},
    ),
    qa("fewer predictions", [["a"], ["b"]], ["a"], r"pred\.json: 1 predictions for 2 questions"),
    qa("more predictions", [["a"], ["b"]], ["a", "b", "c"], r"pred\.json: 3 predictions for 2 questions"),
    qa(
        "more predictions, skip",
        [["a"], ["b"]],
        ["a"],
        r"1 predictions for 2 questions",
        options={"on_missing": "skip"},
    ),
    qa(
        "no gold answers", [["a"], []], ["a", "b"], r"gold\.json: questions without any gold answer: 1 \(first ids: 1\)"
    ),
    qa("repeated gold key", '{"a": ["x"], "a": ["y"]}', {"a": "x"}, r"gold\.json: questions with a repeated id: 1"),
    qa("lists where texts belong", ["a", "b"], [["a"], ["b"]], r"pred\.json: predictions that are not strings: 2"),
    qa("positions against ids", {"x": ["a"], "y": ["b"]}, ["a", "b"], r"not one of them for any question"),
    qa("no question at all", [], [], r"gold\.json: there is no question in it"),
]

TABLES = [
    table("bad line", LINES + b"{oops}\n" + LINES, r"table\.jsonl: line 2: not valid JSON at column \d+:", ".jsonl"),
    table("cut line", LINES + LINES[:20], r"table\.jsonl: line 2: not valid JSON at column \d+:", ".jsonl"),
    table("line is a list", LINES + b"[1]\n", r"line 2: expected an object, found a list", ".jsonl"),
    table("first line is a list", b"[1]\n" + LINES, r"line 1: expected an object, found a list", ".jsonl"),
    table("bad encoding in a line", LINES + b'{"id": "\xff"}\n', r"is not UTF-8", ".jsonl"),
    table("empty lines only", b"\n\n\n", r"the file is empty", ".jsonl"),
    table(
        "line without references",
        b'{"id": "a", "prediction": "x"}\n',
        r"no column 'references'; its columns are 'id', 'prediction'",
        ".jsonl",
    ),
    table(
        "line without prediction",
        LINES + b'{"id": "b", "references": ["x"]}\n',
        r"not strings: 1 \(first ids: 'b'\); line 2 has null",
        ".jsonl",
    ),
    table(
        "line with numeric reference",
        b'{"id": "a", "prediction": "x", "references": [3]}\n',
        r"references that are not strings: 1 .*line 1 holds a number",
        ".jsonl",
    ),
    table(
        "line with reference null",
        b'{"id": "a", "prediction": "x", "references": null}\n',
        r"line 1: references must be a list",
        ".jsonl",
    ),
    table(
        "line with id null",
        b'{"id": null, "prediction": "x", "references": ["x"]}\n',
        r"line 1: the id must be a string or a whole number, found null",
        ".jsonl",
    ),
    table(
        "repeated id in a table",
        LINES + LINES,
        r"table\.jsonl: predictions with a repeated id: 1 \(first ids: 'q1'\)",
        ".jsonl",
    ),
    table(
        "empty references in a table",
        b'{"id": "a", "prediction": "x", "references": []}\n',
        r"without any gold answer: 1 \(first ids: 'a'\)",
        ".jsonl",
    ),
    table(
        "table with NaN probability",
        b'{"id": "a", "prediction": "x", "references": ["x"], "no_answer_probability": NaN}\n',
        r"line 1: 'no_answer_probability' must be a finite number, found nan",
        ".jsonl",
        "squad2",
    ),
    table(
        "table with text probability",
        "id,prediction,references,no_answer_probability\na,x,x,often\n",
        r"record 1: 'no_answer_probability' .*found 'often'",
        ".csv",
        "squad2",
    ),
    table("empty CSV", b"", r"the file is empty, expected a header", ".csv"),
    table("CSV header alone", b"id,prediction,references\n", r"table\.csv: there is no question in it", ".csv"),
    table(
        "too many cells",
        b"id,prediction,references\n1,yes, indeed,yes\n",
        r"record 1: 4 cells where the header has 3\. Quote",
        ".csv",
    ),
    table("too few cells", b"id,prediction,references\n1,yes\n", r"record 1: 2 cells where the header has 3", ".csv"),
    table(
        "CSV without prediction",
        b"id,text,references\n1,yes,yes\n",
        r"no column 'prediction'; its columns are 'id', 'text', 'references'.*--columns prediction=",
        ".csv",
    ),
    table(
        "TSV with commas",
        b"id,prediction,references\n1,yes,yes\n",
        r"line 1: the cells seem to be separated by commas, expected tabs",
        ".tsv",
    ),
    table(
        "column named twice",
        b"id,prediction,prediction,references\n1,a,b,c\n",
        r"names the column 'prediction' twice",
        ".csv",
    ),
    table("open quote", b'id,prediction,references\n1,"yes,yes\n', r"line \d: not a valid table", ".csv"),
    table("CSV in Latin-1", "id,prediction,references\n1,é,é\n".encode("latin-1"), r"byte 0xe9 .*is not UTF-8", ".csv"),
    table("CSV in UTF-16", "id,prediction,references\n1,x,x\n".encode("utf-16"), r"this is UTF-16", ".csv"),
    table(
        "Python list in a cell",
        "id,prediction,references\n1,x,\"['x', 'y']\"\n",
        r"record 1: the references look like a list but are not JSON: \['x', 'y'\]",
        ".csv",
    ),
    table(
        "Python dict in a cell",
        "id,prediction,references\n1,x,\"{'text': ['x']}\"\n",
        r"look like a list but are not JSON",
        ".csv",
    ),
    table(
        "number list in a cell",
        'id,prediction,references\n1,x,"[1, 2]"\n',
        r"references that are not strings: 1",
        ".csv",
    ),
    table("not Parquet", b"PAR1 no", r"(not a readable Parquet file|Reading Parquet needs)", ".parquet"),
    table(
        "gold alone",
        SQUAD,
        r"there is no column 'prediction'; .*Pass the predictions as a second file",
        ".json",
        "squad2",
    ),
    table(
        "unknown renamed column",
        LINES,
        r"there is no column 'nothere'",
        ".jsonl",
        options={"columns": {"prediction": "nothere"}},
    ),
    table(
        "unknown role",
        LINES,
        r"--columns names 'predicton'",
        ".jsonl",
        options={"columns": {"predicton": "prediction"}},
    ),
    squad(
        "prediction table without id",
        "prediction\ncat\n",
        r"pred\.csv: there is no column 'id'",
        predictions_name="pred.csv",
    ),
]

USE = [
    Case(
        "unknown protocol",
        "squad",
        SQUAD,
        SQUAD_PREDICTIONS,
        r"unknown protocol 'squad'\. Did you mean 'squad[12]' or 'squad[12]'\? See: fullmarks list",
    ),
    squad(
        "unknown option",
        SQUAD_PREDICTIONS,
        r"squad2 has no option 'precision'\. Its options: ",
        options={"precision": 2},
        only="python",
    ),
    squad("unknown flag", SQUAD_PREDICTIONS, r"No such option.*--precision", options={"precision": 2}, only="cli"),
    squad("unknown variant", SQUAD_PREDICTIONS, r"'?lenient'?", options={"variant": "lenient"}),
    squad(
        "unknown rule for missing",
        SQUAD_PREDICTIONS,
        r"on.missing.*'error', 'zero', 'skip'",
        options={"on_missing": "ignore"},
    ),
    squad(
        "unknown rule for duplicates",
        SQUAD_PREDICTIONS,
        r"on.duplicate.*'error', 'first', 'last'",
        options={"on_duplicate": "both"},
    ),
    squad(
        "limit 0",
        SQUAD_PREDICTIONS,
        r"limit must be a whole number of 1 or more, or None, found 0",
        options={"limit": 0},
    ),
    squad("limit as text", SQUAD_PREDICTIONS, r"limit.*few", options={"limit": "few"}),
    squad(
        "limit true",
        SQUAD_PREDICTIONS,
        r"limit must be a whole number of 1 or more, or None, found True",
        options={"limit": True},
        only="python",
    ),
    squad(
        "threshold NaN",
        SQUAD_PREDICTIONS,
        r"na_prob_thresh must be a number, found nan",
        options={"na_prob_thresh": float("nan")},
    ),
    squad("threshold as text", SQUAD_PREDICTIONS, r"na.prob.thresh.*half", options={"na_prob_thresh": "half"}),
    squad(
        "strict as text",
        SQUAD_PREDICTIONS,
        r"strict must be True or False, found 'yes'",
        options={"strict": "yes"},
        only="python",
    ),
    squad(
        "columns as text",
        SQUAD_PREDICTIONS,
        r"columns must be a dictionary of names",
        options={"columns": "id=x"},
        only="python",
    ),
    squad(
        "columns of numbers",
        SQUAD_PREDICTIONS,
        r"columns must map names to names",
        options={"columns": {"id": 3}},
        only="python",
    ),
    vqa(
        "precision -1",
        VQA_RESULTS,
        r"precision must be a whole number from 0 to 15, found -1",
        options={"precision": -1},
    ),
    qa("unknown aggregate", [["a"]], ["a"], r"aggregate.*'max', 'mean', 'min'", options={"aggregate": "median"}),
    squad(
        "no such column to slice by",
        SQUAD_PREDICTIONS,
        r"gold\.json: there is no column 'color' to slice or cluster by; it offers 'has_answer', 'title'",
        options={"by": "color"},
    ),
]

USE.append(
    table(
        "slices of objects",
        b'{"id": "a", "prediction": "x", "references": ["x"], "kind": {"y": 1}}\n',
        r"the column 'kind' holds lists or objects",
        ".jsonl",
        options={"by": "kind"},
    )
)

CASES = [*ENCODING_AND_SYNTAX, *SHAPES, *VALUES_AND_IDS, *TABLES, *USE]
