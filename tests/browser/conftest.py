"""Chromium on the UI of a served Prefect; what it showed is kept as pictures in build/e2e."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(__file__).resolve().parents[2] / "build" / "e2e"
ACTION_TIMEOUT_MS = 60_000
# A flow run may have to wait for the device.
STATE_TIMEOUT_MS = 300_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Ui:
    """A page of the Prefect UI and the few things a person does on it."""

    def __init__(self, page: Page, url: str, test_name: str) -> None:
        self.page = page
        self._url = url
        self._test_name = test_name
        self._picture_count = 0

    def open(self, path: str) -> None:
        self.page.goto(f"{self._url}{path}", wait_until="domcontentloaded")

    def picture(self) -> None:
        """Keep what is shown now."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self._picture_count += 1
        self.page.screenshot(path=PICTURES / f"{self._test_name}-{self._picture_count}.png", full_page=True)

    def field(self, label: str) -> Locator:
        """The form field with this label; every field of the form has a default, so all are optional."""
        name = f'.schema-form-property__label:text-is("{label} (Optional)")'
        return self.page.locator(f".p-label:has(> .p-label__header {name})")

    def fill_number(self, label: str, value: float) -> None:
        self.field(label).locator("input[type=number]").fill(str(value))

    def fill_text(self, label: str, value: str) -> None:
        self.field(label).locator("textarea").fill(value)

    def fill_rows(self, label: str, values: list[int]) -> None:
        """Write one value a row; there must be that many rows at least, and what is left over is removed."""
        rows = self.field(label).locator(".p-draggable-list__item")
        expect(rows.first).to_be_visible()
        for left in range(rows.count() - 1, len(values) - 1, -1):
            rows.last.locator("button").first.click()
            expect(rows).to_have_count(left)
        for index, value in enumerate(values):
            rows.nth(index).locator("input[type=number]").fill(str(value))

    def add_chip(self, label: str, value: str) -> None:
        """Choose one more value of a list of choices."""
        self.field(label).locator(".p-select-button__control").focus()
        self.page.keyboard.press("Space")
        self.page.get_by_role("option").get_by_text(value, exact=True).click()
        self.page.mouse.click(5, 5)  # beside the list closes it
        expect(self.page.get_by_role("option")).to_have_count(0)
        expect(self.field(label).locator(".p-tag").get_by_text(value, exact=True)).to_be_visible()

    def submit(self) -> None:
        self.page.locator("button[type=submit]").click()


@pytest.fixture
def ui(browser: Browser, served: object, request: pytest.FixtureRequest) -> Iterator[Ui]:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(ACTION_TIMEOUT_MS)
    expect.set_options(timeout=STATE_TIMEOUT_MS)
    ui = Ui(page, served.url, request.node.name)
    yield ui
    ui.picture()
    page.close()
