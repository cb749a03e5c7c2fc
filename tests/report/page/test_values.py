"""Small pages in a real browser: missing scores, odd texts, keyboard, phone, paper and screen readers."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.report.page_content import page_content
from tests.report.page.page_browser import FILE_ORDER, contrast

pytestmark = pytest.mark.deep

N = 12
EXACT, F1 = 0, 1
ENTER, ESCAPE, TAB, SPACE, LEFT, RIGHT, END = "\ue007", "\ue00c", "\ue004", " ", "\ue012", "\ue014", "\ue010"
PHONE = {"width": 390, "height": 844}
NO_SIDEWAYS_SCROLL = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
FOCUS = "return document.activeElement.id || document.activeElement.textContent"
GOLD = [
    {
        "id": f"q{at}",
        "references": [f"the tree {at}"],
        "question": f"What stands at {at}?",
        "place": at,
        "kind": "x" if at else "",
    }
    for at in range(N)
]


def run(prediction):
    answers = [{"id": each["id"], "prediction": prediction(at)} for at, each in enumerate(GOLD)]
    return fullmarks.score("squad2", GOLD, answers, by=("place", "kind"))


def small_runs():
    old = run(lambda at: f"tree {at}" if at % 2 else f"tall tree {at}")
    new = run(lambda at: "  " if at == 1 else f"tree {at}" if at % 3 else f"tall {at}")
    return {"old": old, "new": new}


def content_of(runs):
    return page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)))


@pytest.fixture(scope="module")
def runs():
    return small_runs()


@pytest.fixture
def content(runs):
    """What a page of the runs holds, free to be changed."""
    made = content_of(runs)
    return replace(made, document=deepcopy(made.document), explanations=list(made.explanations))


def texts(browser, selector):
    return browser.js("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)


def attributes(browser, selector, name):
    script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.getAttribute(arguments[1]))"
    return browser.js(script, selector, name)


def take_scores(content, score, places):
    """Leave only the examples at these places with the score."""
    for scores in content.document["examples"]["scores"]:
        scores[score] = [value if at in places else None for at, value in enumerate(scores[score])]


def test_a_missing_score_is_not_zero(browser, content, written):
    take_scores(content, F1, {2, 3, 5})
    content.document["slices"][0]["values"][4]["scores"][1][F1] = [None, None, None]
    browser.open(written(content))
    mine = ".row .said:last-child .score"
    browser.select("order", "low")
    assert browser.rows()[:3] == [3, 2, 5]
    assert texts(browser, mine)[3:6] == ["–"] * 3
    browser.select("order", "high")
    assert browser.rows()[:3] == [2, 5, 3]
    for order in ("gain", "loss"):
        browser.select("order", order)
        assert set(browser.rows()[:3]) == {2, 3, 5}
    for outcome, number in zip(("fixed", "broken", "same"), (1, 1, 1), strict=True):
        browser.select("outcome", outcome)
        assert browser.found() == number
        assert texts(browser, f"#comparison tr:last-child button.{outcome}") == [str(number)]
    for outcome in ("full", "partial", "none"):
        browser.select("outcome", outcome)
        assert set(browser.rows()) <= {2, 3, 5}
    browser.select("slice-column", 0)
    assert texts(browser, "#slice-table tbody tr:nth-child(5) td:last-child")[0].strip()[0] == "–"


def test_less_is_better(browser, content, written):
    content.document["lessIsBetter"][F1] = True
    take_scores(content, F1, {0, 1, 2, 3})
    browser.open(written(content))
    assert [name.endswith("less is better") for name in texts(browser, "#scores .card h3")] == [False, True]
    assert [name.endswith("less is better") for name in texts(browser, "#comparison td:nth-child(2)")] == [False, True]
    browser.find("#comparison tr:last-child .fixed").click()
    assert sorted(browser.rows()) == [0, 1, 3]  # lower than the baseline's
    browser.select("outcome", "all")
    browser.select("order", "gain")
    assert browser.rows()[:2] == [1, 3]


def test_a_score_that_no_example_has(browser, content, written):
    take_scores(content, EXACT, ())
    take_scores(content, F1, {2, 3, 5, 6})
    browser.open(written(content), view=FILE_ORDER)
    assert attributes(browser, ".histogram", "data-score") == [str(F1)]
    assert texts(browser, "#comparison tbody tr:first-child td:last-child") == ["–"]
    shares = [float(re.search(r"\((\d+) %\)", label)[1]) for label in attributes(browser, ".bin", "aria-label")]
    assert sum(shares) == 200  # of each system's four examples
    browser.find("#row-2").click()
    browser.detail("q2")
    assert [badge.split()[0] for badge in texts(browser, "#detail .top .score")] == ["f1", "f1"]


def test_long_words_do_not_widen_a_phone(browser, content, written):
    document = content.document
    long = "x" * 400
    document["notes"] = [long]
    for system in document["systems"]:
        system["name"] = f"{system['name']}-{long}"
        finding = {"level": "note", "kind": long, "count": 1, "first_ids": [long], "detail": long}
        system["audit"]["findings"] = [finding]
    document["examples"]["predictions"][1][0] = long
    browser.open(written(content), **PHONE)
    assert browser.js(NO_SIDEWAYS_SCROLL)
    browser.open(written(content), width=320)
    assert browser.js(NO_SIDEWAYS_SCROLL)


def test_comparison_fits_a_desktop(browser, content, written):
    names = ["ImageCaptioning.METEOR", "ImageGeneration.FID"]
    content.document["scores"] = names
    content.document["scale"] = 1.0
    content.document["lessIsBetter"] = [False, True]
    browser.open(written(content), width=1280)
    fits = "const place = document.querySelector('#comparison .scroll'); return place.scrollWidth <= place.clientWidth"
    assert browser.js(fits)


def test_focus_stays_where_the_reader_is(browser, content, written):
    browser.open(written(content), view=FILE_ORDER)
    browser.js("document.querySelectorAll('#slice-table th button')[1].focus()")
    browser.keys(ENTER)
    assert browser.js(FOCUS).startswith("n ")
    browser.js("document.querySelector('#comparison .fixed').focus()")
    browser.keys(ENTER)
    assert browser.js(FOCUS) == "list"
    browser.js("document.querySelector('#chips button').focus()")
    browser.keys(ENTER)
    assert browser.js(FOCUS) == "search"


def test_escape_clears_the_search_after_an_example_was_chosen(browser, content, written):
    browser.open(written(content), view=FILE_ORDER)
    browser.find("#row-1").click()
    browser.find("#search").send_keys("q11")
    assert browser.found() == 1
    browser.keys(ESCAPE)
    assert browser.found() == N


def test_enter_of_an_input_method_stays_in_the_search(browser, content, written):
    browser.open(written(content))
    browser.find("#search").click()
    enter = "new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: arguments[0] })"
    browser.js(f"document.activeElement.dispatchEvent({enter})", True)
    assert browser.js(FOCUS) == "search"
    browser.js(f"document.activeElement.dispatchEvent({enter})", False)
    assert browser.js(FOCUS) == "list"


def test_a_histogram_is_one_stop_with_arrows(browser, content, written):
    browser.open(written(content))
    tabbed = (
        "return [...document.querySelectorAll('.histogram')].map((h) => h.querySelectorAll('[tabindex=\"0\"]').length)"
    )
    assert browser.js(tabbed) == [1, 1]
    browser.js('document.querySelector(\'.histogram[data-score="1"] [tabindex="0"]\').focus()')
    labels = attributes(browser, '.histogram[data-score="1"] .bin', "aria-label")
    label = "return document.activeElement.getAttribute('aria-label')"
    assert browser.js(label) == labels[0]
    browser.keys(RIGHT)
    assert browser.js(label) == labels[1]
    browser.keys(END)
    assert browser.js(label) == labels[-1]
    browser.keys(LEFT)
    assert browser.js(label) == labels[-2]
    assert browser.js(tabbed) == [1, 1]
    browser.keys(SPACE)
    assert f" {browser.found()} example" in labels[-2]
    assert browser.found() < N


def test_low_bars_are_easy_to_hit_and_never_negative(browser, content, written):
    browser.open(written(content))
    target = (
        "return Math.min(...[...document.querySelectorAll('.bin')].map((bin) => bin.getBoundingClientRect().height))"
    )
    assert browser.js(target) >= 140
    browser.open(written(content), width=100)
    assert all(float(width) >= 1 for width in attributes(browser, ".bar", "width"))


def test_names_for_screen_readers(browser, content, written):
    browser.open(written(content), view=FILE_ORDER)
    labels = attributes(browser, "#comparison tbody tr:last-child button", "aria-label")
    numbers = texts(browser, "#comparison tbody tr:last-child button")
    for label, number, words in zip(labels, numbers, ("better", "worse", "the same"), strict=True):
        noun = "example" if number == "1" else "examples"
        assert label == f"new {words} on {number} {noun}: show them"
    browser.detail("q0")
    assert browser.js("return document.querySelectorAll('th:not([scope])').length") == 0
    assert browser.js("return document.querySelectorAll('table:not([aria-label])').length") == 0
    firsts = "return [...document.querySelectorAll('tbody tr')].map((row) => row.cells[0].scope)"
    assert set(browser.js(firsts)) == {"row"}
    assert attributes(browser, "#row-0 .said", "title") == ["old", "new"]
    assert texts(browser, "#row-0 .unseen") == ["old: ", "new: "]


def test_slices_sort_as_numbers_and_lead_to_their_examples(browser, content, written):
    places = next(each for each in content.document["slices"] if each["column"] == "place")
    places["values"].reverse()
    places["codes"] = [N - 1 - code for code in places["codes"]]
    browser.open(written(content))
    column = content.document["slices"].index(places)
    browser.select("slice-column", column)
    browser.find("#slice-table th button").click()
    assert texts(browser, "#slice-table tbody th") == [str(place) for place in range(N)]
    browser.select("slice-score", EXACT)
    browser.js("document.querySelectorAll('#slice-table .link')[3].click()")
    assert browser.rows() == [3]
    assert browser.find("#score").get_property("value") == str(EXACT)


def test_labels_that_are_empty_or_no_texts(browser, content, written):
    kinds = next(at for at, each in enumerate(content.document["slices"]) if each["column"] == "kind")
    browser.open(written(content), view=FILE_ORDER)
    assert texts(browser, f"#filter-{kinds} option") == ["any", "(empty) (1)", "x (11)"]
    browser.select(f"filter-{kinds}", 0)
    assert texts(browser, "#chips button") == ["kind: (empty) ×"]
    content.document["slices"][kinds]["values"][0]["label"] = True
    content.document["examples"]["columns"]["flag"] = [False] * N
    browser.open(written(content), view=FILE_ORDER)
    assert texts(browser, f"#filter-{kinds} option")[1] == "true (1)"
    browser.detail("q0")
    facts = dict(zip(texts(browser, "#detail > .facts dt"), texts(browser, "#detail > .facts dd"), strict=True))
    assert (facts["kind"], facts["flag"]) == ("true", "false")


def test_the_first_column_of_slices_stays_in_sight(browser, content, written):
    browser.open(written(content), **PHONE)
    left = "return document.querySelector('#slice-table tbody th').getBoundingClientRect().left"
    before = browser.js(left)
    browser.js("document.getElementById('slice-table').scrollLeft = 200")
    assert browser.js("return document.getElementById('slice-table').scrollLeft") > 0
    assert browser.js(left) == before


def test_back_closes_the_example_on_a_phone(browser, content, written):
    browser.open(written(content), view=FILE_ORDER, **PHONE)
    address = browser.driver.current_url
    detail = browser.find("#detail")
    browser.find("#row-1").click()
    assert detail.is_displayed()
    browser.driver.back()
    browser.until("return !document.getElementById('explorer').classList.contains('open')")
    assert not detail.is_displayed()
    assert browser.driver.current_url == address
    browser.find("#row-2").click()
    browser.detail("q2")
    assert browser.js("return document.getElementById('list').inert && document.querySelector('header').inert")
    for _ in range(4):
        browser.keys(TAB)
        assert browser.js(
            "return document.body === document.activeElement || !!document.activeElement.closest('#detail')"
        )
    browser.find("#detail .close").click()
    assert not detail.is_displayed()
    assert browser.js("return document.querySelectorAll('[inert]').length") == 0
    assert browser.js(FOCUS) == "list"
    browser.until("return history.state === null")


def test_controls_on_a_phone_do_not_make_it_zoom(browser, content, written):
    browser.open(written(content), **PHONE)
    sizes = "return [...document.querySelectorAll('input, select')].map((each) => getComputedStyle(each).fontSize)"
    assert set(browser.js(sizes)) == {"16px"}


def test_one_example(browser, written):
    gold = [{"id": "1", "references": ["Paris", "the city"], "question": "Where?"}]
    runs = {
        name: fullmarks.score("squad2", gold, [{"id": "1", "prediction": answer}])
        for name, answer in (("blank", " \n"), ("full", "Paris"))
    }
    browser.open(written(content_of(runs)))
    assert texts(browser, "#found") == ["1 example"]
    assert " 1 example " in texts(browser, "#subtitle")[0]
    assert texts(browser, ".row .cut") == ["(blank)", "Paris"]
    assert texts(browser, ".row .gold bdi") == ["Paris", "the city"]
    official = dict(
        zip(texts(browser, "#scores tbody th"), texts(browser, "#scores tbody td:nth-child(2)"), strict=True)
    )
    assert (official["total"], official["exact"]) == ("1", "0.00")


def test_numbers_are_short_and_signed_alike(browser, content, written):
    facts = {"first try": 2 / 3, "moved by": -0.0075074580009, "right": True, "nothing": []}
    explained = {"facts": facts, "tables": {"references": [{"reference": "a", "similarity": 0.00001}]}}
    content.document["differences"][0]["effect"] = -0.25
    changed = replace(content, explanations=[[[explained, explained]] * N])
    browser.open(written(changed))
    browser.until("return document.querySelectorAll('.answer').length === 2")
    assert texts(browser, ".answer:last-child dd") == ["0.6667", "−0.007507", "true", "(none)"]
    assert texts(browser, ".answer:last-child td") == ["1.0e−3"]  # in the scale of the scores, 0 to 100
    assert texts(browser, "#comparison tbody tr:first-child td:nth-child(9)")[0].startswith("−0.250")


def test_very_long_texts_leave_the_rest_in_reach(browser, content, written):
    long = "x" * 20_000
    facts = {"tokens": [long]}
    explained = {"facts": facts, "tables": {"references": [{"reference": long, "f1": 0.5}]}}
    content.document["examples"]["predictions"][0][0] = long
    changed = replace(content, explanations=[[[explained, explained]] * N])
    browser.open(written(changed), view=FILE_ORDER)
    browser.until("return document.querySelectorAll('.answer').length === 2")
    size = "const { scrollWidth, clientWidth, scrollHeight } = document.getElementById('detail');"
    wide, fits, tall = browser.js(f"{size} return [scrollWidth, clientWidth, scrollHeight]")
    assert wide <= fits
    assert tall < 3000
    tables = "return [...document.querySelectorAll('#detail .scroll')].every((e) => e.scrollWidth <= e.clientWidth)"
    assert browser.js(tables)


def test_right_to_left_texts_keep_their_own_direction(browser, content, written):
    content.document["examples"]["references"][0] = ["שלום (1)", "tree"]
    browser.open(written(content), view=FILE_ORDER)
    browser.detail("q0")
    style = "const { unicodeBidi, textAlign } = getComputedStyle(document.querySelector(arguments[0]));"
    for place in (".row .head", ".row .gold", ".cut", ".words", ".facts dd", ".detail h3", ".text .fold", ".link"):
        assert browser.js(f"{style} return [unicodeBidi, textAlign]", place) == ["plaintext", "left"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ten_systems_have_ten_colours_and_the_next_a_ring(browser, runs, written, scheme):
    many = {f"system {at}": list(runs.values())[at % 2] for at in range(11)}
    browser.open(written(content_of(many)), scheme=scheme, view=FILE_ORDER)
    style = "return [...document.querySelectorAll('#row-0 .dot')].map((dot) => getComputedStyle(dot)[arguments[0]])"
    colours = browser.js(style, "backgroundColor")
    assert len(set(colours[:10])) == 10
    assert browser.js(style, "borderTopColor")[10] == colours[0]
    assert colours[10] == "rgba(0, 0, 0, 0)"
    card = browser.js("return getComputedStyle(document.querySelector('.card')).backgroundColor")
    assert min(contrast(colour, card) for colour in colours[:10]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_and_controls_have_contrast(browser, content, written, scheme):
    browser.open(written(content), scheme=scheme)
    browser.find("#search").send_keys("tree")
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    mark = [browser.js(style, ".gold mark", name) for name in ("color", "backgroundColor")]
    assert contrast(*mark) >= 4.5
    for control in ("#search", "#order"):
        edge = [browser.js(style, control, name) for name in ("borderTopColor", "backgroundColor")]
        assert contrast(*edge) >= 3


def test_search_takes_the_room_there_is(browser, content, written):
    browser.open(written(content))
    assert browser.find("#search").size["width"] > 220
    assert browser.find("#help-button").size["height"] < 40


def test_paper_is_light_and_cuts_nothing(browser, content, written):
    browser.open(written(content), width=1032, scheme="light")
    light = browser.js("return getComputedStyle(document.body).backgroundColor")
    browser.find("#theme").click()
    with browser.on_paper():
        assert browser.js("return getComputedStyle(document.body).backgroundColor") == light
        assert not browser.find("#examples").is_displayed()
        assert not browser.find("nav").is_displayed()
        overflow = "return [...document.querySelectorAll('.scroll')].map((each) => getComputedStyle(each).overflow)"
        assert set(browser.js(overflow)) == {"visible"}
        assert browser.js(NO_SIDEWAYS_SCROLL)
