"""Hugging Face's datasets, in memory and streamed, and the schemas that SQuAD, VQA and TextVQA have on the hub."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.readers.source import Source

ROWS: list[dict[str, Any]] = [
    {
        "id": f"q{at}",
        "prediction": ("Paris", "the cat", "two dogs")[at % 3],
        "references": (["Paris"], ["cat", "dog"], [])[at // 3 % 3],
        "topic": f"t{at % 4}",
    }
    for at in range(300)
]


@pytest.fixture(scope="module")
def datasets() -> Any:
    """The library, whose import takes seconds: only where a test needs it."""
    return pytest.importorskip("datasets", reason="needs datasets: make install")


@pytest.fixture(scope="module")
def data(datasets: Any) -> Any:
    return datasets.Dataset.from_list(ROWS)


@pytest.fixture(scope="module")
def wanted() -> fullmarks.Result:
    return fullmarks.score("squad2", ROWS, by="topic")


def generated() -> Iterator[dict[str, Any]]:
    yield from ROWS


def joined(datasets: Any, data: Any) -> Any:
    return datasets.concatenate_datasets([data.select(range(at, at + 100)) for at in (0, 100, 200)])


def with_another_column(datasets: Any, data: Any) -> Any:
    return datasets.IterableDataset.from_generator(generated).map(lambda row: {**row, "more": 1})


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "in memory": lambda datasets, data: data,
    "streamed": lambda datasets, data: data.to_iterable_dataset(),
    "streamed, features unknown": lambda datasets, data: datasets.IterableDataset.from_generator(generated),
    "streamed, columns changed": with_another_column,
    "under a transform": lambda datasets, data: data.with_transform(lambda batch: batch),
    "in another format": lambda datasets, data: data.with_format("numpy"),
    "joined": joined,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_hold_rows(way: str, datasets: Any, data: Any, wanted: fullmarks.Result) -> None:
    """As one table of both, as gold, and as predictions."""
    given = WAYS[way](datasets, data)
    found = fullmarks.score("squad2", given, by="topic")
    assert (found.official, found.by("topic")) == (wanted.official, wanted.by("topic"))
    assert list(found.tally.examples.ids) == [row["id"] for row in ROWS]
    assert fullmarks.score("squad2", given, given, by="topic").by("topic") == wanted.by("topic")
    assert fullmarks.score("squad2", ROWS, given).official == wanted.official
    assert fullmarks.score("squad2", given, {row["id"]: row["prediction"] for row in ROWS}).official == wanted.official


CHOSEN: dict[str, Callable[[Any], Any]] = {
    "select": lambda data: data.select([5, 3, 200, 3 + 60]),
    "shuffle": lambda data: data.shuffle(seed=7),
    "filter": lambda data: data.filter(lambda row: row["topic"] == "t1"),
    "shuffle and select": lambda data: data.shuffle(seed=7).select(range(10, 40)),
    "split": lambda data: data.train_test_split(test_size=0.2, seed=1)["test"],
    "stream": lambda data: data.to_iterable_dataset().skip(10).take(20),
}


@pytest.mark.parametrize("way", CHOSEN)
def test_rows_that_were_chosen_and_their_order(way: str, data: Any) -> None:
    chosen = CHOSEN[way](data)
    rows = list(chosen)
    found = fullmarks.score("squad2", chosen)
    assert list(found.tally.examples.ids) == [row["id"] for row in rows]
    assert found.official == fullmarks.score("squad2", rows).official


def test_rows_that_arrow_cannot_gather(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of more bytes than Arrow joins at once are gathered by `datasets` itself."""
    arrow: Any = pytest.importorskip("pyarrow", reason="needs pyarrow: make install")
    shuffled = data.shuffle(seed=3)

    class Refusing:
        def select(self, names: list[str]) -> Refusing:
            return self

        def take(self, places: Any) -> None:
            raise arrow.ArrowInvalid("offset overflow")

    ids = list(shuffled["id"])
    monkeypatch.setattr(type(shuffled.data), "table", Refusing(), raising=False)
    source = Source(shuffled, "gold")
    assert source.frame is not None
    assert source.frame._gathered(shuffled.select_columns(["id"]).with_format("arrow"), 0)["id"].to_pylist() == ids  # type: ignore[attr-defined]


def test_repeated_ids(datasets: Any, data: Any) -> None:
    twice = datasets.concatenate_datasets([data, data.select([4])])
    with pytest.raises(fullmarks.MismatchError, match=r"repeated id: 1 \(first ids: 'q4'\)"):
        fullmarks.score("squad2", twice)


@pytest.mark.parametrize("kind", ["DatasetDict", "IterableDatasetDict"])
def test_a_dictionary_of_splits(kind: str, datasets: Any, data: Any) -> None:
    with pytest.raises(
        fullmarks.InputError, match=r"Pass one of its splits \('train', 'test'\), as in data\['train'\]"
    ):
        fullmarks.score("squad2", getattr(datasets, kind)({"train": data, "test": data}))


def test_a_column(data: Any) -> None:
    with pytest.raises(fullmarks.InputError, match="expected a table, found a datasets Column"):
        fullmarks.score("squad2", data["id"])


def test_images_are_not_looked_at(datasets: Any, data: Any, wanted: fullmarks.Result) -> None:
    """Neither decoded nor held to be texts, in a table as in the official records."""
    picture = {"bytes": b"\xff\xd8\xff\x00", "path": None}
    features = datasets.Features({**data.features, "image": datasets.Image()})
    pictured = datasets.Dataset.from_list([{**row, "image": picture} for row in ROWS], features=features)
    for given in (pictured, pictured.to_iterable_dataset()):
        assert fullmarks.score("squad2", given).official == wanted.official
    assert [*Source(pictured, "gold").object[0]] == ["id", "prediction", "references", "topic"]


# The schemas as `datasets` shows them after loading rajpurkar/squad, rajpurkar/squad_v2 and the VQA sets.
@pytest.fixture(scope="module")
def squad_features(datasets: Any) -> Any:
    text = datasets.Value("string")
    answers = {"text": datasets.List(text), "answer_start": datasets.List(datasets.Value("int32"))}
    return datasets.Features({"id": text, "title": text, "context": text, "question": text, "answers": answers})


def squad_rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": question["id"],
            "title": article.get("title", ""),
            "context": paragraph.get("context", ""),
            "question": question.get("question", ""),
            "answers": {
                "text": [answer["text"] for answer in question["answers"]],
                "answer_start": [answer.get("answer_start", 0) for answer in question["answers"]],
            },
        }
        for article in document["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


def question(identifier: str, *texts: str) -> dict[str, Any]:
    return {"id": identifier, "question": "?", "answers": [{"text": text, "answer_start": 1} for text in texts]}


def article(title: str) -> dict[str, Any]:
    questions = [question(f"{title}0", "the cat", "cat"), question(f"{title}1", "two dogs"), question(f"{title}2", "é")]
    return {"title": title, "paragraphs": [{"context": "c", "qas": questions}]}


OFFICIAL = {"data": [article("Normans"), article("Rhine")]}
ANSWERS = {f"{title}{at}": text for title in ("Normans", "Rhine") for at, text in enumerate(("a cat", "dogs", "E"))}


@pytest.mark.parametrize("protocol", ["squad1", "squad2", "xquad", "mlqa"])
def test_squad_of_the_hub(protocol: str, datasets: Any, squad_features: Any) -> None:
    data = datasets.Dataset.from_list(squad_rows(OFFICIAL), features=squad_features)
    options = {"language": "en"} if protocol == "mlqa" else {}
    wanted = fullmarks.score(protocol, OFFICIAL, ANSWERS, by="title", **options)
    answers = datasets.Dataset.from_list([{"id": known, "prediction_text": text} for known, text in ANSWERS.items()])
    for given in (data, data.to_iterable_dataset()):
        for predictions in (ANSWERS, answers):
            found = fullmarks.score(protocol, given, predictions, by="title", **options)
            assert (found.official, found.by("title")) == (wanted.official, wanted.by("title"))
    explained = fullmarks.explain(protocol, data, answers, id="Rhine1", **options)
    assert explained == fullmarks.explain(protocol, OFFICIAL, ANSWERS, id="Rhine1", **options)


def test_unanswerable_questions_of_the_hub(datasets: Any, squad_features: Any) -> None:
    document = json.loads(json.dumps(OFFICIAL))
    document["data"][0]["paragraphs"][0]["qas"][1]["answers"] = []
    data = datasets.Dataset.from_list(squad_rows(document), features=squad_features)
    assert fullmarks.score("squad2", data, ANSWERS).official == fullmarks.score("squad2", document, ANSWERS).official


def test_published_models_to_the_last_bit(real_data: Path, datasets: Any, squad_features: Any) -> None:
    folder = real_data / "squad"
    rows = squad_rows(json.loads((folder / "dev-v2.0.json").read_text(encoding="utf-8")))
    data = datasets.Dataset.from_list(rows, features=squad_features)
    for model in ("bert", "bidaf"):
        expected = json.loads((folder / f"{model}.expected.json").read_text(encoding="utf-8"))
        assert fullmarks.score("squad2", data, folder / f"{model}.json").official == expected, model


ANNOTATIONS: list[dict[str, Any]] = [
    {
        "question_id": at,
        "image_id": at // 2,
        "question_type": ("what", "how many")[at % 2],
        "answer_type": ("other", "number")[at % 2],
        "multiple_choice_answer": "red",
        "answers": [
            {"answer": ("red", "two", "Red.")[(at + place) % 3], "answer_confidence": "yes", "answer_id": place + 1}
            for place in range(10)
        ],
    }
    for at in range(20)
]
RESULTS = [{"question_id": at, "answer": ("red", "2", "two", "blue")[at % 4]} for at in range(20)]


def field_by_field(annotations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**each, "answers": {name: [answer[name] for answer in each["answers"]] for name in each["answers"][0]}}
        for each in annotations
    ]


def without_ids(annotations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**each, "answers": [{"answer": answer["answer"], "answer_confidence": "yes"} for answer in each["answers"]]}
        for each in annotations
    ]


@pytest.mark.parametrize("protocol", ["vqa", "okvqa"])
@pytest.mark.parametrize("annotations", [ANNOTATIONS, without_ids(ANNOTATIONS)], ids=["ids", "equal records"])
@pytest.mark.parametrize("shape", [list, field_by_field])
def test_vqa_of_the_hub(protocol: str, annotations: list[dict[str, Any]], shape: Any, datasets: Any) -> None:
    wanted = fullmarks.score(protocol, {"annotations": annotations}, RESULTS)
    data = datasets.Dataset.from_list(shape(annotations))
    for gold in (data, data.to_iterable_dataset()):
        for results in (RESULTS, datasets.Dataset.from_list(RESULTS)):
            found = fullmarks.score(protocol, gold, results)
            assert found.official == wanted.official
            assert found.audit.to_dict() == wanted.audit.to_dict()
    table = [{**row, "prediction": answer["answer"]} for row, answer in zip(shape(annotations), RESULTS, strict=True)]
    assert fullmarks.score(protocol, datasets.Dataset.from_list(table)).official == wanted.official


def test_vqa_golden(golden_files: Path, datasets: Any) -> None:
    folder = golden_files / "vqa"
    gold, results = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("annotations", "results"))
    wanted = fullmarks.score("vqa", gold, results).official
    assert fullmarks.score("vqa", datasets.Dataset.from_list(gold["annotations"]), results).official == wanted
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    assert wanted == expected.get("accuracy", expected)


def test_textvqa_golden(golden_files: Path, datasets: Any) -> None:
    folder = golden_files / "textvqa"
    gold = json.loads((folder / "TextVQA_0.5.1_val.json").read_text("utf-8"))
    answers = json.loads((folder / "predictions.json").read_text("utf-8"))
    wanted = fullmarks.score("textvqa", gold, answers).official
    data = datasets.Dataset.from_list(gold["data"])
    assert fullmarks.score("textvqa", data, answers).official == wanted
    assert fullmarks.score("textvqa", data, datasets.Dataset.from_list(answers)).official == wanted


def test_fields_of_different_lengths() -> None:
    gold = [{"question_id": 1, "answers": {"answer": ["a", "b"], "answer_id": [1]}}]
    with pytest.raises(fullmarks.InputError, match=r"record 1: .* differ in length: 'answer' 2, 'answer_id' 1"):
        fullmarks.score("vqa", gold, [{"question_id": 1, "answer": "a"}])
