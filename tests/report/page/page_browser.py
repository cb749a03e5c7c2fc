"""A page in Chromium, and what its readers do with it."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


MOST_SECONDS = 120
"""A safety net: no test waits longer for a page, however busy the machine is."""
FILE_ORDER = "#?sort=input"
"""The view in which examples stand as in the file."""


class Browser:
    """A page in Chromium, and what its users do with it."""

    def __init__(self, driver):
        self.driver = driver
        self._opened = 0
        self._shown_as = None

    def open(self, path, *, width=1280, height=900, scheme="light", view=""):
        if (width, height, scheme) != self._shown_as:
            self._show_as(width, height, scheme)
        self._opened += 1  # an address that differs after its # alone would not load the page anew
        self.driver.get(f"{path.as_uri()}?{self._opened}{view}")
        self.until("return document.documentElement.dataset.ready === 'yes'")

    def _show_as(self, width, height, scheme):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self._shown_as = (width, height, scheme)

    @contextmanager
    def on_paper(self):
        """As the page would be printed."""
        self._shown_as = None
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, *arguments):
        end = time.monotonic() + MOST_SECONDS
        while not self.js(condition, *arguments):
            assert time.monotonic() < end, f"never true: {condition}; {self.driver.get_log('browser')}"
            time.sleep(0.05)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def select(self, identifier, value):
        """Choose what a list offers under a value."""
        chosen = self.js(
            """const list = document.getElementById(arguments[0]);
            const option = [...list.options].find((each) => each.value === arguments[1]);
            if (!option || option.disabled || list.disabled) return false;
            list.focus();
            option.selected = true;
            for (const name of ["input", "change"]) list.dispatchEvent(new Event(name, { bubbles: true }));
            return true;""",
            identifier,
            str(value),
        )
        assert chosen, f"#{identifier} offers no {value}"

    def keys(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def found(self):
        """How many examples the page says are shown."""
        return int(self.js("return document.getElementById('found').textContent").split()[0].replace(",", ""))

    def rows(self):
        """The places of the examples in sight, in order."""
        return self.js("return [...document.querySelectorAll('.row[role=option]')].map((row) => +row.id.slice(4))")

    def chosen(self):
        return self.js("const row = document.querySelector('.row[aria-selected=true]'); return row && +row.id.slice(4)")

    def detail(self, identifier):
        """The text of the detail once it shows the example with this id."""
        place = "document.getElementById('detail')"
        self.until(f"return {place}.textContent.includes(arguments[0])", identifier)
        return self.js(f"return {place}.innerText")

    def check(self):
        """No error was logged, nothing was fetched but the file itself, and no text became an element."""
        assert self.driver.get_log("browser") == []
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        assert {url.split(":")[0] for url in sent} <= {"file", "data"}
        made = "document.querySelectorAll('#main b b, #detail b, .row b').length"
        assert self.js(f"return [window.broken ?? null, {made}]") == [None, 0]


def contrast(colour, other):
    """The contrast of two colours given as `rgb(r, g, b)`, from 1 to 21. Source: WCAG 2.2."""
    high, low = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
