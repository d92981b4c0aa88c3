"""Fixtures: a browser, a relay, and pages that fail their test for an error in the console or a request to another origin."""

import os
import pathlib

import pytest
from playwright.sync_api import expect, sync_playwright

from relay import Relay

ARTIFACTS = pathlib.Path(os.environ["WEB_ARTIFACTS"])
CHROMIUM = os.environ["CHROMIUM"]
# The machine that runs the checks may be slow; a step that waits ends as soon as its condition holds.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-precise-memory-info"])
        yield browser
        browser.close()


@pytest.fixture
def relay(tmp_path):
    relay = Relay(tmp_path).start()
    yield relay
    relay.stop()


@pytest.fixture
def open_page(browser, relay):
    """Opens pages of the relay: `open_page(path, **options of the browser's context)`. `allows` is the address of another server."""
    contexts, faults = [], []

    def open_page(path="/", fails_to_load=False, allows=None, **options):
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()

        def console(message):
            is_load = "Failed to load resource" in message.text or "net::ERR" in message.text
            if message.type in ("error", "warning") and not (fails_to_load and is_load):
                faults.append(message.text)

        def request(sent):
            if not sent.url.startswith((relay.address, allows or relay.address)):
                faults.append(f"a request to {sent.url}")

        def dialog(opened):
            faults.append(f"a script ran: {opened.message}")
            opened.dismiss()

        page.on("console", console)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", request)
        page.on("dialog", dialog)
        page.goto(relay.address + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def rows(page, grid):
    """The rows of a grid that are shown."""
    return page.get_by_role("grid", name=grid).locator(".grid-body .grid-row:not([hidden])")


def query_box(page):
    return page.get_by_label("Query", exact=True)


def ask(page, text):
    """Types a query and runs it."""
    query_box(page).fill(text)
    query_box(page).press("Enter")
