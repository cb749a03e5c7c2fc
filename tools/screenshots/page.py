"""Takes the pictures of the report page in docs: light, dark, on a phone, and of five systems.

    python tools/screenshots/page.py [FOLDER]

The data are invented (`invented.py`). Needs Debian's packages chromium and chromium-driver, selenium and Pillow.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from invented import gold, predictions
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import fullmarks
from fullmarks.analysis.standings import standings
from fullmarks.report.html_page import html_page
from fullmarks.report.page_content import page_content

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
SYSTEMS = {"matcher": 0.62, "reader": 0.76, "reader-large": 0.83, "ensemble": 0.85, "no-context": 0.41}
MOST_BYTES = 300_000
COLOURS = 192
WIDE, PHONE = (1280, 900), (390, 844)
SLICES_BY_TITLE = """
const column = document.getElementById("slice-column");
column.value = [...column.options].findIndex((option) => option.text.startsWith("title"));
column.dispatchEvent(new Event("change"));
"""


def main(folder: Path) -> None:
    """Write the four pictures."""
    data = gold()
    runs = {
        name: fullmarks.score("squad2", data, predictions(data, skill, seed))
        for seed, (name, skill) in enumerate(SYSTEMS.items())
    }
    two = {name: runs[name] for name in ("matcher", "reader")}
    with tempfile.TemporaryDirectory() as place:
        pages = {name: Path(place) / f"{name}.html" for name in ("two", "five")}
        _write(two, data, pages["two"])
        _write(runs, data, pages["five"])
        driver = _started()
        try:
            _take(driver, pages["two"], folder / "report.png", WIDE, "light", "")
            _take(driver, pages["two"], folder / "report-dark.png", WIDE, "dark", SLICES_BY_TITLE)
            _take(driver, pages["two"], folder / "report-phone.png", PHONE, "light", SLICES_BY_TITLE)
            _take(driver, pages["five"], folder / "report-five.png", WIDE, "light", SLICES_BY_TITLE)
        finally:
            driver.quit()


def _write(runs: dict[str, Any], data: dict[str, Any], path: Path) -> None:
    content = page_content(standings(runs, main_score="f1"), title="Invented towns", context=data)
    path.write_bytes(b"".join(html_page(content)))


def _started() -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(DRIVER))


def _take(driver: Any, page: Path, out: Path, size: tuple[int, int], scheme: str, prepare: str) -> None:
    """The whole page as a PNG of few colours; an error where it is still too large for the documentation."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get("about:blank")
    driver.get(page.as_uri())
    end = time.monotonic() + 20
    while not driver.execute_script("return document.querySelectorAll('.answer').length"):
        if time.monotonic() > end:
            raise SystemExit(f"{out.name}: the page was never ready")
        time.sleep(0.05)
    driver.execute_script(prepare)
    time.sleep(0.5)
    length = driver.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": length, "scale": 1}
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    picture = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(out, optimize=True)
    if out.stat().st_size >= MOST_BYTES:
        raise SystemExit(f"{out}: {out.stat().st_size:,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs")
