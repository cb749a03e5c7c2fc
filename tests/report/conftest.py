"""One browser for all tests of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.page_browser import CHROMIUM, DRIVER, FLAGS, Browser


@pytest.fixture(scope="session")
def driver():
    if not (Path(CHROMIUM).exists() and Path(DRIVER).exists()):
        pytest.skip("needs Debian's packages chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium (the extra 'dev')")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield started
    started.quit()


@pytest.fixture
def browser(driver):
    steered = Browser(driver)
    yield steered
    steered.check()
