"""The page as a file: whole, the same every time, and closed to whatever the texts of examples hold."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.report import html_page as page
from fullmarks.report.page_content import page_content
from fullmarks.report.page_images import ImageFile

HOSTILE = "</script><img src=x onerror=alert(1)><!-- & \u2028 \"'"
QUICK = Sampling(resamples=200)


def built(title="", predictions=(HOSTILE, "no")):
    gold = [{"id": HOSTILE, "references": [HOSTILE]}, {"id": "2", "references": ["yes"]}]
    answers = [{"id": each["id"], "prediction": prediction} for each, prediction in zip(gold, predictions, strict=True)]
    run = fullmarks.score("squad2", gold, answers)
    content = page_content(standings({HOSTILE: run}, sampling=QUICK), title=title)
    return b"".join(page.html_page(content)).decode()


def unpacked(text, name):
    (packed,) = re.findall(rf'<script type="application/gzip" id="{name}">([A-Za-z0-9+/=]*)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_no_text_can_leave_its_place():
    text = built(title=HOSTILE)
    assert "<img" not in text
    assert text.count("</script>") == 3  # data, one block of explanations, the program
    assert "<!-- &" not in text
    assert "&lt;/script&gt;&lt;img" in text  # the title


def test_texts_arrive_as_they_are():
    text = built()
    data = unpacked(text, "data")
    assert data["examples"]["predictions"] == [[HOSTILE, "no"]]
    assert data["examples"]["references"] == [[HOSTILE], ["yes"]]
    assert data["examples"]["ids"] == [HOSTILE, "2"]
    assert data["systems"][0]["name"] == HOSTILE
    explained = unpacked(text, "explanations-0")
    assert explained[1][0]["tables"]["references"][0]["reference"] == "yes"


def test_the_policy_lets_run_what_the_page_holds_and_nothing_else():
    text = built()
    program = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)[0]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#x27;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest(program)}'",
        "style-src": f"'sha256-{digest(style)}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_nothing_is_fetched():
    text = built()
    addresses = set(re.findall(r"[a-z]+://[^\"'\s]*", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG, which nobody fetches
    assert not re.search(r"<(link|iframe|object|embed|img)\b|\bimport\(|\bfetch\(|XMLHttpRequest|WebSocket", text)


def test_the_program_parses_no_html():
    program = page._program()
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert unsafe not in program


def test_every_part_of_the_program_is_in_it_and_it_stays_small():
    assert {f"{name}.js" for name in page.PROGRAM} == {path.name for path in page.ASSETS.glob("*.js")}
    assert len(page._program()) < 54_000


def test_same_content_same_bytes():
    assert built() == built()


def test_lone_surrogates_and_undefined_numbers():
    document = {"text": "a\ud800b", "number": math.nan, "list": [math.inf, 1.5]}
    plain = json.loads(gzip.decompress(page.packed(document)))
    assert plain == {"text": "a\ud800b", "number": None, "list": [None, 1.5]}
    assert json.loads(gzip.decompress(page.packed({"number": math.nan}))) == {"number": None}
    assert unpacked(built(predictions=("a\ud800b", "no")), "data")["examples"]["predictions"] == [["a\ud800b", "no"]]


def test_pictures_stand_in_the_page():
    content = page.PageContent("t", {}, [], [ImageFile("image/png", b"\x89PNG")])
    text = b"".join(page.html_page(content)).decode()
    assert '<script type="image/png" id="image-0">iVBORw==</script>' in text
