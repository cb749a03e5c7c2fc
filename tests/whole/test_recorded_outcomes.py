"""What the published programs do on files that are built wrongly, as the golden sets record it: no silent difference.

Every recorded run of these sets is made again from its main files. Where the program gives a number, ours is the same
or the difference is said, by an error or by a finding that the main files do not have. Where it crashes, ours says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fullmarks
from fullmarks.protocols.folder import folder_of
from fullmarks.result import flat_numbers
from tools.freeze.golden_sets import GOLDEN_SETS, golden_files


class Files(NamedTuple):
    """The documents of a run, by what they are for; a change is made in place."""

    gold: Any
    predictions: Any
    others: dict[str, Any]
    options: dict[str, Any]


Change = Callable[[Files], Any]
"""Changes the files; what it returns, where it is not None, are options besides."""
Recorded = dict[str, Any]


def first(holder: Any) -> Any:
    """The first record of a list, or of an object by id."""
    return holder[0] if isinstance(holder, list) else next(iter(holder.values()))


def drop(holder: Any, count: int = 1) -> None:
    """Leave out the first ones."""
    for key in list(holder)[:count] if isinstance(holder, dict) else range(count):
        del holder[key if isinstance(holder, dict) else 0]


def clear(*holders: Any) -> None:
    for holder in holders:
        holder.clear()


def set_all(holder: Any, **values: Any) -> None:
    for record in holder if isinstance(holder, list) else holder.values():
        record.update(values)


def by_id(holder: list[dict[str, Any]], field: str, value: Any) -> dict[str, Any]:
    return next(record for record in holder if record[field] == value)


def _as_texts(*holders: list[dict[str, Any]]) -> None:
    for holder in holders:
        for record in holder:
            record["questionId"] = str(record["questionId"])


def _twice_in_both(files: Files) -> None:
    """The first question twice in the gold, its answer twice as well, the second time another one."""
    question = files.gold["data"][0]
    files.gold["data"].append(deepcopy(question))
    files.predictions.append({"questionId": question["questionId"], "answer": "zzz"})


def _anls() -> dict[str, Change]:
    return {
        "missing_one": lambda files: drop(files.predictions),
        "extra_one": lambda files: files.predictions.append({"questionId": 10**9, "answer": "x"}),
        "duplicate_plus_missing": lambda files: files.predictions.__setitem__(1, dict(files.predictions[0])),
        "duplicate_in_both": _twice_in_both,
        "ids_as_strings_in_submission": lambda files: _as_texts(files.predictions),
        "ids_as_strings_in_both": lambda files: _as_texts(files.predictions, files.gold["data"]),
        "no_dataset_name": lambda files: files.gold.pop("dataset_name") and None,
        "answer_is_list": lambda files: files.predictions[0].update(answer=["x"]),
        "answer_is_null": lambda files: files.predictions[0].update(answer=None),
        "answer_is_number": lambda files: files.predictions[0].update(answer=5),
        "no_gold_answers": lambda files: files.gold["data"][0].update(answers=[]),
        "empty": lambda files: clear(files.gold["data"], files.predictions),
        "threshold_0": lambda _: {"anls_threshold": 0.0},
        "threshold_0.8": lambda _: {"anls_threshold": 0.8},
    }


def _types(name: str) -> Change:
    def change(files: Files) -> dict[str, Any]:
        for question in files.gold["data"]:
            question["answer_type"] = [name]
        return {"answer_types": True}

    return change


def _one_difficult(value: Any) -> Change:
    """The first question that is not difficult, and has answers, says so otherwise."""
    return lambda files: next(each for each in files.gold if each["difficult_direct_answer"] is False).update(
        difficult_direct_answer=value
    )


def _without_part(part: str) -> Change:
    def change(files: Files) -> None:
        for answer in files.predictions.values():
            answer.pop(part, None)

    return change


def _twice_in_gold(files: Files) -> None:
    question = deepcopy(by_id(files.gold, "question_id", "Rsa54bPYMBiJNawXqREjSu"))
    question["correct_choice_idx"] = (question["correct_choice_idx"] + 1) % len(question["choices"])
    files.gold.append(question)


def _without(field: str) -> Change:
    def change(files: Files) -> None:
        for record in files.gold if isinstance(files.gold, list) else files.gold.values():
            record.pop(field, None)

    return change


def _gqa_prediction(files: Files, identifier: str, text: str | None) -> None:
    kept = [each for each in files.predictions if text is not None or each["questionId"] != identifier]
    files.predictions[:] = [*kept, *([{"questionId": identifier, "prediction": text}] if text is not None else [])]


def _entailed_unknown(files: Files) -> dict[str, Any]:
    files.gold["936915208"]["entailed"] = ["nosuch"]
    return {"consistency": True}


def _mme_lines(change: Callable[[list[str]], Any]) -> Change:
    def changed(files: Files) -> None:
        lines = files.gold["existence.txt"].split("\n")[:-1]
        files.gold["existence.txt"] = "".join(f"{line}\n" for line in (change(lines) or lines))

    return changed


def _cells(line: str, at: int, value: str) -> str:
    cells = line.split("\t")
    cells[at] = value
    return "\t".join(cells)


def _mmmu_open(files: Files, value: Any) -> None:
    files.predictions[next(key for key, each in files.gold.items() if each["question_type"] != "multiple-choice")] = (
        value
    )


def _subjects(*names: str) -> Change:
    def change(files: Files) -> None:
        for key in [key for key in files.predictions if key.partition("_")[2].rpartition("_")[0] in names]:
            del files.predictions[key]

    return change


def _another_prefix(files: Files) -> None:
    files.gold["dev_Art_1"] = {"question_type": "multiple-choice", "ground_truth": "A"}
    files.predictions["dev_Art_1"] = "A"


def _ocr_repeat(files: Files) -> None:
    files.gold[1] = dict(files.gold[0])


def _vizwiz_repeat(files: Files) -> None:
    question = deepcopy(files.gold[1])
    for answer in question["answers"]:
        answer["answer"] = "qqq"
    files.gold.append(question)


CHANGES: dict[str, dict[str, Change]] = {
    "aokvqa": {
        "missing_30": lambda files: drop(files.predictions, 30),
        "extra": lambda files: files.predictions.update(nosuch={"multiple_choice": "x", "direct_answer": "x"}),
        "only_mc": _without_part("direct_answer"),
        "only_da": _without_part("multiple_choice"),
        "empty_predictions": lambda files: clear(files.predictions),
        "duplicate_gold": _twice_in_gold,
        "all_difficult": lambda files: set_all(files.gold, difficult_direct_answer=True),
        "difficult_null": _one_difficult(None),
        "difficult_zero": _one_difficult(0),
        "no_field": _without("difficult_direct_answer"),
        "strict_missing": lambda files: drop(files.predictions),
        "strict_mc": lambda files: None,
    },
    "chartqa": {
        "missing": lambda files: drop(files.predictions),
        "extra": lambda files: files.predictions.append(dict(files.predictions[0])),
        "none": lambda files: clear(files.gold, files.predictions),
        "number_prediction": lambda files: files.predictions[0].update(prediction=5),
        "number_gold": lambda files: files.gold[0].update(label=5),
    },
    "docvqa": _anls(),
    "infovqa": {
        **_anls(),
        "a_type_without_questions": _types("single span"),
        "unknown_answer_type": _types("list"),
    },
    "gqa": {
        "without_consistency": lambda files: None,
        "without_choices": lambda files: files.options.pop("choices") and None,
        "missing_balanced": lambda files: _gqa_prediction(files, "936915208", None),
        "missing_unbalanced": lambda files: _gqa_prediction(files, "45848551", None),
        "missing_unbalanced_consistency": lambda files: (
            _gqa_prediction(files, "45848551", None) or {"consistency": True}
        ),
        "extra": lambda files: _gqa_prediction(files, "nosuch", "x"),
        "duplicate": lambda files: _gqa_prediction(files, "936915208", "zzz"),
        "entailed_unknown": _entailed_unknown,
        "no_choice_entry": lambda files: files.others["choices"].pop("936915208") and None,
        "no_group_at_all": lambda files: set_all(files.gold, groups={"global": None, "local": None}),
        "ids_as_numbers": lambda files: (
            [each.update(questionId=int(each["questionId"])) for each in files.predictions] and None
        ),
        "no_balanced": lambda files: set_all(files.gold, isBalanced=False),
    },
    "mathvista": {
        "missing_50": lambda files: drop(files.gold, 50),
        "answer_nowhere": lambda files: first(files.gold).pop("answer") and None,
        "no_extraction": lambda files: first(files.gold).pop("extraction") and None,
        "max_num_problems_100": lambda _: {"max_num_problems": 100},
        "stale_verdicts": lambda files: set_all(files.gold, true_false=True),
        "empty": lambda files: clear(files.gold),
        "no_metadata": lambda files: first(files.gold).pop("metadata") and None,
        "no_choices": lambda files: next(
            each for each in files.gold.values() if each["question_type"] == "multi_choice"
        ).update(choices=[]),
    },
    "mme": {
        "missing_file": lambda files: files.gold.pop("code_reasoning.txt") and None,
        "missing_line": _mme_lines(lambda lines: lines[:-1]),
        "missing_first_line_and_last": _mme_lines(lambda lines: lines[1:-1]),
        "missing_pair": _mme_lines(lambda lines: lines[2:]),
        "shuffled": _mme_lines(lambda lines: lines[::-1]),
        "duplicate_pair": _mme_lines(lambda lines: lines[:2] + lines),
        "extra_file": lambda files: files.gold.update({"other.txt": files.gold["existence.txt"]}),
        "extra_tab": _mme_lines(lambda lines: [f"{lines[0]}\tx", *lines[1:]]),
        "no_answer_column": _mme_lines(lambda lines: [lines[0].rpartition("\t")[0], *lines[1:]]),
        "gold_with_blank": _mme_lines(lambda lines: [_cells(lines[0], 2, "Yes "), *lines[1:]]),
        "all_other": _mme_lines(lambda lines: [_cells(line, 3, "maybe") for line in lines]),
        "empty_file": lambda files: files.gold.update({"existence.txt": ""}),
        "last_line_without_newline": lambda files: files.gold.update(
            {"existence.txt": files.gold["existence.txt"].removesuffix("\n")}
        ),
        "answer_with_newline": _mme_lines(lambda lines: [f"{lines[0]}\nmore", *lines[1:]]),
    },
    "mmmu": {
        "missing_60": lambda files: drop(files.predictions, 60),
        "missing_subject": _subjects("Art"),
        "missing_domain": _subjects("Accounting", "Economics", "Finance", "Manage", "Marketing"),
        "extra_id_in_known_subject": lambda files: files.predictions.update(validation_Art_999="A"),
        "extra_subject": lambda files: files.predictions.update(validation_Nosuch_1="A"),
        "dev_prefix": _another_prefix,
        "null_choice": lambda files: files.predictions.update(validation_Art_3=None),
        "null_open": lambda files: _mmmu_open(files, None),
        "number_open": lambda files: _mmmu_open(files, 5),
        "no_predictions": lambda files: clear(files.predictions),
    },
    "ocrbench": {
        "missing_rows": lambda files: files.gold.__delitem__(slice(990, None)),
        "one_dataset_absent": lambda files: files.gold.__setitem__(
            slice(None), [each for each in files.gold if each["dataset_name"] != "svt"]
        ),
        "without_predict": _without("predict"),
        "predict_zero": lambda files: set_all(files.gold, predict=0),
        "predict_null": lambda files: files.gold[0].update(predict=None),
        "unknown_type": lambda files: files.gold[0].update(type="x", predict="x"),
        "repeated_row": _ocr_repeat,
        "empty": lambda files: clear(files.gold),
    },
    "okvqa": {
        "missing": lambda files: drop(files.predictions),
        "extra": lambda files: files.predictions.append({"question_id": 1, "answer": "x"}),
        "duplicate": lambda files: files.predictions.append({**files.predictions[0], "answer": "zzz"}),
        "same_answer_id": lambda files: (
            [set_all(each["answers"], answer_id=1) for each in files.gold["annotations"]] and None
        ),
        "no_answers": lambda files: files.gold["annotations"][0].update(answers=[]),
    },
    "pope": {
        "missing_last_10": lambda files: files.predictions.__delitem__(slice(-10, None)),
        "missing_first": lambda files: drop(files.predictions),
        "extra_5": lambda files: files.predictions.extend({"question": "x?", "answer": "no"} for _ in range(5)),
        "duplicate_first": lambda files: files.predictions.insert(0, dict(files.predictions[0])),
        "never_yes": lambda files: set_all(files.predictions, answer="no"),
        "all_gold_no_never_yes": lambda files: (
            set_all(files.predictions, answer="no") or set_all(files.gold, label="no")
        ),
        "no_true_positive": lambda files: (
            [
                each.update(answer="no" if label["label"] == "yes" else "yes")
                for each, label in zip(files.predictions, files.gold, strict=True)
            ]
            and None
        ),
        "empty_files": lambda files: clear(files.gold, files.predictions),
    },
    "scienceqa": {
        "unchanged_script": lambda files: None,
        "missing": lambda files: files.predictions["results"].pop("289") and None,
        "extra": lambda files: files.predictions["results"].update(nosuch=1),
        "letter": lambda files: files.predictions["results"].update({"289": "B"}),
        "null": lambda files: files.predictions["results"].update({"289": None}),
    },
    "stvqa": {
        "both_empty": lambda files: (
            files.gold["data"][0].update(answers=[""]) or files.predictions[0].update(answer="")
        ),
        "blank_gold": lambda files: (
            files.gold["data"][0].update(answers=[" "]) or files.predictions[0].update(answer="")
        ),
        "no_gold": lambda files: files.gold["data"][0].update(answers=[]),
        "no_rows": lambda files: clear(files.gold["data"], files.predictions),
    },
    "textvqa": {
        "nine_answers": lambda files: files.gold["data"][0]["answers"].pop() and None,
        "eleven_answers": lambda files: files.gold["data"][0]["answers"].append("x"),
        "no_rows": lambda files: clear(files.predictions),
        "null_prediction": lambda files: files.predictions[0].update(answer=None),
    },
    "vizwiz": {
        "missing": lambda files: drop(files.predictions),
        "extra": lambda files: files.predictions.append({"image": "nosuch.jpg", "answer": "x", "answerable": 1.0}),
        "duplicate_prediction": lambda files: files.predictions.append({**files.predictions[1], "answer": "zzz"}),
        "duplicate_gold": _vizwiz_repeat,
        "no_answerable_in_predictions": lambda files: [each.pop("answerable") for each in files.predictions] and None,
        "no_answerable_in_gold": _without("answerable"),
        "no_answers": lambda files: files.gold[0].update(answers=[]),
        "answerable_all": lambda files: set_all(files.gold, answerable=1),
        "null_answer": lambda files: files.predictions[0].update(answer=None),
    },
}
ELSEWHERE = {
    "mathvista": {"answer_from_gold"},
    "pope": {"label_other_words"},
    "scienceqa": {"llava_missing_40", "llava_extra", "llava_duplicate", "llava_no_images", "llava_ids_as_numbers"},
    "textvqa": {
        *("llava_missing_20", "llava_duplicate", "llava_extra", "llava_prompt_one_line", "llava_prompt_case"),
    },
}
"""Runs over other files than the main ones, which the benchmarks' own tests make."""
_SAME_IDS = "| ids as texts in one file and as numbers in the other | an exception | they are the same ids |"
_NO_NAME = "| gold without `dataset_name` | an exception | read all the same |"
ON_THE_CARD = {
    **{(name, "ids_as_strings_in_submission"): _SAME_IDS for name in ("docvqa", "infovqa")},
    **{(name, "no_dataset_name"): _NO_NAME for name in ("docvqa", "infovqa")},
}
"""Runs that the program refuses and ours scores, by the row of the card that says so."""
ALREADY_SAID = {("aokvqa", "strict_mc"): "other-choices", ("scienceqa", "unchanged_script"): "other-number-of-results"}
"""Runs over the main files themselves, by the finding about them."""
CASES = [(benchmark, run) for benchmark, runs in CHANGES.items() for run in runs]


@lru_cache(maxsize=4)
def main_files(benchmark: str) -> Files:
    golden = next(each for each in GOLDEN_SETS if each.benchmark == benchmark)
    here = golden_files() / golden.place
    named = {name: _document(here / file) for name, file in golden.files.items()}
    predictions = None if golden.predictions is None else _document(here / golden.predictions)
    return Files(_document(here / golden.gold), predictions, named, {**dict.fromkeys(golden.files), **golden.options})


def _document(path: Path) -> Any:
    if path.is_dir():
        return {each.name: each.read_text(encoding="utf-8") for each in sorted(path.iterdir())}
    text = path.read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError:  # JSON lines, whatever it is called
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def score(benchmark: str, files: Files, folder: Path) -> fullmarks.Result:
    """The result of files that are written to a folder."""
    for name, document in (("gold", files.gold), ("predictions", files.predictions), *files.others.items()):
        if benchmark == "mme" and name == "gold":
            (folder / "gold.json").mkdir()
            for each, text in document.items():
                (folder / "gold.json" / each).write_text(text, encoding="utf-8")
        else:
            (folder / f"{name}.json").write_text(json.dumps(document))
    options = {
        name: str(folder / f"{name}.json") if name in files.others else each for name, each in files.options.items()
    }
    predictions = None if files.predictions is None else str(folder / "predictions.json")
    return fullmarks.score(benchmark, str(folder / "gold.json"), predictions, **options)


@cache
def said_of_the_main_files(benchmark: str) -> frozenset[tuple[str, int]]:
    golden = next(each for each in GOLDEN_SETS if each.benchmark == benchmark)
    gold, predictions, options = golden.arguments()
    return findings(fullmarks.score(benchmark, gold, predictions, **options))


def findings(result: fullmarks.Result) -> frozenset[tuple[str, int]]:
    return frozenset((finding.code, finding.count) for finding in result.audit.findings.values())


def numbers(recorded: Recorded) -> dict[str, float]:
    """Every number that is recorded, under the names that the official result may have."""
    found = {
        name: value for name, value in recorded.items() if name not in ("what", "printed", "printed_tail", "crash")
    }
    found.update(found.pop("result", None) or {})
    texts = {name: float(value) for name, value in found.items() if isinstance(value, str) and _is_number(value)}
    return {**flat_numbers(found), **texts}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def ours(result: fullmarks.Result) -> dict[str, float]:
    official = {name: float(each) if isinstance(each, str) else each for name, each in result.official.items()}
    found = flat_numbers(official)
    return {**found, **{name.removesuffix(".total score"): value for name, value in found.items()}}


@pytest.fixture(scope="module")
def recorded() -> dict[str, dict[str, Recorded]]:
    read = {name: json.loads((golden_files() / name / "expected.json").read_text(encoding="utf-8")) for name in CHANGES}
    return {name: document["runs"] for name, document in read.items()}


def test_every_recorded_run_is_made(recorded: dict[str, dict[str, Recorded]]) -> None:
    for benchmark, runs in recorded.items():
        assert set(runs) == {*CHANGES[benchmark], *ELSEWHERE.get(benchmark, ())}, benchmark


@pytest.mark.parametrize(("benchmark", "run"), CASES)
def test_nothing_differs_in_silence(
    benchmark: str, run: str, recorded: dict[str, dict[str, Recorded]], tmp_path: Path
) -> None:
    files = deepcopy(main_files(benchmark))
    more = CHANGES[benchmark][run](files)
    files.options.update(more if isinstance(more, dict) else {})
    wanted = recorded[benchmark][run]
    try:
        result = score(benchmark, files, tmp_path)
    except fullmarks.FullmarksError:
        return  # said
    if findings(result) != said_of_the_main_files(benchmark):
        return
    if (benchmark, run) in ON_THE_CARD:
        assert ON_THE_CARD[benchmark, run] in (folder_of(benchmark) / "card.md").read_text(encoding="utf-8")
        return
    if (benchmark, run) in ALREADY_SAID:
        assert ALREADY_SAID[benchmark, run] in result.audit.findings
        return
    assert "crash" not in wanted, f"the program ended with {wanted['crash']}, ours is {result.official}"
    given, found = numbers(wanted), ours(result)
    shared = given.keys() & found.keys()
    assert shared, f"{sorted(given)} and {sorted(found)} have no number in common"
    assert {name: found[name] for name in shared} == pytest.approx({name: given[name] for name in shared}, abs=1e-12)
