"""How sure the contest's FID is: intervals, comparisons and slices, from how far each image moves the distance."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs pillow: make install")
pytest.importorskip("pymorphy3", reason="needs pymorphy3: make install")

from PIL import Image

import fullmarks
from fullmarks.backends.batches import ModelHere
from fullmarks.metrics.fid import Fid
from fullmarks.protocols.fusionbrain.protocol import Fusionbrain
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.fid_infinity import fid_infinity
from fullmarks.stats.frechet_influence import FeatureSet, frechet_influences
from fullmarks.stats.gaussian import GaussianStatistics
from tests.protocols.contest import Contest, image, text, write_contest

DRAWN = 24
IDS = [f"g{at}" for at in range(1, DRAWN + 1)]


class Colours:
    """Stands in for the network: mean and spread of the three colours."""

    identity = "colours"

    @staticmethod
    def features(images: list[Image.Image]) -> np.ndarray:
        few = [np.asarray(picture)[::8, ::8] for picture in images]
        pixels = [values.astype(np.float32).reshape(-1, 3) / 25 for values in few]
        return np.stack([np.concatenate([values.mean(axis=0), values.std(axis=0)]) for values in pixels])


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fid, "_model", lambda self: ModelHere(Colours))


def paint(path: Path, random: np.random.Generator, colour: np.ndarray, noise: int) -> None:
    path.parent.mkdir(exist_ok=True)
    pixels = np.clip(colour + random.integers(-noise, noise, size=(16, 16, 3)), 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(path)


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images of two systems and of the gold, and ready embeddings."""
    folder, random = tmp_path_factory.mktemp("painted"), np.random.default_rng(3)
    for identifier in IDS:
        colours = random.integers(40, 210, size=(2, 3))
        for name, colour, noise in (("gold", 0, 20), ("images", 1, 70), ("better", 0, 24)):
            paint(folder / name / f"{identifier}.png", random, colours[colour], noise)
    paint(folder / "gold/second.png", random, np.array([90, 200, 130]), 20)
    names = [f"colour {identifier}" for identifier in IDS] + [f"images/{identifier}.png" for identifier in IDS]
    names += ["у реки красный дом", "машина", "shown/red.png", "shown/blue.png"]
    np.savez(folder / "embeddings.npz", names=np.array(names), vectors=random.normal(size=(len(names), 6)))
    return folder


@pytest.fixture
def contest(painted: Path, tmp_path: Path) -> Contest:
    shutil.copytree(painted, tmp_path, dirs_exist_ok=True)
    return write_contest(
        tmp_path,
        ids=dict.fromkeys(IDS, 2),
        input={identifier: [text(f"Нарисуй. colour {identifier}")] for identifier in IDS},
        ground_truth={identifier: [image(f"gold/{identifier}.png")] for identifier in IDS},
        predictions={identifier: [image(f"images/{identifier}.png")] for identifier in IDS},
    )


def score(contest: Contest, **given: Any) -> fullmarks.Result:
    options = {"clip": str(contest.folder / "embeddings.npz"), "synonyms": "none", **contest.options, **given}
    return fullmarks.score("fusionbrain", *contest.files, **options)


def features(paths: list[Path]) -> np.ndarray:
    sized = [Image.open(path).convert("RGB").resize((256, 256), Image.Resampling.BILINEAR) for path in paths]
    return Colours.features(sized).astype(np.float64)


def feature_set(contest: Contest, folder: str) -> FeatureSet:
    found = features([contest.folder / folder / f"{identifier}.png" for identifier in IDS])
    return FeatureSet(GaussianStatistics.from_features([found]), found)


def test_the_interval_is_that_of_the_influences(contest: Contest) -> None:
    result = score(contest, task="ImageGeneration", clip="none")
    sampling = fullmarks.Sampling(resamples=500, seed=4)
    found = fullmarks.confidence(result, sampling)["ImageGeneration.FID"]
    moved = frechet_influences(feature_set(contest, "images"), feature_set(contest, "gold"))
    assert moved.a is not None
    assert moved.b is not None
    distance = result.official["ImageGeneration"]["FID"]
    (plain,) = score_intervals(distance + (moved.a + moved.b)[:, None], resamples=500, seed=4)
    assert found.low < distance < found.high
    # The same draws of the same numbers, added up in another order.
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert result.scores["ImageGeneration.FID"] == pytest.approx(distance, rel=1e-12)
    assert "of FID at this number of images; that of endless ones lies lower" in found.note


def test_the_integral_score_moves_with_it(contest: Contest) -> None:
    result = score(contest)
    rows = result.tally.rows[0]
    metric = result.tally.metrics[0]
    assert metric.held_columns(rows) == ()
    widths = {}
    for name in ("with", "without"):
        if name == "without":
            result.tally.rows[0] = metric._judged_by_the_set(rows)  # type: ignore[attr-defined]
        found = fullmarks.confidence(result, fullmarks.Sampling(resamples=500))
        widths[name] = {score: found[score].high - found[score].low for score in ("ImageGeneration", "S_open_part")}
    assert widths["with"]["ImageGeneration"] > widths["without"]["ImageGeneration"]
    assert widths["with"]["S_open_part"] != widths["without"]["S_open_part"]


def test_an_example_s_influence_is_the_derivative_by_its_weight(contest: Contest) -> None:
    """Also where an image cannot be read, and where a question has two gold images."""
    (contest.folder / "images/g5.png").write_bytes(b"no image")
    two = {"g7": [{"type": "image", "content": ["gold/g7.png", "gold/second.png"]}]}
    gold = {identifier: [image(f"gold/{identifier}.png")] for identifier in IDS}
    predictions = {identifier: [image(f"images/{identifier}.png")] for identifier in IDS}
    write_contest(
        contest.folder,
        ids=dict.fromkeys(IDS, 2),
        ground_truth={**gold, **two},
        predictions=predictions,
    )
    result = score(contest, task="ImageGeneration", clip="none")
    found = {record["id"]: record["FID_influence"] for record in result.per_example}
    seen = [identifier for identifier in IDS if identifier != "g5"]
    ours = features([contest.folder / f"images/{identifier}.png" for identifier in seen])
    owners = [*IDS[:7], "g7", *IDS[7:]]
    names = [*IDS[:7], "second", *IDS[7:]]
    theirs = features([contest.folder / f"gold/{name}.png" for name in names])

    def distance(weights: dict[str, float]) -> float:
        roots, means = [], []
        for rows, whose in ((ours, seen), (theirs, owners)):
            weight = np.array([weights[identifier] for identifier in whose])
            share = weight / weight.sum()
            mean = share @ rows
            # As the influence has it, the divisor n - 1 stands to n as it did before.
            scale = len(weight) / (len(weight) - 1)
            roots.append((rows - mean) * np.sqrt(share * scale)[:, None])
            means.append(mean)
        shared = np.linalg.svd(roots[0] @ roots[1].T, compute_uv=False).sum()
        apart = means[0] - means[1]
        return float(apart @ apart + (roots[0] ** 2).sum() + (roots[1] ** 2).sum() - 2 * shared)

    assert result.official["ImageGeneration"]["FID"] == pytest.approx(distance(dict.fromkeys(IDS, 1.0)), rel=1e-6)
    for identifier in ("g1", "g5", "g7", "g24"):
        ends = [distance({**dict.fromkeys(IDS, 1.0), identifier: 1 + step}) for step in (1e-5, -1e-5)]
        assert found[identifier] == pytest.approx(DRAWN * (ends[0] - ends[1]) / 2e-5, abs=1e-4)


def test_slices_share_the_distance(contest: Contest) -> None:
    result = score(contest, task="ImageGeneration", by="task")
    whole = result.official["ImageGeneration"]
    assert result.by("task")["ImageGeneration"]["ImageGeneration.FID"] == pytest.approx(whole["FID"], rel=1e-12)
    columns = result.tally.examples.columns
    columns["half"] = ["first" if at < 6 else "second" for at in range(len(columns["task"]))]
    parts = result.by("half")
    shares = [parts[name]["ImageGeneration.FID"] * parts[name]["n"] for name in ("first", "second")]
    assert sum(shares) / result.n == pytest.approx(whole["FID"], rel=1e-12)
    assert parts["first"]["ImageGeneration.FID"] != pytest.approx(parts["second"]["ImageGeneration.FID"], rel=1e-3)


def test_single_images_are_judged_by_the_distance_of_their_set(contest: Contest) -> None:
    result = score(contest)
    records = {record["id"]: record for record in result.per_example}
    distance = result.official["ImageGeneration"]["FID"]
    for identifier in IDS:
        record = records[identifier]
        assert record["score"] == 0.5 * ((200 - distance) / 200 + record["CLIP"])
    assert records["t1"]["FID_influence"] is None
    assert sum(records[identifier]["FID_influence"] for identifier in IDS) == pytest.approx(0, abs=1e-9)
    example = result.tally.examples[result.tally.examples.ids.index("g3")]
    told = Fusionbrain(**contest.options, synonyms="none", clip="none").explain(example)
    assert told.facts["FID moved by"] == records["g3"]["FID_influence"]


def test_a_saved_run_knows_as_much(contest: Contest, tmp_path: Path) -> None:
    result = score(contest)
    fullmarks.save_run(result, tmp_path / "run.json")
    again = fullmarks.load_run(tmp_path / "run.json")
    sampling = fullmarks.Sampling(resamples=300)
    assert fullmarks.confidence(again, sampling) == fullmarks.confidence(result, sampling)


def test_systems_are_compared_and_less_is_better(contest: Contest) -> None:
    first = score(contest, task="ImageGeneration", clip="none")
    better = {identifier: [image(f"better/{identifier}.png")] for identifier in IDS}
    gold = {identifier: [image(f"gold/{identifier}.png")] for identifier in IDS}
    write_contest(contest.folder, ids=dict.fromkeys(IDS, 2), ground_truth=gold, predictions=better)
    second = score(contest, task="ImageGeneration", clip="none")
    comparison = fullmarks.compare({"first": first, "better": second}, sampling=fullmarks.Sampling(resamples=1000))
    (difference,) = comparison.differences
    test = difference.test
    assert test.difference < 0
    assert test.interval.low < test.difference < test.interval.high < 0
    assert test.permutation.p_value < 0.05
    assert test.outcomes.wins > test.outcomes.losses
    (changes,) = comparison.changes
    assert len(changes.fixed) == test.outcomes.wins
    assert all(change.system_score < change.baseline_score for change in changes.fixed)


def test_ready_statistics_are_held_and_said_to_be(contest: Contest) -> None:
    for folder in ("images", "better", "gold"):
        feature_set(contest, folder).statistics.save(contest.folder / f"{folder}.npz")
    given = {"task": "ImageGeneration", "clip": "none", "gold_images": contest.folder / "gold.npz"}
    first, second = (score(contest, **given, images=contest.folder / f"{name}.npz") for name in ("images", "better"))
    assert "intervals and tests hold it fixed" in first.audit.findings["ready-statistics"].detail
    few = fullmarks.Sampling(resamples=100)
    found = fullmarks.confidence(first, few)["ImageGeneration.FID"]
    assert found.low == found.high
    (difference,) = fullmarks.compare({"first": first, "second": second}, sampling=few).differences
    assert difference.test.difference != 0
    assert (difference.test.permutation.p_value, difference.test.p_bootstrap) == (1.0, None)
    # With ready statistics for the gold alone, the predictions still vary.
    half = score(contest, **given)
    assert "ready-statistics" not in half.audit.findings
    found = fullmarks.confidence(half, few)["ImageGeneration.FID"]
    assert found.low < half.official["ImageGeneration"]["FID"] < found.high


def test_the_metric_alone(contest: Contest) -> None:
    paths = {folder: sorted((contest.folder / folder).glob("g*.png")) for folder in ("images", "gold")}
    metric = fullmarks.load("fid").metric
    assert isinstance(metric, Fid)
    found = metric.influences(paths["images"], paths["gold"])
    assert found.a is not None
    assert found.b is not None
    assert (len(found.a), len(found.b)) == (DRAWN, DRAWN)


def test_the_metric_at_endless_images(contest: Contest, caplog: pytest.LogCaptureFixture) -> None:
    paths = {folder: [contest.folder / folder / f"{name}.png" for name in IDS] for folder in ("images", "gold")}
    plain = fullmarks.load("fid").compute(predictions=paths["images"], references=paths["gold"])
    more = fullmarks.load("fid", extrapolate=True)
    found = more.compute(predictions=paths["images"], references=paths["gold"])
    known = fid_infinity(feature_set(contest, "images"), feature_set(contest, "gold"))
    assert found["fid"] == plain["fid"]
    assert (found["fid_infinity"], found["fid_infinity_low"], found["fid_infinity_high"]) == pytest.approx(
        (known.value, known.low, known.high), rel=1e-9
    )
    assert found["fid_infinity"] < found["fid"]
    assert tuple(found) == more.metric.scores
    feature_set(contest, "gold").statistics.save(contest.folder / "gold.npz")
    more.compute(predictions=paths["images"], references=contest.folder / "gold.npz")
    assert "one side is ready statistics" in caplog.text
    with pytest.raises(fullmarks.InputError, match="both sides are ready statistics"):
        more.compute(predictions=contest.folder / "gold.npz", references=contest.folder / "gold.npz")


def test_the_signature_says_that_it_is_extrapolated() -> None:
    assert fullmarks.load("fid").metric.signature_parts().keys() == {"inception"}
    assert fullmarks.load("fid", extrapolate=True).metric.signature_parts()["extrapolate"] == "true"
