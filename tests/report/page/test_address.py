"""The view in the page's address: links open it, Back and Forward walk through it, and no address breaks the page."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.report.html_page import html_page
from fullmarks.report.page_content import page_content

N = 12
PHONE = {"width": 390, "height": 844}
HOSTILE = "</script><b>&id=q3#?=%"
KINDS = [HOSTILE, "plain", 1, "1"]
OPEN = "return document.getElementById('explorer').classList.contains('open')"


def run(prediction):
    gold = [
        {"id": f"q{at}", "references": [f"the tree {at}"], "question": f"What stands at {at}?", "kind": KINDS[at % 4]}
        for at in range(N)
    ]
    answers = [{"id": each["id"], "prediction": prediction(at)} for at, each in enumerate(gold)]
    return fullmarks.score("squad2", gold, answers, by=("kind",))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    runs = {
        HOSTILE: run(lambda at: f"tree {at}" if at % 2 else f"tall tree {at}"),
        "new": run(lambda at: f"tree {at}" if at % 3 else "no"),
    }
    content = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)))
    path = tmp_path_factory.mktemp("page") / "report of #1.html"
    path.write_bytes(b"".join(html_page(content)))
    return path


def asked(browser):
    """What the address says after the section."""
    return {name: values[0] for name, values in parse_qs(urlsplit(browser.driver.current_url).fragment[9:]).items()}


def address(browser):
    return urlsplit(browser.driver.current_url).fragment


def opened(browser):
    return browser.js("return document.querySelector('#detail h3').textContent")


def test_largest_change_comes_first(browser, page):
    browser.open(page)
    assert address(browser) == ""
    assert browser.find("#order").get_property("value") == "change"
    # broken by a whole mark first, then by part of one, then fixed by part of one, then all that stayed
    assert browser.rows() == [3, 9, 0, 6, 2, 4, 8, 10, 1, 5, 7, 11]
    browser.select("outcome", "fixed")
    assert browser.rows() == [2, 4, 8, 10]


def test_filters_stand_in_the_address_and_a_link_opens_them(browser, page):
    browser.open(page)
    browser.select("outcome", "broken")
    browser.select("order", "low")
    browser.select("score", 0)
    browser.select("filter-0", 0)
    browser.find("#search").send_keys("stands")
    browser.until("return location.hash.includes('words=stands')")
    expected = {"words": "stands", "show": "broken", "sort": "low", "score": "exact", "in.kind": HOSTILE}
    assert asked(browser) == expected
    rows, link = browser.rows(), "#" + address(browser)
    browser.open(page, view=link)
    assert browser.rows() == rows
    assert browser.find("#search").get_property("value") == "stands"
    values = {name: browser.find(f"#{name}").get_property("value") for name in ("outcome", "order", "score")}
    assert values == {"outcome": "broken", "order": "low", "score": "0"}
    assert browser.find("#filter-0").get_property("value") == "0"


def test_back_and_forward_walk_through_the_views(browser, page):
    browser.open(page)
    browser.select("outcome", "broken")
    broken = browser.rows()
    browser.find("#row-9").click()
    browser.until("return location.hash.includes('id=q9')")
    browser.select("outcome", "fixed")
    assert browser.found() == 4
    browser.driver.back()
    browser.until("return location.hash.includes('id=q9')")
    assert browser.rows() == broken
    assert (browser.chosen(), opened(browser)) == (9, "What stands at 9?")
    browser.driver.back()
    browser.until("return !location.hash.includes('id=q9')")
    assert browser.rows() == broken
    browser.driver.back()
    browser.until("return document.getElementById('outcome').value === 'all'")
    assert browser.found() == N
    browser.driver.forward()
    browser.driver.forward()
    browser.until("return location.hash.includes('id=q9')")
    assert browser.rows() == broken


def test_walking_by_keys_replaces_the_entry(browser, page):
    browser.open(page)
    entries = browser.js("return history.length")
    browser.find("body").send_keys("jj")
    browser.until("return location.hash.includes('id=q0')")
    assert browser.js("return history.length") == entries


def test_a_bar_and_an_example_of_it(browser, page):
    browser.open(page)
    browser.js("document.querySelector('.histogram[data-score=\"1\"] .bin').dispatchEvent(new MouseEvent('click'))")
    rows, link = browser.rows(), "#" + address(browser)
    assert "bar" in asked(browser)
    browser.open(page, view=f"{link}&id=q{rows[-1]}")
    assert browser.rows() == rows
    assert browser.chosen() == rows[-1]


def test_values_that_look_alike_are_told_apart(browser, page):
    for place in (2, 3):
        browser.open(page)
        browser.select("filter-0", place)
        rows, link = browser.rows(), "#" + address(browser)
        assert {at % 4 for at in rows} == {place}
        browser.open(page, view=link)
        assert browser.rows() == rows


def test_sections_keep_the_filters(browser, page):
    browser.open(page)
    browser.select("outcome", "fixed")
    browser.find('#sections a[href="#scores"]').click()
    assert address(browser) == "scores?show=fixed"
    assert browser.found() == 4
    browser.open(page, view="#slices?show=fixed")
    assert browser.found() == 4
    top = "return Math.round(document.getElementById('slices').getBoundingClientRect().top)"
    assert 30 < browser.js(top) < 120 or browser.js("return innerHeight + scrollY >= document.body.scrollHeight - 2")


@pytest.mark.parametrize(
    "view",
    [
        "#examples?show=constructor&sort=__proto__&score=x&system=y&in.kind=z&id=nobody&bar=1,2,3,4",
        "#examples?bar=99,0,all,1",
        "#examples?bar=0,0,middle,20",
        "#" + quote(HOSTILE),
        "#examples?%E0%A4%A",
        "#main",
        "#" + "x" * 5000,
    ],
)
def test_odd_addresses_show_the_first_view(browser, page, view):
    browser.open(page, view=view)
    assert browser.found() == N
    assert browser.chosen() == 3
    assert browser.js("return document.querySelectorAll('#chips button').length") == 0


def test_a_link_to_an_example_opens_it_on_a_phone(browser, page):
    browser.open(page, view="#examples?id=q5", **PHONE)
    assert browser.js(OPEN)
    assert "q5" in browser.detail("q5")
    browser.find("#detail .close").click()
    assert not browser.js(OPEN)
    browser.until("return !location.hash.includes('id=')")


def test_closing_on_a_phone_keeps_the_place_in_the_list(browser, page):
    browser.open(page, view="#examples?sort=input", **PHONE)
    browser.js("document.getElementById('list').scrollTop = 400")
    browser.until("return document.getElementById('row-6') !== null")
    before = browser.js("return document.getElementById('list').scrollTop")
    browser.find("#row-6").click()
    assert browser.js(OPEN)
    browser.driver.back()
    browser.until(f"return !({OPEN[7:]})")
    assert abs(browser.js("return document.getElementById('list').scrollTop") - before) < 120
    assert browser.chosen() == 6
