"""WordNet: a dictionary of three synsets made here, and the whole one against NLTK where both are present."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from fullmarks.errors import InputError
from fullmarks.lexicons.recognise import open_lexicon
from fullmarks.text.meteor import Meteor
from fullmarks.text.porter import porter_stem

LICENCE = "  1 a line of the licence starts with blanks\n"
SYNSETS = {
    "noun": ["05 n 02 dog 0 domestic_dog 0 001 @ 00000000 n 0000", "05 n 02 wolf 0 Canis 0 000"],
    "verb": ["30 v 02 chase 0 dog 1 000 01 + 08 00"],
    "adj": ["00 s 02 canine(p) 0 doggy 0 000"],
    "adv": [],
}
EXCEPTIONS = {"noun": "doggies dog\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind, synsets in SYNSETS.items():
        data, index = LICENCE, LICENCE
        for synset in synsets:
            offset = len(data)
            data += f"{offset:08d} {synset} | a gloss\n"
            names = synset.split()[3:7:2]
            index += "".join(f"{name.split('(')[0].lower()} {kind[0]} 1 1 @ 1 0 {offset:08d}  \n" for name in names)
        (tmp_path / f"data.{kind}").write_text(data)
        (tmp_path / f"index.{kind}").write_text(index)
        (tmp_path / f"{kind}.exc").write_text(EXCEPTIONS.get(kind, ""))
    return tmp_path


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("dog", {"dog", "chase"}),
        ("Dogs", {"Dogs", "dog", "chase"}),
        ("doggies", {"doggies", "dog"}),
        ("chasing", {"chasing", "chase", "dog"}),
        ("wolves", {"wolves", "wolf", "Canis"}),
        ("canine", {"canine", "doggy"}),
        ("cat", {"cat"}),
        ("", {""}),
    ],
)
def test_names_of_all_synsets_of_all_base_forms(folder: Path, word: str, synonyms: set[str]) -> None:
    lexicon = open_lexicon(folder)
    assert lexicon.synonyms(word) == synonyms
    assert pickle.loads(pickle.dumps(lexicon)).synonyms(word) == synonyms


def test_the_number_of_names_is_hexadecimal(folder: Path) -> None:
    names = [f"name{at}" for at in range(17)]
    offset = len(LICENCE)
    synset = f"{offset:08d} 05 n 11 {' '.join(f'{name} 0' for name in names)} 001 @ 00000000 n 0000 | a gloss\n"
    (folder / "data.noun").write_text(LICENCE + synset)
    (folder / "index.noun").write_text(f"{LICENCE}name3 n 1 1 @ 1 0 {offset:08d}  \n")
    assert open_lexicon(folder).synonyms("name3") == set(names)


def test_files_of_two_releases_are_refused(folder: Path) -> None:
    data = folder / "data.noun"
    data.write_text("x" + data.read_text())
    with pytest.raises(InputError, match="do not fit together at 'wolf'"):
        open_lexicon(folder).synonyms("wolf")


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "verb.exc").unlink()
    with pytest.raises(InputError, match=r"is not a WordNet directory: verb\.exc not found"):
        open_lexicon(folder)


@pytest.fixture(scope="module")
def wordnet() -> Path:
    place = Path(os.environ.get("FULLMARKS_WORDNET", "/usr/share/wordnet"))
    if not (place / "data.noun").is_file():
        pytest.skip("no WordNet dictionary (Debian's wordnet-base, or FULLMARKS_WORDNET=directory)")
    return place


@pytest.fixture(scope="module")
def nltk_reader(wordnet: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    nltk = pytest.importorskip("nltk", reason="needs nltk: make install")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """No other languages, so no map of versions, which would need another corpus."""

    root = tmp_path_factory.mktemp("nltk_data")
    copy = shutil.copytree(wordnet, root / "corpora" / "wordnet")
    if not (copy / "lexnames").exists():  # Debian leaves it out; NLTK only wants 45 numbered names
        (copy / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    nltk.data.path.append(str(root))
    with pytest.warns(UserWarning, match="multilingual"):
        reader = EnglishReader(str(copy), None)
    yield reader
    nltk.data.path.remove(str(root))


@pytest.mark.parametrize("count", [60, pytest.param(700, marks=pytest.mark.deep)])
def test_synonyms_equal_nltk(wordnet: Path, nltk_reader: Any, count: int) -> None:
    lexicon = open_lexicon(wordnet)
    rng = random.Random(1)
    lemmas = rng.sample(sorted(nltk_reader.all_lemma_names()), count)
    words = [lemma + ending for lemma in lemmas for ending in ("", "s", "es", "ed", "ing", "er", "est")]
    words += [porter_stem(lemma) for lemma in lemmas] + ["geese", "ran", "better", "Paris"]
    for word in words:
        names = {name for synset in nltk_reader.synsets(word) for name in synset.lemma_names()}
        assert lexicon.synonyms(word) == {word} | {name for name in names if "_" not in name}


@pytest.mark.parametrize("count", [60, pytest.param(400, marks=pytest.mark.deep)])
def test_meteor_equals_nltk(wordnet: Path, nltk_reader: Any, count: int) -> None:
    from nltk.translate.meteor_score import meteor_score

    rng = random.Random(4)
    synonyms = open_lexicon(wordnet).synonyms
    lemmas = rng.sample(sorted(nltk_reader.all_lemma_names()), max(count, 150))
    vocabulary = sorted({name for lemma in lemmas for name in synonyms(lemma)})
    vocabulary = [word + rng.choice(["", "s", "ing", "ed"]) for word in rng.sample(vocabulary, 120)]
    meteor = Meteor(porter_stem, synonyms)
    for _ in range(count):
        prediction, *references = (rng.choices(vocabulary, k=rng.randint(1, 20)) for _ in range(3))
        expected = meteor_score(references, prediction, wordnet=nltk_reader)
        ours = max(meteor.score(prediction, reference) for reference in references)
        assert ours == pytest.approx(expected, abs=1e-12)
