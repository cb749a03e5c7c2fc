"""BARTScore on a tiny BART of the real architecture, against the definition written out pair by pair."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fullmarks.backends.bart import SequenceScorer
from fullmarks.errors import InputError, UsageError

torch = pytest.importorskip("torch", reason="needs torch: make test-all")
transformers = pytest.importorskip("transformers", reason="needs transformers: make test-all")
from tests.backends.tiny_models import LETTERS, save_tiny_bart  # noqa: E402

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

PAIRS = [
    ("the cat sat", "a cat sat"),
    ("the cat sat", "the cat sat"),
    ("", "word"),
    ("word", ""),
    ("z" * 100, "the cat " * 20),
    ("a", "bcd efg hij klm nop"),
    ("the cat sat", "a cat sat"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bart(tmp_path_factory.mktemp("models") / "bart")


def ids(text: str, limit: int = 48) -> list[int]:
    known = {"<": 3, " ": 30, **{letter: 4 + number for number, letter in enumerate(LETTERS)}}
    return [0, *[known[letter] for letter in text][: limit - 2], 2]


def plain_score(folder: Path, source: str, target: str) -> float:
    """One pair in float64: the decoder sees an end mark, then the target but its last token."""
    model = transformers.BartForConditionalGeneration.from_pretrained(folder).double().eval()
    labels = ids(target)
    with torch.no_grad():
        hidden = model.model.encoder(input_ids=torch.tensor([ids(source)])).last_hidden_state
        states = model.model.decoder(
            input_ids=torch.tensor([[2, *labels[:-1]]]), encoder_hidden_states=hidden
        ).last_hidden_state[0]
        logits = (states @ model.model.shared.weight.T + model.final_logits_bias[0]).double().tolist()
    total = 0.0
    for row, label in zip(logits, labels, strict=True):
        largest = max(row)
        total += row[label] - largest - math.log(math.fsum(math.exp(value - largest) for value in row))
    return total / len(labels)


@pytest.mark.parametrize("batch_size", [1, 2, 16])
def test_equals_the_definition(folder: Path, batch_size: int) -> None:
    scores = SequenceScorer(folder, device="cpu").score(PAIRS, batch_size=batch_size)
    expected = [plain_score(folder, *pair) for pair in PAIRS]
    # float32 inside the network; the definition above is in float64.
    assert scores == pytest.approx(expected, abs=1e-5)
    assert scores[0] == scores[-1]


def test_float64_equals_the_definition_closely(folder: Path) -> None:
    """In float64 batches of any size agree to the last few digits, so padding has no influence at all."""
    scorer = SequenceScorer(folder, device="cpu", dtype="float64")
    alone, together = (scorer.score(PAIRS, batch_size=size) for size in (1, 16))
    assert alone == pytest.approx([plain_score(folder, *pair) for pair in PAIRS], abs=1e-12)
    assert together == pytest.approx(alone, abs=1e-12)
    assert scorer.identity.endswith(",float64")


def test_order_and_repeats(folder: Path) -> None:
    scorer = SequenceScorer(folder, device="cpu", dtype="float64")
    calls: list[tuple[int, int]] = []
    scores = scorer.score(PAIRS * 2, batch_size=4, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(4, 6), (6, 6)]
    assert scores[: len(PAIRS)] == scores[len(PAIRS) :]
    assert scorer.score(PAIRS[::-1], batch_size=4) == pytest.approx(scores[: len(PAIRS)][::-1], abs=1e-12)
    assert scorer.score([]) == []


def test_state_file_replaces_the_weights(folder: Path, tmp_path: Path) -> None:
    other = save_tiny_bart(tmp_path / "other", seed=1)
    state = transformers.BartForConditionalGeneration.from_pretrained(other).state_dict()
    torch.save(state, tmp_path / "weights.pth")
    scorer = SequenceScorer(folder, state_file=tmp_path / "weights.pth", device="cpu")
    assert scorer.score(PAIRS) == SequenceScorer(other, device="cpu").score(PAIRS)
    assert scorer.score(PAIRS) != SequenceScorer(folder, device="cpu").score(PAIRS)
    assert scorer.identity.startswith(SequenceScorer(folder, device="cpu").identity + "+weights.pth#")
    # Tied weights may be stored once.
    torch.save({name: state[name] for name in state if name not in TIED}, tmp_path / "once.pth")
    once = SequenceScorer(folder, state_file=tmp_path / "once.pth", device="cpu")
    assert once.score(PAIRS) == scorer.score(PAIRS)


TIED = ("lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight")


def test_state_files_that_do_not_fit(folder: Path, tmp_path: Path) -> None:
    state = transformers.BartForConditionalGeneration.from_pretrained(folder).state_dict()
    path = tmp_path / "weights.pth"

    def refused(content: object, message: str) -> None:
        torch.save(content, path)
        with pytest.raises(InputError, match=message):
            SequenceScorer(folder, state_file=path, device="cpu")

    refused({**state, "extra": torch.zeros(1)}, r"1 unknown \(extra\)")
    refused({key: state[key] for key in list(state)[5:]}, "weights are missing")
    refused({key: value[:1] for key, value in state.items()}, "does not fit the model")
    refused([1, 2], "no state dictionary")
    refused({"weights": Path("object")}, "cannot be read")
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read"):
        SequenceScorer(folder, state_file=path, device="cpu")
    with pytest.raises(InputError, match="cannot be read"):
        SequenceScorer(folder, state_file=tmp_path / "absent.pth", device="cpu")


def test_refusals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"facebook/bart-large-cnn: could not be loaded .*local directory"):
        SequenceScorer()
    with pytest.raises(UsageError, match="batch_size is 0"):
        SequenceScorer(folder, device="cpu").score(PAIRS, batch_size=0)
    with pytest.raises(UsageError, match="unknown dtype 'int8'"):
        SequenceScorer(folder, device="cpu", dtype="int8")


def test_other_architectures_score_too(tmp_path: Path) -> None:
    """A T5, whose tokeniser adds only an end mark and whose config names no number of positions."""
    config = transformers.T5Config(
        vocab_size=32, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=1
    )
    folder = save_tiny_bart(tmp_path / "t5")
    for name in ("config.json", "model.safetensors", "generation_config.json"):
        (folder / name).unlink(missing_ok=True)
    torch.manual_seed(0)
    transformers.T5ForConditionalGeneration(config).eval().save_pretrained(folder)
    scorer = SequenceScorer(folder, device="cpu", dtype="float64")
    # T5 takes its layers' variances in float32 whatever the model's dtype.
    assert scorer.score(PAIRS, batch_size=1) == pytest.approx(scorer.score(PAIRS, batch_size=8), abs=1e-6)
    assert all(score < 0 for score in scorer.score(PAIRS))
