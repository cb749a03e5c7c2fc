"""FusionBrain's text sub-tasks: the golden files, example by example, and the rules one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fullmarks.errors import UsageError
from fullmarks.lexicons.morphology import RussianLemmatiser
from fullmarks.lexicons.recognise import open_lexicon
from fullmarks.lexicons.russian_stemmer import russian_stem
from fullmarks.lexicons.synonyms import NoSynonyms
from fullmarks.metrics.meteor import MeteorMetric
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.fusionbrain import rules as fusionbrain
from fullmarks.text.edit_distance import edit_similarity
from fullmarks.text.meteor import Meteor
from fullmarks.text.porter import porter_stem
from fullmarks.text.russian import RussianNormaliser, razdel_tokens
from fullmarks.types import Example

# Both sides do the same float64 operations in the same order; 1e-12 is the project's bound for published digits.
EXACT = 1e-12


def same(text: str) -> str:
    return text


def first_text(elements: Any) -> Any:
    elements = elements if isinstance(elements, list) else [elements]
    return next(element["content"] for element in elements if element["type"] == "text")


def examples(folder: Path, task: str) -> Iterator[tuple[str, list[str]]]:
    gold = json.loads((folder / f"{task}_gt.json").read_text(encoding="utf-8"))
    predictions = json.loads((folder / f"{task}_pred.json").read_text(encoding="utf-8"))
    return ((first_text(predictions[key]), first_text(gold[key])) for key in gold)


def score_of(metric: Metric, prediction: str, options: list[str]) -> float:
    return metric.rows(Example("1", prediction, options).alone())[0]


def check(folder: Path, task: str, score: Callable[[str, list[str]], float], name: str | None = None) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    ours = [score(prediction, options) for prediction, options in examples(folder, task)]
    total = 0.0
    for value in ours:
        total += value
    assert total / len(ours) == pytest.approx(expected[name or task], abs=EXACT)
    if name is None:
        assert ours == pytest.approx(expected[f"{task}_per_example"], abs=EXACT)


@pytest.fixture(scope="module")
def lemmatise() -> RussianLemmatiser:
    pytest.importorskip("pymorphy3", reason="needs pymorphy3: make install")
    return RussianLemmatiser()


def test_golden_textqa(golden_files: Path, lemmatise: RussianLemmatiser) -> None:
    normalise = RussianNormaliser(lemmatise)
    check(golden_files / "fusionbrain", "textqa", lambda p, o: fusionbrain.textqa_score(p, o, normalise).score)


def test_golden_mathqa(golden_files: Path, lemmatise: RussianLemmatiser) -> None:
    normalise = RussianNormaliser(lemmatise, keep="-")
    check(golden_files / "fusionbrain", "mathqa", lambda p, o: fusionbrain.mathqa_score(p, o, normalise).score)


def test_golden_text_recognition(golden_files: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="needs rapidfuzz: make install")
    folder = golden_files / "fusionbrain"
    check(folder, "text_recognition", lambda p, o: max(edit_similarity(p, gold) for gold in o))


@pytest.mark.parametrize(("gamma", "name"), [(0.5, None), (0.0, "captioning_document_variant")])
def test_golden_captioning(golden_files: Path, gamma: float, name: str | None) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    folder = golden_files / "fusionbrain_meteor"
    metric = MeteorMetric("russian", str(folder / "lexicon.json"), gamma=gamma, tokens="caption")
    check(folder, "captioning", lambda p, o: score_of(metric, p, o), name)


def test_golden_visualqa(golden_files: Path, lemmatise: RussianLemmatiser) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    folder = golden_files / "fusionbrain_meteor"
    meteor = Meteor(porter_stem, open_lexicon(folder / "lexicon.json").synonyms, gamma=0)
    check(folder, "vqa", lambda p, o: fusionbrain.visualqa_score(p, o, lemmatise, meteor).score)


def test_textqa_second_try_replaces_even_when_lower() -> None:
    answer = fusionbrain.textqa_score("b кот", ["кот пёс дом", "a"], same)
    assert (answer.score, answer.letter, answer.prediction) == (0.0, "b", "b")
    first = fusionbrain.textqa_score("b кот", ["кот пёс дом", "a"], same, second_try=False)
    assert (first.score, first.option, first.letter) == (pytest.approx(0.4), 0, None)


def test_textqa_second_try_is_taken_at_one_half_and_not_above() -> None:
    assert fusionbrain.textqa_score("a кот", ["кот пёс"], same).letter == "a"
    assert fusionbrain.textqa_score("a кот", ["кот a пёс"], same).letter is None


def test_mathqa_second_try() -> None:
    answer = fusionbrain.mathqa_score("ответ c", ["-12", "c"], same)
    assert (answer.score, answer.option, answer.letter, answer.gold) == (1.0, 1, "c", "c")
    assert fusionbrain.mathqa_score("ответ c", ["-12", "c"], same, second_try=False).score == 0.0
    assert fusionbrain.mathqa_score("нет", ["-12"], same).letter is None


VISUAL = Meteor(porter_stem, NoSynonyms().synonyms, gamma=0)


@pytest.mark.parametrize(
    ("prediction", "option", "score", "numbers"),
    [
        ("5", "10", 0.5, (5.0, 10.0)),
        ("примерно 20 или 3", "10", 0.5, (20.0, 10.0)),
        ("0", "0", 1.0, (0.0, 0.0)),
        ("0", "7", 0.0, (0.0, 7.0)),
        ("много", "7", 0.0, (None, 7.0)),
        ("", "7", 0.0, (None, 7.0)),
        ("two", "4", 0.5, (2.0, 4.0)),
        ("пять", "10", 0.5, (5.0, 10.0)),
        ("nan", "7", 0.0, (None, 7.0)),
        ("кот", "inf", 0.0, None),
        ("two", "two", 0.0, None),
        ("1e5", "1e5", 1.0, None),
        ("6", "٣", 0.5, (6.0, 3.0)),
        ("½", "½", 0.0, (None, None)),
    ],
)
def test_visualqa_numbers(
    prediction: str, option: str, score: float, numbers: tuple[float | None, float | None] | None
) -> None:
    answer = fusionbrain.visualqa_score(prediction, [option], same, VISUAL)
    assert (answer.score, answer.numbers) == (score, numbers)
    assert (answer.alignment is None) == (numbers is not None)


# The contest's evaluation/vqa (calc_meteor.py, rumeteor.py) with NLTK 3.8.1 and no synonyms: razdel has no part in it.
@pytest.mark.parametrize(
    ("prediction", "option", "score"),
    [
        ("5км", "5", 0.0),
        ("5км", "5 км", 0.0),
        ("ярко-красный шарф", "яркокрасный шарф", 1.0),
        ("кашкc дома", "кашк c дома", 0.3448275862068965),
        ("«дом» у реки", "дом у реки", 0.9375),
        ("дом’а", "дом а", 0.9523809523809524),
    ],
)
def test_visualqa_words(prediction: str, option: str, score: float) -> None:
    assert fusionbrain.visualqa_score(prediction, [option], same, VISUAL).score == score


# The contest's evaluation of captions with no synonyms: its list of opening marks is "([}", so that "{" stays a word.
@pytest.mark.parametrize(
    ("prediction", "score"), [("два { кота", 0.4762), ("два } кота", 0.9375), ("два ( кота", 0.9375)]
)
def test_an_opening_brace_is_a_word_of_a_caption(prediction: str, score: float) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    metric = MeteorMetric("russian", "none", tokens="caption")
    assert round(score_of(metric, prediction, ["два кота"]), 4) == score


class _NoWordnet:
    """As much of WordNet's interface as NLTK's METEOR asks for: a dictionary without entries."""

    def synsets(self, word: str) -> list[Any]:
        return []


class _RussianStem:
    def stem(self, word: str) -> str:
        return russian_stem(word)


def test_meteor_of_captions_is_that_of_either_nltk() -> None:
    """With the installed NLTK's own word tokens and METEOR, long dashes included."""
    pytest.importorskip("razdel", reason="needs razdel: make install")
    nltk = pytest.importorskip("nltk.translate.meteor_score", reason="needs nltk: make install")
    tokenizer = pytest.importorskip("nltk.tokenize", reason="needs nltk: make install").NLTKWordTokenizer()
    cuts = len(tokenizer.tokenize("1–2")) > 1
    metric = MeteorMetric("russian", "none", tokens="caption", nltk="3.10" if cuts else "3.9")
    captions = [
        "дом—река у моря",
        "10–20 котов",
        "кот — это кот",
        "a‒b ―c",
        "дом река",
        "20 котов и кот",
        "{кот} у моря",
    ]
    for prediction in captions:
        for gold in captions:
            tokens = [
                tokenizer.tokenize(" ".join(razdel_tokens(text.translate(str.maketrans("", "", "}")))))
                for text in (gold, prediction)
            ]
            wanted = nltk.single_meteor_score(*tokens, stemmer=_RussianStem(), wordnet=_NoWordnet())
            found = score_of(metric, prediction, [gold])
            assert found == pytest.approx(wanted, abs=EXACT), (prediction, gold)


def test_long_dashes_of_visualqa_by_release() -> None:
    before = fusionbrain.visualqa_score("дом—река", ["дом река"], same, VISUAL)
    later = fusionbrain.visualqa_score("дом—река", ["дом река"], same, VISUAL, cuts_dashes=True)
    precision, recall = 2 / 3, 2 / 2
    assert before.score == 0.0
    assert later.score == pytest.approx(10 * precision * recall / (recall + 9 * precision), abs=EXACT)


# The contest's evaluation/generation/metrics/ruclip.py: what follows the first period with a blank.
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Нарисуй. Красный дом. У реки.", "Красный дом. У реки."),
        ("Нарисуй! Красный дом. У реки.", "У реки."),
        ("Нарисуй.\nКрасный дом", ""),
        ("Красный дом", ""),
    ],
)
def test_prompt_after_the_first_sentence(text: str, prompt: str) -> None:
    assert fusionbrain.after_first_sentence(text) == prompt


def test_best_option_is_the_first_of_equals() -> None:
    answer = fusionbrain.visualqa_score("большой кот", ["пёс", "кот", "кот"], same, VISUAL)
    assert answer.option == 1
    assert answer.alignment is not None
    assert answer.alignment.exact == [(1, 0)]


def test_no_options_is_an_error() -> None:
    with pytest.raises(UsageError, match="no gold options"):
        fusionbrain.textqa_score("a", [], same)
