"""What the page draws: bars true to scale, axes, the middle of distributions, paragraphs, cues, floors of p-values."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.report.page_content import page_content
from tests.report.page.page_browser import FILE_ORDER, contrast

pytestmark = pytest.mark.deep

N = 200
PHONE = {"width": 390, "height": 844}
LONG = "Bern " + "stands here. " * 200
RIGHT_TO_LEFT = "עיר הבירה היא ירושלים."
HOSTILE = "<img src=x onerror=window.broken=1><b>bold</b>"


def text(at):
    """The paragraph of an example: a wave before the answer takes two of the browser's characters."""
    if at == 1:
        return RIGHT_TO_LEFT
    return HOSTILE if at == 2 else LONG + "🌊 the tree 3." if at == 3 else f"🌊 Here stands the tree {at}. A paragraph."


def answer(at):
    return "ירושלים" if at == 1 else "bold" if at == 2 else f"the tree {at}"


def gold():
    qas = [
        {
            "context": text(at),
            "qas": [
                {
                    "id": f"q{at}",
                    "question": f"What stands at {at}?",
                    "answers": [{"text": answer(at), "answer_start": text(at).index(answer(at))}],
                }
            ],
        }
        for at in range(N)
    ]
    return {"data": [{"title": "trees" if half else "woods", "paragraphs": qas[half::2]} for half in (0, 1)]}


def run(prediction):
    return fullmarks.score("squad2", gold(), {f"q{at}": prediction(at) for at in range(N)})


@pytest.fixture(scope="module")
def runs():
    return {
        "old": run(lambda at: answer(at) if at % 40 == 0 else "no"),
        "new": run(lambda at: f"{answer(at)} today" if at % 20 == 1 else "no" if at % 2 == 0 else answer(at)),
    }


@pytest.fixture(scope="module")
def content(runs):
    made = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)), context=gold())
    return replace(made, explanations=list(made.explanations), contexts=list(made.contexts))


def texts(browser, selector):
    return browser.js("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)


def boxes(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect().toJSON())"
    return browser.js(script, selector)


def test_the_sentence_stands_on_top_before_any_program_runs(content, written):
    page = written(replace(content, headline=["new & old <b>", "more"])).read_text()
    assert "<p>new &amp; old &lt;b&gt;</p>\n<p>more</p>" in page
    assert page.index("new &amp; old") < page.index("<script")


def test_the_sentence_is_that_of_the_numbers(browser, content, written):
    browser.open(written(content))
    (first,) = texts(browser, "#headline p")
    assert first.startswith("new is better than old by ")
    assert first == content.headline[0]


def test_outcome_bars_are_true_to_scale(browser, content, written):
    browser.open(written(content))
    row = "#comparison tbody tr:last-child"
    counts = [int(each) for each in texts(browser, f"{row} .outcomes button")]
    widths = [box["width"] for box in boxes(browser, f"{row} .shares span")]
    assert sum(counts) == N
    assert min(counts) == 5
    for count, width in zip(counts, widths, strict=True):
        assert width / sum(widths) == pytest.approx(count / N, abs=0.001)


def test_strips_have_axes_with_round_numbers_in_their_places(browser, content, written):
    browser.open(written(content))
    card = "#scores .card:nth-child(2)"
    ticks = [float(each.replace("−", "-")) for each in texts(browser, f"{card} .ticks text")]
    places = [(box["left"] + box["right"]) / 2 for box in boxes(browser, f"{card} .ticks text")]
    assert 2 <= len(ticks) <= 10
    step = ticks[1] - ticks[0]
    assert step in (1, 2, 5, 10, 20, 50)
    values = [system["scores"][1][0] for system in content.document["systems"]]
    points = [(box["left"] + box["right"]) / 2 for box in boxes(browser, f"{card} .point")]
    per_unit = (places[-1] - places[0]) / (ticks[-1] - ticks[0])
    for value, point in zip(values, points, strict=True):
        assert point == pytest.approx(places[0] + (value - ticks[0]) * per_unit, abs=1.5)


def test_the_middle_of_a_distribution_has_a_scale_of_its_own(browser, content, written):
    browser.open(written(content))
    kinds = browser.js(
        "return [...document.querySelectorAll('.histogram')].map((e) => e.dataset.score + e.dataset.kind)"
    )
    assert kinds == ["0all", "1all", "1middle"]
    assert "No example is between 0 and 100." in texts(browser, "#distributions .card:first-child p")
    note = texts(browser, "#distributions .middle")[0]
    assert (
        note == "Only those between 0 and 100, on a scale of their own: old 0 examples (0 %), new 10 examples (5.0 %)"
    )
    middle = ".histogram[data-kind=middle]"
    assert max(box["height"] for box in boxes(browser, f"{middle} .bar")) > 100
    labels = browser.js(f"return [...document.querySelectorAll('{middle} .bin')].map((e) => e.ariaLabel)")
    assert all(label.startswith("new: ") for label in labels)
    assert "100.00" not in labels[-1].split(" to ")[0]
    browser.js(f"document.querySelector('{middle} .bin').dispatchEvent(new MouseEvent('click'))")
    shown = int(labels[0].split()[1])
    assert browser.found() == shown
    ids = content.document["examples"]["ids"]
    assert all(int(ids[at][1:]) % 20 == 1 for at in browser.rows())


def test_explanations_have_the_scale_of_the_page(browser, content, written):
    browser.open(written(content), view="#examples?id=q1")
    browser.detail("q1")
    cells = texts(browser, ".answer:last-child td.number")
    facts = content.explanations[0][content.document["examples"]["ids"].index("q1")][1]
    line = next(line for lines in facts["tables"].values() for line in lines if "f1" in line)
    expected = [f"{100 * line[name]:.2f}" for name in ("precision", "recall", "f1", "exact")]
    assert cells == expected


def test_the_paragraph_with_its_answer(browser, content, written):
    browser.open(written(content), view="#examples?id=q4")
    browser.detail("q4")
    assert texts(browser, ".context") == [text(4)]
    assert texts(browser, ".context mark.gold") == ["the tree 4"]
    assert texts(browser, ".about .quiet") == ["context · answers marked"]


def test_odd_paragraphs(browser, content, written):
    page = written(content)
    browser.open(page, view="#examples?id=q2")
    browser.detail("q2")
    assert texts(browser, ".context") == [HOSTILE]
    browser.open(page, view="#examples?id=q1")
    browser.detail("q1")
    assert texts(browser, ".context mark.gold") == ["ירושלים"]
    assert browser.js("return getComputedStyle(document.querySelector('.context')).unicodeBidi") == "plaintext"
    browser.open(page, view="#examples?id=q3", **PHONE)
    browser.detail("q3")
    (place,), (mark,) = boxes(browser, ".context"), boxes(browser, ".context mark")
    assert place["height"] <= 200
    assert place["top"] <= mark["top"] <= mark["bottom"] <= place["bottom"]  # moved into sight


def test_without_places_whole_words_of_references_are_marked(browser, runs, written):
    bare = [{"id": f"q{at}", "passage": text(at) + f" Treetops. the tree {at}0"} for at in range(N)]
    made = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)), context=bare)
    browser.open(written(made), view="#examples?id=q4")
    browser.detail("q4")
    assert texts(browser, ".context mark.gold") == ["the tree 4"]
    assert texts(browser, ".about .quiet") == ["context · words of a reference marked"]


def test_no_paragraphs_no_part_for_them(browser, runs, written):
    made = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200)))
    page = written(made)
    assert b'id="contexts-0"' not in page.read_bytes()
    browser.open(page, view="#examples?id=q4")
    browser.detail("q4")
    assert texts(browser, ".context") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_in_paragraphs_have_contrast(browser, content, written, scheme):
    browser.open(written(content), scheme=scheme, view="#examples?id=q4")
    browser.detail("q4")
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    for place in (".context mark", ".context"):
        assert contrast(*(browser.js(style, place, name) for name in ("color", "backgroundColor"))) >= 4.5
    back = browser.js(style, "#sections", "backgroundColor")
    for link in ("#sections a[aria-current]", "#sections a:not([aria-current])"):
        assert contrast(browser.js(style, link, "color"), back) >= 4.5


def test_the_bar_of_sections_stays_in_sight_and_tells_where_one_is(browser, content, written):
    browser.open(written(content), view=FILE_ORDER)
    browser.js("document.getElementById('examples').scrollIntoView()")
    browser.until("return document.querySelector('#sections [aria-current]').textContent === 'Examples'")
    (bar,), (section,) = boxes(browser, "#sections"), boxes(browser, "#examples h2")
    assert bar["top"] == 0
    assert section["top"] >= bar["bottom"]
    browser.find('#sections a[href="#comparison"]').click()
    browser.until("return document.querySelector('#sections [aria-current]').textContent === 'Comparison'")
    assert boxes(browser, "#comparison h2")[0]["top"] >= bar["bottom"]
    assert browser.js("return document.activeElement.id") == "comparison"


def test_tables_show_that_there_is_more_to_the_right(browser, content, written):
    page = written(content)
    more = "return document.querySelector('#comparison .scroller').classList.contains('more')"
    browser.open(page)
    assert not browser.js(more)
    browser.open(page, **PHONE)
    browser.until(more)
    assert browser.js("return getComputedStyle(document.querySelector('#comparison .cue')).display") == "block"
    browser.js("const place = document.querySelector('#comparison .scroll'); place.scrollLeft = place.scrollWidth")
    browser.until(f"return !({more[7:]})")
    assert browser.js("return document.querySelector('#comparison .scroll').tabIndex") == 0


def test_five_systems_have_cues_for_their_slices(browser, runs, written):
    five = {f"system {at}": list(runs.values())[at % 2] for at in range(5)}
    made = page_content(standings(five, main_score="f1", sampling=Sampling(resamples=200)))
    browser.open(written(made))
    browser.until("return document.querySelector('#slices .scroller').classList.contains('more')")
    assert browser.js("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert texts(browser, "#headline p")[0].startswith("Of 5 systems ")


def test_the_floor_of_p_values_is_named(browser, content, written):
    document = {**content.document, "differences": [dict(each) for each in content.document["differences"]]}
    exact, f1 = document["differences"]
    exact.update(p=1 / 10_001, pHolm=1 / 10_001, floor=10_000, pBootstrap=1e-9, bootstrapFloor=None)
    f1.update(p=1e-30, pHolm=1e-30, floor=None, pBootstrap=1 / 1_001, bootstrapFloor=1_000)
    browser.open(written(replace(content, document=document)))
    rows = [texts(browser, f"#comparison tbody tr:nth-child({row}) td")[3:6] for row in (1, 2)]
    assert rows == [["< 0.0001*", "< 0.0001*", "< 0.0001"], ["< 0.0001", "< 0.0001", "≤ 0.0010†"]]
    assert texts(browser, "#comparison > .quiet")[:2] == [
        "* p < 0.0001, the smallest that 10,000 random permutations can show: the true one may be smaller.",
        "† p ≤ 0.001, the smallest that 1,000 resamples can show: the true one may be smaller.",
    ]


def test_floors_are_those_of_the_tests(runs):
    document = page_content(standings(runs, main_score="f1", sampling=Sampling(resamples=200))).document
    for each in document["differences"]:
        assert each["bootstrapFloor"] == (200 if each["pBootstrap"] == 1 / 201 else None)
    assert any(each["bootstrapFloor"] for each in document["differences"])
