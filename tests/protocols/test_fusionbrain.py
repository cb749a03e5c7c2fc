"""FusionBrain from files to result: the golden files, a complete contest with ready numbers, and unusable input."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.cli.run import run
from fullmarks.errors import InputError, MismatchError, MissingDependencyError, UsageError
from fullmarks.protocols.fusionbrain.subtasks import TASKS
from tests.protocols.contest import (
    METEOR,
    METEOR_WITHOUT_PENALTY,
    TEXT_SCORES,
    Contest,
    draw_images,
    image,
    options,
    text,
    write_contest,
    write_ready_numbers,
)

for package in ("pymorphy3", "razdel", "rapidfuzz"):
    pytest.importorskip(package, reason=f"needs {package}: make install")

TEXTS = "TextQA,MathQA,VisualQA,TRitW"


def score(contest: Contest, **given: Any) -> fullmarks.Result:
    return fullmarks.score("fusionbrain", *contest.files, **{**contest.options, **given})


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    return write_contest(tmp_path)


@pytest.fixture
def ready(tmp_path: Path) -> dict[str, Any]:
    return write_ready_numbers(tmp_path)


GOLDEN = [
    ("fusionbrain", "textqa", "TextQA"),
    ("fusionbrain", "mathqa", "MathQA"),
    ("fusionbrain", "text_recognition", "TRitW"),
    ("fusionbrain_meteor", "vqa", "VisualQA"),
    ("fusionbrain_meteor", "captioning", "ImageCaptioning"),
]


class TestGolden:
    def result(self, golden_files: Path, folder: str, name: str, task: str, **given: Any) -> fullmarks.Result:
        golden = golden_files / folder
        if folder == "fusionbrain_meteor":
            given = {"lexicon": golden / "lexicon.json", "clip": "none", **given}
        return fullmarks.score(
            "fusionbrain", golden / f"{name}_gt.json", golden / f"{name}_pred.json", task=task, **given
        )

    def expected(self, golden_files: Path, folder: str) -> Any:
        return json.loads((golden_files / folder / "expected.json").read_text(encoding="utf-8"))

    @pytest.mark.parametrize(("folder", "name", "task"), GOLDEN)
    def test_every_example_and_the_mean(self, golden_files: Path, folder: str, name: str, task: str) -> None:
        result, expected = self.result(golden_files, folder, name, task), self.expected(golden_files, folder)
        part = "METEOR" if task == "ImageCaptioning" else "score"
        assert [record[part] for record in result.per_example] == expected[f"{name}_per_example"]
        assert result.official[task][part] == expected[name]
        assert result.official[task]["n"] == len(expected[f"{name}_per_example"])

    def test_captions_of_the_document(self, golden_files: Path) -> None:
        result = self.result(golden_files, "fusionbrain_meteor", "captioning", "ImageCaptioning", variant="document")
        expected = self.expected(golden_files, "fusionbrain_meteor")["captioning_document_variant"]
        assert result.official["ImageCaptioning"]["METEOR"] == expected

    def test_workers_do_not_change_a_digit(self, golden_files: Path) -> None:
        for folder, name, task in GOLDEN[3:]:
            one, two = (self.result(golden_files, folder, name, task, workers=workers) for workers in (1, 2))
            assert one.scores == two.scores
            assert list(one.per_example) == list(two.per_example)


def test_tasks_may_be_a_list() -> None:
    gold, predictions = {"t": [options("да")]}, {"t": [text("да")]}
    results = [fullmarks.score("fusionbrain", gold, predictions, task=task) for task in ("TRitW", ["TRitW"], (5,))]
    assert [result.official["TRitW"]["score"] for result in results] == [1.0, 1.0, 1.0]
    assert len({result.signature for result in results}) == 1
    with pytest.raises(UsageError, match="there is no sub-task 'Poetry'"):
        fullmarks.score("fusionbrain", gold, predictions, task=["TRitW", "Poetry"])


def test_means_are_the_program_s() -> None:
    # What numpy.mean gives, as in evaluation/vqa/metric/calc_meteor.py; a running sum gives 0.5249999999999999.
    gold = {f"v{at}": [options(str(at))] for at in range(1, 21)}
    predictions = {identifier: [text("20")] for identifier in gold}
    for keep in (True, False):
        result = fullmarks.score("fusionbrain", gold, predictions, task="VisualQA", synonyms="none", keep=keep)
        assert result.official["VisualQA"]["score"] == 0.525


class TestCompleteContest:
    """All six sub-tasks without any network: embeddings and statistics are ready."""

    def test_every_sub_task_and_the_formula(self, contest: Contest, ready: dict[str, Any]) -> None:
        found = score(contest, **ready).official
        assert list(found) == ["S_open_part", *TASKS]
        for task, value in TEXT_SCORES.items():
            assert found[task] == {
                "score": pytest.approx(value, rel=1e-15),
                "n": 2,
                "threshold": TASKS[task].threshold,
                "passed": True,
            }
        captions, generated = found["ImageCaptioning"], found["ImageGeneration"]
        assert captions["METEOR"] == pytest.approx(METEOR, rel=1e-15)
        assert captions["score"] == 0.5 * (captions["METEOR"] + captions["CLIP"])
        assert generated["score"] == 0.5 * ((200 - generated["FID"]) / 200 + generated["CLIP"])
        assert generated["n"] == 4
        assert found["S_open_part"] == pytest.approx(sum(found[task]["score"] for task in TASKS) / 15, rel=1e-15)

    def test_cosines_and_distance_are_the_plain_formulas(
        self, contest: Contest, ready: dict[str, Any], tmp_path: Path
    ) -> None:
        found = score(contest, **ready).official
        archive = np.load(tmp_path / "embeddings.npz")
        vectors = dict(zip(archive["names"].tolist(), archive["vectors"], strict=True))

        def cosine(one: str, other: str) -> float:
            a, b = vectors[one], vectors[other]
            return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

        drawn = [cosine(name, f"images/g{at}.png") for at, name in enumerate(["red", "green", "blue", "grey"], start=1)]
        told = [cosine("у реки красный дом", "shown/red.png"), cosine("машина", "shown/blue.png")]
        # Unit vectors of six numbers: a few roundings of 1e-16 each.
        assert found["ImageGeneration"]["CLIP"] == pytest.approx(np.mean(drawn), abs=1e-14)
        assert found["ImageCaptioning"]["CLIP"] == pytest.approx(np.mean(told), abs=1e-14)
        one, two = (np.load(tmp_path / f"{side}.npz") for side in ("predicted", "gold"))
        product = np.linalg.eigvals(one["sigma"] @ two["sigma"])
        textbook = (
            ((one["mu"] - two["mu"]) ** 2).sum()
            + np.trace(one["sigma"])
            + np.trace(two["sigma"])
            - 2 * np.sqrt(product).sum()
        )
        assert found["ImageGeneration"]["FID"] == pytest.approx(textbook, rel=1e-6)  # the bound the distance promises

    def test_hidden_tasks_make_s(self, contest: Contest, ready: dict[str, Any], tmp_path: Path) -> None:
        (tmp_path / "hidden_gold.json").write_text(json.dumps({"1": ["a cat", "a dog"], "2": "the sun"}))
        (tmp_path / "hidden_answers.json").write_text(json.dumps({"2": "sun", "1": [text("bird")]}))
        files = f"{tmp_path / 'hidden_gold.json'}:{tmp_path / 'hidden_answers.json'}"
        result = score(contest, **ready, hidden=["memes=0.25", f"sarcasm=exact_match:{files}"])
        assert result.official["hidden"] == {"memes": 0.25, "sarcasm": 0.5}
        assert list(result.official) == ["S", *TASKS, "hidden"]
        tasks = sum(result.official[task]["score"] for task in TASKS)
        assert result.official["S"] == pytest.approx(tasks / 15 + 0.75 / 10, rel=1e-15)
        assert result.scores["S"] == pytest.approx(result.official["S"], rel=1e-15)
        assert "|hidden:memes=0.25+sarcasm=exact_match|" in result.signature
        assert result.audit.findings["hidden-tasks-not-given"].count == 4

    def test_document_variant(self, contest: Contest, ready: dict[str, Any]) -> None:
        found = score(contest, **ready, variant="document").official
        assert found["ImageCaptioning"]["METEOR"] == pytest.approx(METEOR_WITHOUT_PENALTY, rel=1e-15)
        assert found["MathQA"]["score"] == 0.0  # without a second try, "ответ c" is no answer

    def test_examples_slices_and_saving(self, contest: Contest, ready: dict[str, Any], tmp_path: Path) -> None:
        result = score(contest, **ready, hidden=["memes=1"], by="task")
        records = {record["id"]: record for record in result.per_example}
        assert records["c1"]["METEOR"] == 0.9375
        assert records["c1"]["score"] == 0.5 * (0.9375 + records["c1"]["CLIP"])
        assert records["v2"] == {**records["v2"], "score": 1.0, "METEOR": None, "CLIP": None, "task": "VisualQA"}
        slices = result.by("task")
        for task in TASKS:
            # A constant added up and divided again may lose its last bit.
            assert slices[task]["score"] == pytest.approx(result.official[task]["score"], rel=1e-15)
            assert math.isnan(slices[task]["S"])
        assert result.to_dict()["slices"]["task"]["TextQA"]["S"] is None
        fullmarks.save_run(result, tmp_path / "run.json")
        for name in ("predictions", "ground_truth", "input", "ids"):
            (tmp_path / f"{name}.json").unlink()
        assert fullmarks.load_run(tmp_path / "run.json").official == result.official
        former = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
        inner = {**former["examples"].pop("parts"), **former["examples"].pop("facts")}
        del inner["compared"]  # which runs of that time did not have
        assert sorted(inner) == ["clip", "fid", "fid_influence", "hidden", "path", "prompt", "readable"]
        former["examples"]["columns"].update((f"_{name}", values) for name, values in inner.items())
        del former["digest"]
        del result.tally.examples.parts["compared"]
        assert fullmarks.load_run(former).tally.examples == result.tally.examples

    def test_intervals(self, contest: Contest, ready: dict[str, Any]) -> None:
        found = fullmarks.confidence(score(contest, **ready), fullmarks.Sampling(resamples=300, method="bca"))
        assert found["TRitW"].low == 0.0
        assert found["TRitW"].high == 0.75
        assert found["ImageGeneration.FID"].low == found["ImageGeneration.FID"].high
        assert "resamples without a score were left out" in found["S_open_part"].note

    def test_signature_names_what_determines_the_number(self, contest: Contest, ready: dict[str, Any]) -> None:
        signature = score(contest, **ready).signature
        for part in ("tasks:all", "lemmas:pymorphy3-", "synonyms:none", "nltk:3.9", "clip:ready#", "fid:statistics"):
            assert f"|{part}" in signature

    def test_word_tokens_of_a_later_nltk(self, tmp_path: Path) -> None:
        gold = {"q": [{"type": "text", "content": ["дом река"]}]}
        answers = {"q": [{"type": "text", "content": "дом—река"}]}
        words: dict[str, Any] = {"task": "VisualQA", "synonyms": "none"}
        before = fullmarks.score("fusionbrain", gold, answers, **words)
        later = fullmarks.score("fusionbrain", gold, answers, **words, nltk="3.10")
        assert before.official["VisualQA"]["score"] == 0.0
        assert later.official["VisualQA"]["score"] == pytest.approx(20 / 21, abs=1e-12)
        assert ("|nltk:3.9|" in before.signature, "|nltk:3.10|" in later.signature) == (True, True)
        with pytest.raises(fullmarks.UsageError, match=r"nltk must be one of '3.9', '3.10', found '4'"):
            fullmarks.score("fusionbrain", gold, answers, **words, nltk="4")

    def test_one_command(
        self, contest: Contest, ready: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = [word for name, value in {**contest.options, **ready}.items() for word in (flag(name), str(value))]
        hidden = ["--hidden", "memes=0.5", "--hidden", "comics=0.25"]
        code = run(["score", "fusionbrain", *map(str, contest.files), *words, *hidden, "-f", "json"])
        shown = capsys.readouterr()
        assert code == 0
        assert json.loads(shown.out) == score(contest, **ready, hidden=["memes=0.5", "comics=0.25"]).official
        assert "predictions that are an empty list: 1 (first ids: 'r2'); counted as an empty answer" in shown.err


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class TestParts:
    def test_text_tasks_need_no_networks(self, contest: Contest) -> None:
        result = score(contest, task=TEXTS, synonyms="none")
        assert {task: result.official[task]["score"] for task in TEXT_SCORES} == pytest.approx(TEXT_SCORES)
        assert "S_open_part" not in result.official
        assert result.audit.findings["other-sub-tasks"].count == 6
        assert result.scores["score"] == pytest.approx(sum(TEXT_SCORES.values()) / 4)

    def test_numbers_and_any_case_name_a_task(self, contest: Contest) -> None:
        assert list(score(contest, task="0, tritw").official) == ["TextQA", "TRitW"]

    def test_split_files_without_ids(self) -> None:
        gold, predictions = {"1": [options("СТОП")]}, {"1": text("СТО")}
        assert fullmarks.score("fusionbrain", gold, predictions, task="TRitW").official["TRitW"]["score"] == 0.75

    def test_left_out_parts_leave_no_score(self, contest: Contest, ready: dict[str, Any]) -> None:
        found = score(contest, **{**ready, "clip": "none"})
        assert found.official["ImageCaptioning"] == {"METEOR": pytest.approx(METEOR), "n": 2}
        assert set(found.official["ImageGeneration"]) == {"FID", "n"}
        assert "S_open_part" not in found.official
        without = score(contest, **{**ready, "inception": "none"})
        assert set(without.official["ImageGeneration"]) == {"CLIP", "n"}

    def test_explanations(self, contest: Contest, ready: dict[str, Any]) -> None:
        def why(identifier: str, **given: Any) -> fullmarks.Explanation:
            return fullmarks.explain(
                "fusionbrain", *contest.files, id=identifier, **{**contest.options, **ready, **given}
            )

        told = why("c1")
        assert told.scores["METEOR"] == 0.9375
        assert told.scores["score"] == 0.5 * (0.9375 + told.scores["CLIP"])
        assert [(step["stage"], step["prediction"], step["reference"]) for step in told.tables["alignment"]] == [
            ("exact", "4 дом", "2 дом"),
            ("exact", "3 красный", "1 красный"),
            ("exact", "2 реки", "4 реки"),
            ("exact", "1 у", "3 у"),
        ]
        assert why("m1").facts["second try"] == "the letter 'c' alone: 1"
        assert why("v1").facts["numbers"].startswith("none in the prediction against 2")
        assert list(why("g1").scores) == ["CLIP"]
        assert why("c1", clip="none").scores == {"METEOR": 0.9375}
        assert why("r1").tables["references"][0]["edit distance"] == 1

    def test_stems_and_synonyms_are_told(self, tmp_path: Path) -> None:
        lexicon = tmp_path / "lexicon.json"
        lexicon.write_text(json.dumps({"кот": [{"hypernyms": ["ЗВЕР"], "derivations": []}]}), encoding="utf-8")
        gold, predictions = {"1": [options("большие зверь тут")]}, {"1": text("большой кот")}
        told = fullmarks.explain(
            "fusionbrain", gold, predictions, id="1", task="ImageCaptioning", clip="none", lexicon=lexicon
        )
        assert [(step["stage"], step["because"]) for step in told.tables["alignment"]] == [
            ("stem", "same stem 'больш'"),
            ("synonym", "'звер' may stand for 'кот'"),
            ("none", "no match"),
        ]


class TestGaps:
    def test_a_missing_prediction_is_an_error(self, tmp_path: Path) -> None:
        contest = write_contest(tmp_path, predictions={"t1": None})
        with pytest.raises(MismatchError, match=r"questions without a prediction: 1 .*'t1'"):
            score(contest, task="TextQA")
        assert score(contest, task="TextQA", on_missing="zero").official["TextQA"]["score"] == 0.5
        assert score(contest, task="TextQA", on_missing="skip").official["TextQA"] == {
            "score": 1.0, "n": 1, "threshold": 0.2, "passed": True,
        }  # fmt: skip

    def test_a_missing_image_counts_as_zero_on_request(self, tmp_path: Path, ready: dict[str, Any]) -> None:
        contest = write_contest(tmp_path, predictions={"g1": None})
        result = score(contest, **ready, task="ImageGeneration", on_missing="zero")
        assert result.per_example[0]["CLIP"] == 0.0
        assert result.official["ImageGeneration"]["n"] == 4

    def test_the_wrong_type_is_said(self, tmp_path: Path) -> None:
        contest = write_contest(tmp_path, predictions={"t1": [image("images/g1.png")], "t2": []})
        result = score(contest, task="TextQA")
        assert result.official["TextQA"]["score"] == 0.0
        assert result.audit.findings["missing-elements"].first_ids == ["t1"]
        assert result.audit.findings["empty-lists"].first_ids == ["t2"]

    def test_repeated_ids(self, tmp_path: Path) -> None:
        contest = write_contest(tmp_path)
        answers = [("t1", "x"), ("t2", "4"), ("t1", "Москва")]
        records = [f"{json.dumps(key)}: {json.dumps([text(answer)])}" for key, answer in answers]
        (tmp_path / "predictions.json").write_text("{" + ", ".join(records) + "}", encoding="utf-8")
        with pytest.raises(MismatchError, match="predictions with a repeated id: 1"):
            score(contest, task="TextQA")
        assert score(contest, task="TextQA", on_duplicate="last").official["TextQA"]["score"] == 1.0

    def test_validate_finds_the_same(self, tmp_path: Path) -> None:
        contest = write_contest(tmp_path, predictions={"t1": None})
        audit = fullmarks.validate("fusionbrain", *contest.files, **contest.options, task="TextQA")
        assert audit.findings["missing-predictions"].level == "error"


BAD_ELEMENTS = [
    ("predictions", 7, r"predictions.json: id 't1': expected a list of elements, found a number"),
    ("predictions", ["x"], r"id 't1': element 1: expected an object with type and content, found a string"),
    ("predictions", [{"content": "x"}], r"element 1: the field 'type' is missing"),
    ("predictions", [{"type": "text"}], r"element 1: the field 'content' is missing"),
    ("predictions", [text("x"), {"type": "sound", "content": "x"}], r"element 2: expected the type .*found 'sound'"),
    ("predictions", [{"type": "text", "content": ["x"]}], r"expected the content as a string, found a list"),
    ("predictions", [{"type": "text", "content": None}], r"expected the content as a string, found null"),
    ("ground_truth", [{"type": "text", "content": [1]}], r"expected options that are strings, found a number"),
    ("ground_truth", [{"type": "text", "content": [None]}], r"expected options that are strings, found null"),
    ("ground_truth", [{"type": "text", "content": {}}], r"a string or a list of strings, found an object"),
    ("ground_truth", [{"type": "text", "content": []}], r"questions without any gold answer: 1 .*'t1'"),
    ("ids", 12, r"ids.json: id 't1': there is no sub-task '12'. Known: TextQA \(0\)"),
    ("ids", [0], r"id 't1': expected a whole number or the name of a sub-task, found a list"),
    ("ids", None, r"1 questions of .* have no sub-task \(first: 't1'\)"),
    ("ground_truth", None, r"ids without a ground truth: 1"),
]


class TestRefused:
    @pytest.mark.parametrize(("name", "record", "says"), BAD_ELEMENTS)
    def test_elements(self, tmp_path: Path, name: str, record: Any, says: str) -> None:
        contest = write_contest(tmp_path, **{name: {"t1": record}})
        with pytest.raises(InputError, match=says) as caught:
            score(contest, task="TextQA")
        assert caught.value.advice

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"task": "TextQ"}, "there is no sub-task 'TextQ'"),
            ({"task": ","}, "--task names no sub-task"),
            ({"ids": None}, "needs the sub-task of every question"),
            ({"hidden": ["memes"]}, "expected name=score or name=metric:gold:predictions"),
            ({"hidden": ["memes=2"]}, "a score is from 0 to 1, found 2"),
            ({"hidden": ["memes=nan"]}, "a score is from 0 to 1"),
            ({"hidden": ["a=1", "a=0"]}, "'a' is given twice"),
            ({"hidden": [f"{number}=1" for number in range(7)]}, "at most 6 hidden tasks, found 7"),
            ({"hidden": ["a=token_f1:one"]}, "expected name=score or"),
            ({"hidden": ["a=token_f2:one:two"]}, "unknown metric 'token_f2'"),
            ({"hidden": ["a=fid:one:two"]}, "fid has no score from 0 to 1"),
            ({"hidden": ["a=1"], "task": "TextQA"}, "needs all six sub-tasks"),
            ({"hidden": "a=1"}, "hidden must be a list of texts"),
            ({"input": None}, "compares texts with images by CLIP"),
            ({"save_stats": "x.npz", "task": "TextQA"}, "none are read here"),
            ({"save_stats": "x.dat"}, "--save-stats x.dat: the name must end in .npz"),
            ({"task": "ImageGeneration", "clip": "none", "inception": "none"}, "nothing is left to score"),
            ({"variant": "page"}, "no variant 'page'"),
            ({"synonyms": "some"}, "synonyms must be one of"),
        ],
    )
    def test_wishes(self, contest: Contest, ready: dict[str, Any], given: dict[str, Any], says: str) -> None:
        with pytest.raises(UsageError, match=says):
            score(contest, **{**ready, **given})

    def test_a_column_to_slice_by_must_be_there(self, contest: Contest, ready: dict[str, Any]) -> None:
        says = "there is no column '(colour|_prompt)' to slice or cluster by; it offers 'task'"
        for column in ("colour", "_prompt"):
            with pytest.raises(InputError, match=says):
                score(contest, **ready, by=column)

    def test_hidden_files_are_audited_like_the_others(
        self, contest: Contest, ready: dict[str, Any], tmp_path: Path
    ) -> None:
        (tmp_path / "a.json").write_text('{"1": "x", "2": "y"}')
        (tmp_path / "b.json").write_text('{"1": "x", "3": ""}')
        given = {**ready, "hidden": [f"memes=token_f1:{tmp_path / 'a.json'}:{tmp_path / 'b.json'}"]}
        found = fullmarks.validate("fusionbrain", *contest.files, **contest.options, **given).findings
        assert found["missing-predictions:memes"].level == "error"
        assert found["unknown-predictions:memes"].first_ids == ["3"]
        result = score(contest, **given, on_missing="zero")
        assert result.official["hidden"] == {"memes": 0.5}
        assert score(contest, **given, on_missing="skip").official["hidden"] == {"memes": 1.0}
        with pytest.raises(MismatchError, match="hidden task memes: predictions for unknown questions"):
            score(contest, **given, on_missing="zero", strict=True)

    def test_hidden_scores_stand_in_the_signature_with_all_digits(
        self, contest: Contest, ready: dict[str, Any]
    ) -> None:
        assert "|hidden:a=0.123456789+b=1|" in score(contest, **ready, hidden=["a=0.123456789", "b=1"]).signature

    def test_a_blank_text_to_draw_is_warned_about(self, contest: Contest, ready: dict[str, Any]) -> None:
        for record in ([text("Нарисуй: красный дом")], [text("Нарисуй."), text(" ")]):
            write_contest(contest.folder, input={"g1": record})
            found = fullmarks.validate("fusionbrain", *contest.files, **contest.options, **ready).findings
            assert found["blank-prompts"].first_ids == ["g1"]
            assert found["blank-prompts"].level == "warning"

    def test_sub_tasks_that_options_leave_out(self, contest: Contest, ready: dict[str, Any]) -> None:
        with pytest.raises(InputError, match="--limit or --on-missing skip leaves no question of"):
            score(contest, **ready, limit=3)

    def test_hidden_files_that_do_not_fit(self, contest: Contest, ready: dict[str, Any], tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text('{"1": "x", "2": "y"}')
        (tmp_path / "b.json").write_text('{"1": "x"}')
        for names, says in (("a.json:b.json", "without a prediction: 1"), ("a.json:none.json", "no such file")):
            first, second = names.split(":")
            with pytest.raises(InputError, match=says):
                score(contest, **ready, hidden=[f"h=exact_match:{tmp_path / first}:{tmp_path / second}"])

    @pytest.mark.parametrize(
        ("identifier", "asked", "says"),
        [
            ("g1", None, r"id 'g1' \(ImageGeneration\) has no text to draw"),
            ("c1", [text("Опиши.")], r"id 'c1' \(ImageCaptioning\) has no image to describe"),
            ("c2", None, "id 'c2' .* has no image to describe"),
        ],
    )
    def test_questions_without_what_is_compared(
        self, tmp_path: Path, ready: dict[str, Any], identifier: str, asked: Any, says: str
    ) -> None:
        for variant in ("script", "document"):
            with pytest.raises(InputError, match=says):
                score(write_contest(tmp_path, input={identifier: asked}), **ready, variant=variant)

    @pytest.mark.parametrize("asked", [[text("Нарисуй."), image("shown/red.png")], [image("shown/red.png")]])
    def test_questions_without_a_text_to_draw(self, tmp_path: Path, ready: dict[str, Any], asked: Any) -> None:
        with pytest.raises(InputError, match=r"id 'g1' \(ImageGeneration\) has no text to draw"):
            score(write_contest(tmp_path, input={"g1": asked}), **ready, variant="document")

    def test_a_sub_task_without_questions(self, tmp_path: Path, ready: dict[str, Any]) -> None:
        nothing = {"v1": None, "v2": None}
        contest = write_contest(tmp_path, ids=nothing, ground_truth=nothing, predictions=nothing, input=nothing)
        with pytest.raises(InputError, match=r"there is no question of VisualQA. .*--task TextQA,MathQA,Image"):
            score(contest, **ready)

    def test_a_missing_lexicon_says_how_to_get_one(self, contest: Contest) -> None:
        for lexicon, says in ((None, "needs a synonym lexicon"), ("no/such.db", "no such synonym lexicon")):
            with pytest.raises(MissingDependencyError, match=says) as caught:
                score(contest, task="VisualQA", lexicon=lexicon)
            assert "ruwordnet download" in str(caught.value)
            assert "--synonyms none" in str(caught.value)

    def test_missing_parts_of_images_say_the_ways_around(self, tmp_path: Path, ready: dict[str, Any]) -> None:
        pytest.importorskip("PIL", reason="needs pillow: make install")
        contest = write_contest(tmp_path)
        draw_images(tmp_path)
        # ruclip is never beside the tests; without torch that is missed first.
        with pytest.raises(MissingDependencyError, match=r"pip install .*--clip none or --inception none"):
            score(contest, synonyms="none", gold_images=ready["gold_images"])

    def test_an_embedding_that_is_not_there(self, contest: Contest, ready: dict[str, Any], tmp_path: Path) -> None:
        np.savez(tmp_path / "embeddings.npz", names=np.array(["red"]), vectors=np.ones((1, 2)))
        with pytest.raises(InputError, match="has no embedding for"):
            score(contest, **ready)

    def test_statistics_with_nan(self, contest: Contest, ready: dict[str, Any], tmp_path: Path) -> None:
        np.savez(tmp_path / "gold.npz", mu=np.full(3, math.nan), sigma=np.eye(3))
        with pytest.raises(InputError, match="NaN"):
            score(contest, **ready)

    @pytest.mark.parametrize("content", ["[]", "7", '"x"', "", "{", "null"])
    def test_other_documents(self, contest: Contest, content: str) -> None:
        for name in ("predictions", "ground_truth", "ids"):
            path = contest.folder / f"{name}.json"
            before = path.read_bytes()
            path.write_text(content)
            with pytest.raises(InputError, match=f"{name}.json"):
                score(contest, task="TextQA")
            path.write_bytes(before)


class TestImageFiles:
    """Images on disk, without networks: checking them is a matter of reading alone."""

    @pytest.fixture(autouse=True)
    def drawn(self, tmp_path: Path) -> None:
        pytest.importorskip("PIL", reason="needs pillow: make install")
        draw_images(tmp_path)

    def audit(self, folder: Path, **changed: Any) -> fullmarks.Audit:
        contest = write_contest(folder, **changed)
        return fullmarks.validate("fusionbrain", *contest.files, **contest.options, clip="any/model", synonyms="none")

    def test_all_is_well(self, tmp_path: Path) -> None:
        assert not self.audit(tmp_path).at_level("error")
        assert "unreadable-images" not in self.audit(tmp_path).findings

    @pytest.mark.parametrize("name", ["../g1.png", "/etc/passwd", "images/../../g1.png", "C:\\x.png", "link/g1.png"])
    def test_paths_that_leave_the_folder(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "link").symlink_to("/tmp")
        found = self.audit(tmp_path, predictions={"g1": [image(name)]})
        assert found.findings["images-outside"].first_ids == ["g1"]
        assert found.findings["images-outside"].level == "error"
        with pytest.raises(InputError, match="image paths that leave their folder"):
            score(write_contest(tmp_path, predictions={"g1": [image(name)]}), clip="any/model", synonyms="none")

    def test_broken_images_are_named(self, tmp_path: Path) -> None:
        whole = (tmp_path / "images/g1.png").read_bytes()
        (tmp_path / "images/g1.png").write_bytes(whole[: len(whole) // 2])
        (tmp_path / "images/g2.png").write_bytes(bomb())
        (tmp_path / "images/g3.png").unlink()
        finding = self.audit(tmp_path).findings["unreadable-images"]
        assert (finding.level, finding.count, finding.first_ids) == ("warning", 3, ["g1", "g2", "g3"])
        assert "they score 0" in finding.detail

    def test_a_wrong_folder_is_an_error(self, tmp_path: Path) -> None:
        contest = write_contest(tmp_path)
        (tmp_path / "other").mkdir()
        with pytest.raises(InputError, match="holds none of the 4 images"):
            score(contest, clip="any/model", synonyms="none", images=tmp_path / "other")
        with pytest.raises(InputError, match="there is no such folder of images"):
            score(contest, clip="any/model", synonyms="none", images=str(tmp_path / "none"))

    def test_the_contests_own_images_must_be_there(self, tmp_path: Path) -> None:
        (tmp_path / "shown/red.png").write_bytes(b"no image")
        (tmp_path / "gold/1.png").unlink()
        found = self.audit(tmp_path).findings
        assert found["unreadable-input-images"].level == "error"
        assert found["unreadable-gold-images"].first_ids == ["g1"]

    def test_gold_images_are_decoded(self, tmp_path: Path) -> None:
        (tmp_path / "gold/2.png").write_bytes(b"no image")
        finding = self.audit(tmp_path).findings["unreadable-gold-images"]
        assert (finding.level, finding.first_ids) == ("error", ["g2"])
        assert finding.where.endswith("ground_truth.json")

    @pytest.mark.parametrize("record", [[], [text("a house")]])
    def test_a_question_without_a_gold_image_is_an_error(self, tmp_path: Path, record: list[Any]) -> None:
        finding = self.audit(tmp_path, ground_truth={"g1": record}).findings["missing-gold-images"]
        assert (finding.level, finding.first_ids) == ("error", ["g1"])

    @pytest.mark.parametrize("name", [".", "./", "x" * 300 + ".png", "\ud800.png", "loop.png"])
    def test_names_that_no_file_can_have_are_images_that_cannot_be_read(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "loop.png").symlink_to("loop.png")
        finding = self.audit(tmp_path, predictions={"g1": [image(name)]}).findings["unreadable-images"]
        assert (finding.level, finding.first_ids) == ("warning", ["g1"])
        gold = self.audit(tmp_path, ground_truth={"g1": [image(name)]}).findings["unreadable-gold-images"]
        assert (gold.level, gold.first_ids) == ("error", ["g1"])

    def test_broken_images_score_zero(self, tmp_path: Path, ready: dict[str, Any]) -> None:
        (tmp_path / "images/g1.png").write_bytes(b"no image")
        contest = write_contest(tmp_path)
        given = {**ready, "images": tmp_path / "images", "inception": "none", "clip": ready["clip"]}
        assert score(contest, **given, task="ImageGeneration").per_example[0]["CLIP"] != 0  # nothing looks at the files
        text_file = tmp_path / "net.pt"
        text_file.write_text("no network")
        given["inception"] = str(text_file)
        finding = fullmarks.validate("fusionbrain", *contest.files, **contest.options, **given).findings
        assert finding["unreadable-images"].first_ids == ["g1"]


def bomb() -> bytes:
    """A PNG of 20,000 x 20,000 pixels in some hundred kilobytes."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(2501 * 20_000), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_the_page_shows_what_the_command_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_contest(tmp_path)
    write_ready_numbers(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs/protocols/fusionbrain.md").read_text(encoding="utf-8")
    example = page.split("### With images\n", 1)[1]
    command, shown = example.split("```\n", 2)[:2]
    assert run([*command.replace("\\\n", "").split()[1:], "--format", "text"]) == 0
    found = capsys.readouterr().out.splitlines()
    documented = shown.splitlines()
    # The signature names the versions of what is installed.
    assert [line for line in found if "lemmas:" not in line] == [line for line in documented if "lemmas:" not in line]


class TestWhereTheProgramReads:
    """What calc_ruclip_metric of the contest takes for text and image, by a stub of the network with known cosines."""

    TEXTS, IMAGES = ("red", "green", "blue", "дом"), ("images/1.png", "images/2.png", "images/3.png", "shown/1.png")

    @pytest.fixture
    def cosines(self, tmp_path: Path) -> dict[tuple[str, str], float]:
        names = [*self.TEXTS, *self.IMAGES]
        vectors = dict(zip(names, np.random.default_rng(5).normal(size=(len(names), 4)), strict=True))
        np.savez(tmp_path / "embeddings.npz", names=np.array(names), vectors=np.array(list(vectors.values())))

        def cosine(one: str, other: str) -> float:
            a, b = vectors[one], vectors[other]
            return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

        return {(one, other): cosine(one, other) for one in self.TEXTS for other in self.IMAGES}

    def clip(self, folder: Path, task: str, asked: Any, answers: Any, **given: Any) -> fullmarks.Result:
        gold = {key: [image(f"{key}.png")] if task == "ImageGeneration" else [options("дом")] for key in answers}
        named = {"task": task, "clip": str(folder / "embeddings.npz"), "inception": "none", "synonyms": "none"}
        return fullmarks.score("fusionbrain", gold, answers, input=asked, **{**named, **given})

    @pytest.mark.parametrize(
        ("answer", "is_seen"),
        [
            ([image("images/1.png")], False),  # the form that the contest's own README shows
            ([image("images/1.png"), text("вот")], False),
            ([text("вот"), image("images/1.png")], True),
            ([text("вот"), image("images/1.png"), image("images/2.png")], True),
            ([text("вот"), text("она"), image("images/1.png")], False),
            (image("images/1.png"), False),
        ],
    )
    def test_a_generated_image_is_the_second_element(
        self, tmp_path: Path, cosines: dict[tuple[str, str], float], answer: Any, is_seen: bool
    ) -> None:
        asked = {"g": [text("Нарисуй."), text("red")]}
        wanted = pytest.approx(cosines["red", "images/1.png"], abs=1e-12)
        found = self.clip(tmp_path, "ImageGeneration", asked, {"g": answer})
        assert found.official["ImageGeneration"]["CLIP"] == (wanted if is_seen else 0.0)
        assert ("unseen-by-clip" in found.audit.findings) is not is_seen
        document = self.clip(tmp_path, "ImageGeneration", asked, {"g": answer}, variant="document")
        assert document.official["ImageGeneration"]["CLIP"] == wanted
        assert "unseen-by-clip" not in document.audit.findings

    def test_the_text_to_draw(self, tmp_path: Path, cosines: dict[tuple[str, str], float]) -> None:
        """Of two elements the second, of one what follows the first sentence, of three the text of the one before."""
        asked = {
            "a": [text("Нарисуй."), text("x"), text("red")],
            "b": [text("Нарисуй."), text("green")],
            "c": [text("Нарисуй."), text("x"), text("red")],
            "d": [text("Нарисуй. blue")],
            "e": [],
        }
        answers = {key: [text(""), image(f"images/{1 + at % 3}.png")] for at, key in enumerate(asked)}
        found = self.clip(tmp_path, "ImageGeneration", asked, answers)
        texts = [None, "green", "green", "blue", "blue"]  # before the first there is no text: 0
        wanted = [
            cosines[name, f"images/{1 + at % 3}.png"] if name is not None else 0.0 for at, name in enumerate(texts)
        ]
        assert [record["CLIP"] for record in found.per_example] == pytest.approx(wanted, abs=1e-12)
        assert found.audit.findings["text-of-question-before"].first_ids == ["a", "c", "e"]
        told = self.clip_explained(tmp_path, asked, answers, "c")
        assert (told.facts["text"], told.scores["CLIP"]) == ("green", pytest.approx(wanted[2], abs=1e-12))

    def clip_explained(self, folder: Path, asked: Any, answers: Any, identifier: str) -> fullmarks.Explanation:
        gold = {key: [image(f"{key}.png")] for key in answers}
        given = {"clip": str(folder / "embeddings.npz"), "inception": "none", "task": "ImageGeneration"}
        return fullmarks.explain("fusionbrain", gold, answers, id=identifier, input=asked, synonyms="none", **given)

    def test_an_image_that_cannot_be_seen_sets_no_text(
        self, tmp_path: Path, cosines: dict[tuple[str, str], float]
    ) -> None:
        asked = {"a": [text("x"), text("red")], "b": [text("x"), text("blue")], "c": []}
        answers = {"a": [text(""), image("images/1.png")], "b": [image("images/2.png")]}
        answers["c"] = [text(""), image("images/3.png")]
        found = self.clip(tmp_path, "ImageGeneration", asked, answers)
        wanted = [cosines["red", "images/1.png"], 0.0, cosines["red", "images/3.png"]]
        assert [record["CLIP"] for record in found.per_example] == pytest.approx(wanted, abs=1e-12)

    @pytest.mark.parametrize(
        ("answer", "asked", "is_seen"),
        [
            ([text("дом")], [text("Опиши."), image("shown/1.png")], True),
            ([image("images/1.png"), text("дом")], [text("Опиши."), image("shown/1.png")], False),
            ([text("дом")], [image("shown/1.png"), text("Опиши.")], False),
            ([text("дом")], [image("shown/1.png")], False),
        ],
    )
    def test_captions(
        self, tmp_path: Path, cosines: dict[tuple[str, str], float], answer: Any, asked: Any, is_seen: bool
    ) -> None:
        wanted = pytest.approx(cosines["дом", "shown/1.png"], abs=1e-12)
        found = self.clip(tmp_path, "ImageCaptioning", {"c": asked}, {"c": answer})
        assert found.official["ImageCaptioning"]["CLIP"] == (wanted if is_seen else 0.0)
        assert found.official["ImageCaptioning"]["METEOR"] == 0.5  # the first text counts, wherever it stands
        assert ("unseen-by-clip" in found.audit.findings) is not is_seen
        document = self.clip(tmp_path, "ImageCaptioning", {"c": asked}, {"c": answer}, variant="document")
        assert document.official["ImageCaptioning"]["CLIP"] == wanted


class TestRightAnswersWhereTheProgramReads:
    def test_one_text_is_read_by_letters(self) -> None:
        gold, answers = {"t": [text("кот")]}, {"t": [text("к")]}
        for task, part in (("TextQA", "score"), ("TRitW", "score"), ("VisualQA", "score")):
            found = fullmarks.score("fusionbrain", gold, answers, task=task, synonyms="none")
            assert found.official[task][part] == 1.0
            assert found.audit.findings["right-answers-by-letters"].first_ids == ["t"]
            document = fullmarks.score("fusionbrain", gold, answers, task=task, synonyms="none", variant="document")
            assert document.official[task][part] < 0.5

    def test_the_first_element_counts_whatever_its_type(self) -> None:
        gold, answers = {"t": [image("images/1.png"), options("кот")]}, {"t": [text("кот")]}
        assert fullmarks.score("fusionbrain", gold, answers, task="TextQA").official["TextQA"]["score"] == 0.0
        document = fullmarks.score("fusionbrain", gold, answers, task="TextQA", variant="document")
        assert document.official["TextQA"]["score"] == 1.0


class TestVisualAnswers:
    def answer(self, prediction: str, gold: str, **given: Any) -> float:
        files = {"v": [options(gold)]}, {"v": [text(prediction)]}
        result = fullmarks.score("fusionbrain", *files, task="VisualQA", synonyms="none", **given)
        told = fullmarks.explain("fusionbrain", *files, id="v", task="VisualQA", synonyms="none", **given)
        assert told.scores == {"score": result.official["VisualQA"]["score"]}
        score: float = result.official["VisualQA"]["score"]
        return score

    @pytest.mark.parametrize(
        ("prediction", "gold", "script", "document"),
        [
            ("красные машины", "красная машина", 0.5, 1.0),
            ("три кота", "3", 0.0, 1.0),
            ("трёх", "3", 1.0, 1.0),
            ("шесть", "три кота", 0.0, 0.0),
            ("6 котов", "3", 0.5, 0.5),
            ("3", "three", 0.0, 1.0),
            ("кошки", "кошка", 1.0, 1.0),
        ],
    )
    def test_the_document_takes_answers_word_by_word(
        self, prediction: str, gold: str, script: float, document: float
    ) -> None:
        assert self.answer(prediction, gold) == pytest.approx(script, abs=1e-12)
        assert self.answer(prediction, gold, variant="document") == pytest.approx(document, abs=1e-12)

    def test_numbers_beyond_a_double(self) -> None:
        assert self.answer("1e400 3", "3") == 0.0  # the first number is infinite, as in the contest's program
        assert self.answer("9" * 400, "9" * 400) == 0.0
        assert self.answer("inf 3", "3") == self.answer("nan 3", "3") == 1.0
        assert self.answer("0", "0") == 1.0


def test_hidden_sub_tasks_in_the_same_files(tmp_path: Path, ready: dict[str, Any]) -> None:
    more = {f"h{number}": number for number in range(6, 12)} | {"h12": "Hidden3"}
    given = {key: [options("x")] for key in more}
    contest = write_contest(
        tmp_path, ids=more, ground_truth=given, predictions={key: [text("y")] for key in more}, input=given
    )
    result = score(contest, **ready, hidden=["memes=0.5"])
    assert result.n == 14
    assert result.audit.findings["other-sub-tasks"].count == 7
    assert result.official["S"] == score(write_contest(tmp_path), **ready, hidden=["memes=0.5"]).official["S"]
