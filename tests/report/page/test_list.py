"""The list of examples in a real browser: searched, sorted, filtered, read and steered by keys, on any screen."""

from __future__ import annotations

import shutil

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.report.html_page import html_page
from fullmarks.report.page_content import page_content
from tests.report.page.page_browser import FILE_ORDER

HOSTILE = "</script><img src=x onerror=window.broken=1><b>bold</b>"
QUESTIONS = 3_000


def questions():
    for at in range(QUESTIONS):
        yield {
            "id": f"q{at}",
            "references": [f"the tall tree {at}"],
            "kind": f"kind {at % 3}",
            "question": HOSTILE if at == 7 else f"What stands at place {at}?",
        }


def predictions(wrong):
    return [
        {"id": f"q{at}", "prediction": HOSTILE if at == 7 else f"tall tree {at}" if at % wrong else f"tall {at}"}
        for at in range(QUESTIONS)
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    gold = list(questions())
    runs = {
        name: fullmarks.score("squad2", gold, predictions(wrong), by=("kind",))
        for name, wrong in (("old", 4), ("new", 10))
    }
    content = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)))
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(b"".join(html_page(content)))
    return path


def fixed():
    return sum(1 for at in range(QUESTIONS) if at % 4 == 0 and at % 10 and at != 7)


def broken():
    return sum(1 for at in range(QUESTIONS) if at % 10 == 0 and at % 4 and at != 7)


def test_only_rows_in_sight_exist(browser, page):
    browser.open(page, view=FILE_ORDER)
    assert browser.found() == QUESTIONS
    assert browser.rows()[:3] == [0, 1, 2]
    assert len(browser.rows()) < 40
    browser.js("const list = document.getElementById('list'); list.scrollTop = list.scrollHeight")
    browser.until("return document.getElementById(`row-${arguments[0]}`) !== null", QUESTIONS - 1)
    assert len(browser.rows()) < 40


def test_search(browser, page):
    browser.open(page)
    browser.keys("/")
    browser.keys(f"PLACE {QUESTIONS - 1}")
    assert browser.found() == 1
    assert browser.rows() == [QUESTIONS - 1]
    assert browser.js("return document.querySelector('.row mark').textContent") == "place"
    browser.find("#search").clear()
    browser.find("#search").send_keys("no such words")
    browser.until("return document.getElementById('rows').textContent === 'No example fits.'")
    assert browser.chosen() is None
    browser.keys("\ue00c")  # Escape
    assert browser.found() == QUESTIONS


def test_sort_by_score_and_difference(browser, page):
    browser.open(page)
    browser.select("order", "low")
    assert browser.rows()[:4] == [7, 0, 10, 20]
    browser.select("system", 0)
    assert browser.rows()[:4] == [7, 0, 4, 8]
    browser.select("system", 1)
    browser.select("order", "gain")
    assert browser.rows()[:4] == [4, 8, 12, 16]
    browser.select("order", "loss")
    assert browser.rows()[:4] == [10, 30, 50, 70]


def test_filter_by_outcome_slice_and_bar(browser, page):
    browser.open(page)
    browser.select("outcome", "fixed")
    assert browser.found() == fixed()
    browser.select("outcome", "broken")
    assert browser.found() == broken()
    browser.select("filter-0", 2)
    assert browser.found() == sum(1 for at in range(QUESTIONS) if at % 10 == 0 and at % 4 and at % 3 == 2)
    assert all(place % 3 == 2 for place in browser.rows())
    browser.find("#chips button").click()
    assert browser.found() == broken()
    assert browser.find("#comparison .outcomes .fixed").text == f"{fixed():,}"
    browser.js("document.querySelector('#comparison .outcomes .fixed').click()")
    assert browser.found() == fixed()
    browser.js("document.querySelector('#slice-table tbody .link').click()")
    assert browser.found() == QUESTIONS // 3
    bar = "document.querySelector('.histogram[data-score=\"1\"] .bin[aria-label^=new]')"
    assert "1 example (< 0.1 %)" in browser.js(f"return {bar}.getAttribute('aria-label')")
    browser.js(f"{bar}.dispatchEvent(new MouseEvent('click'))")
    assert browser.found() == 1
    assert browser.rows() == [7]


def test_explanations_mark_the_matched_tokens(browser, page):
    browser.open(page, view=FILE_ORDER)
    browser.find("#search").send_keys("q20")
    browser.find("#row-20").click()
    text = browser.detail("q20")
    assert "What stands at place 20?" in text
    marked = (
        "return [...document.querySelectorAll('.answer:last-child dd .token.match')].map((each) => each.textContent)"
    )
    assert browser.js(marked) == ["tall", "20"]
    in_reference = "return [...document.querySelectorAll('.answer:last-child td .token')].map((each) => each.className)"
    assert browser.js(in_reference) == ["token match", "token", "token match"]
    assert "f1 80.00" in text


def test_texts_stay_texts(browser, page):
    browser.open(page)
    browser.find("#search").send_keys("onerror")
    assert browser.rows() == [7]
    assert HOSTILE in browser.detail("q7")


def test_keys(browser, page):
    browser.open(page, view=FILE_ORDER)
    browser.find("body").send_keys("jjj")
    assert browser.chosen() == 3
    browser.keys("k")
    assert browser.chosen() == 2
    browser.keys("\ue015")  # arrow down
    assert browser.chosen() == 3
    browser.keys("\ue010")  # End
    assert browser.chosen() == QUESTIONS - 1
    assert f"q{QUESTIONS - 1}" in browser.detail(f"q{QUESTIONS - 1}")
    active = "return document.getElementById('list').getAttribute('aria-activedescendant')"
    assert browser.js(active) == f"row-{QUESTIONS - 1}"
    browser.keys("\ue011")  # Home
    assert browser.chosen() == 0
    browser.keys("?")
    assert browser.js("return document.getElementById('help').open")
    browser.keys("\ue00c")
    assert not browser.js("return document.getElementById('help').open")


def test_light_and_dark(browser, page):
    shade = "return getComputedStyle(document.body).backgroundColor"
    browser.open(page, scheme="light")
    light = browser.js(shade)
    browser.open(page, scheme="dark")
    dark = browser.js(shade)
    assert light != dark
    browser.find("#theme").click()
    assert browser.js(shade) == light
    browser.find("body").send_keys("t")
    assert browser.js(shade) == dark


def test_on_a_phone(browser, page):
    browser.open(page, width=390, height=844, view=FILE_ORDER)
    assert browser.js("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert not browser.find("#detail").is_displayed()
    browser.find("#row-1").click()
    assert browser.find("#detail").is_displayed()
    assert "q1" in browser.detail("q1")
    browser.keys("\ue00c")
    assert not browser.find("#detail").is_displayed()


def test_slices_sort_by_their_headings(browser, page):
    browser.open(page)
    labels = "return [...document.querySelectorAll('#slice-table tbody th')].map((each) => each.textContent)"
    assert browser.js(labels) == ["kind 0", "kind 1", "kind 2"]
    heading = "document.querySelector('#slice-table th button').click()"
    browser.js(f"{heading}; {heading}")
    assert browser.js(labels) == ["kind 2", "kind 1", "kind 0"]


@pytest.mark.deep
def test_real_systems(browser, real_data, tmp_path):
    folder = real_data / "squad"
    runs = {
        name: fullmarks.score("squad2", folder / "dev-v2.0.json", folder / f"{name}.json") for name in ("bidaf", "bert")
    }
    content = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=1000)))
    path = tmp_path / "report.html"
    path.write_bytes(b"".join(html_page(content)))
    assert path.stat().st_size < 2_000_000
    browser.open(path)
    scores = [each.text for each in browser.driver.find_elements("css selector", "#scores .standing b")]
    assert scores == ["65.70", "78.74", "67.88", "81.78"]
    assert "+13.90" in browser.find("#comparison").text
    outcomes = browser.driver.find_elements("css selector", "#comparison tbody tr:first-child button")
    assert [each.text for each in outcomes] == ["2,348", "800", "8,725"]
    browser.find("#comparison .outcomes .broken").click()
    exact = [each["exact"] for each in runs["bidaf"].per_example], [each["exact"] for each in runs["bert"].per_example]
    assert browser.found() == sum(1 for before, after in zip(*exact, strict=True) if after < before) == 800
    browser.find("#search").send_keys("king")
    browser.select("order", "loss")
    assert 0 < browser.found() < 800
    first = runs["bert"].per_example[browser.rows()[0]]
    assert first["question"] in browser.detail(first["id"])
    shutil.copy(path, tmp_path / "moved.html")  # one file is all of it
    browser.open(tmp_path / "moved.html")
    assert browser.found() == 11_873
