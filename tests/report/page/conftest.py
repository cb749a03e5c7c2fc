"""One browser for all tests of the page, in each process that runs tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fullmarks.report.html_page import PageContent, html_page
from tests.report.page.page_browser import CHROMIUM, DRIVER, FLAGS, Browser


@pytest.fixture(scope="session")
def started_browser() -> Iterator[Browser]:
    if not (Path(CHROMIUM).exists() and Path(DRIVER).exists()):
        pytest.skip("needs Chromium: apt install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: make install")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield Browser(driver)
    driver.quit()


@pytest.fixture
def browser(started_browser: Browser) -> Iterator[Browser]:
    """The browser; after the test nothing may be wrong with the page."""
    yield started_browser
    started_browser.check()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[PageContent], Path]:
    """Write the page of this content."""

    def write(content: PageContent) -> Path:
        path = tmp_path / "report.html"
        path.write_bytes(b"".join(html_page(content)))
        return path

    return write
