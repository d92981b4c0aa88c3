"""Accessibility by axe-core's rules, and the page's appearance at three widths in both colour schemes."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import ARTIFACTS, rows
from relay import client, event, moment, scenario

WIDTHS = [360, 1280, 2560]


def fill(relay):
    """A store as of three hosts, one of which reports an error."""
    relay.save(client("anna-7f3a", deviceModel="iPhone16,1"), client("ben-92c1", deviceModel="iPad14,3", appVersion="2.0"),
               client("carol-41d8", enabled=False, deviceModel="MacBookPro18,1", osVersion="macOS 15.2"),
               client("dora-e05b", paused=True), client("emil-1a2b", lastSeen={"date": moment(-7200)}))
    relay.save(*(scenario(name, "anna-7f3a", enabled=name == "NetworkRequests", expires={"date": moment(540)})
                 for name in ["NetworkRequests", "DataSync", "UserInteraction"]))
    relay.save({"recordType": "TelemetryCommand", "recordName": "command-1", "fields": {
        "commandId": "1", "clientid": "anna-7f3a", "action": "enableScenario", "scenarioName": "NetworkRequests", "lease": 600, "logLevel": "diagnostic",
        "status": "executed", "created": {"date": moment(-60)}, "executedAt": {"date": moment(-59)}, "issuer": "support"}})
    names = ["request.started", "request.finished", "sync.started", "button.tapped"]
    for identifier, count, version, model in [("anna-7f3a", 160, "2.1", "iPhone16,1"), ("ben-92c1", 90, "2.0", "iPad14,3")]:
        relay.append([event(
            number, "request.failed" if number % 23 == 22 else names[number % 4], eventId=f"{identifier}{number}", sequence=number + (4 if number > 150 else 0),
            eventTimestamp=moment(number * 4 - 640), scenario=["NetworkRequests", "NetworkRequests", "DataSync", "UserInteraction"][number % 4],
            property1=f"GET /notes/{number} → 503" if number % 23 == 22 else f"GET /notes/{number}",
            attributes={"ms": number * 7 % 90, "severity": "error" if number % 23 == 22 else "warning" if number % 11 == 5 else "info"}) for number in range(count)],
            clientid=identifier, sessionId=f"session-{identifier}", appVersion=version, deviceModel=model)
    relay.append([event(1, "telemetry.session", eventId="end", scenario=None, eventTimestamp=moment(-5), property1="SIGSEGV", attributes={
        "session": "session-ben-92c1", "end": "signal", "signal": "SIGSEGV", "lastActive": {"date": moment(-30)}, "appVersion": "2.0",
        "backtrace": "0 sync() in App at Sync.swift:12\n1 main in App"})], clientid="ben-92c1", sessionId="session-next")


VIEWS = {
    "clients": ("/#/clients", lambda page: rows(page, "Clients").nth(4)),
    "client": ("/#/client?id=anna-7f3a", lambda page: page.get_by_role("region", name="Commands")),
    "events": ("/#/events", lambda page: rows(page, "Events").first),
    "crashes": ("/#/crashes", lambda page: page.get_by_role("region", name="Crashes", exact=True)),
    "audit": ("/#/audit", lambda page: page.get_by_role("region", name="Audit")),
    "rules": ("/#/rules", lambda page: page.get_by_text("No rules")),
    "lines": ("/#/events?query=%7C+stats+count(),+quantile(0.95,+ms)+by+scenario,+time:1m", lambda page: page.get_by_role("img", name="count()")),
    "bars": ("/#/events?query=%7C+top+name", lambda page: page.get_by_role("list", name="count")),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_passes_axe_and_fits_its_width(relay, open_page, scheme):
    fill(relay)
    findings = []
    for width in WIDTHS:
        page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
        for name, (path, ready) in VIEWS.items():
            page.goto(relay.address + path)
            expect(ready(page)).to_be_visible()
            if name == "events":
                page.get_by_role("grid", name="Events").focus()
                page.keyboard.press("End")
                page.keyboard.press("Enter")
                expect(page.get_by_role("complementary", name="Event")).to_be_visible()
            if name == "rules":
                page.get_by_role("button", name="Add a condition").click()
            findings += [f"{name} {width} {scheme}: {item['id']} {item['nodes'][0]['html'][:200]}" for item in axe(page)]
            # Wide content scrolls in its own box, never the page.
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
            page.screenshot(path=ARTIFACTS / f"{name}-{width}-{scheme}.png")
    assert findings == []


def axe(page):
    return Axe().run(page).response["violations"]


def test_the_form_for_the_token_and_the_empty_page_pass_axe(relay, open_page):
    page = open_page(fails_to_load=True)
    expect(page.get_by_text("No client yet")).to_be_visible()
    page.screenshot(path=ARTIFACTS / "empty.png")
    findings = axe(page)
    relay.token("viewer")
    page.goto("about:blank")
    page.goto(relay.address)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.screenshot(path=ARTIFACTS / "sign-in.png")
    assert findings + axe(page) == []


def test_the_keyboard_reaches_everything_and_the_focus_is_visible(relay, open_page):
    fill(relay)
    page = open_page()
    expect(rows(page, "Clients").nth(4)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.slice(0, 20) || document.activeElement.getAttribute('placeholder')"))
        assert page.evaluate("document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'")
        if page.evaluate("document.activeElement.getAttribute('role')") == "grid":
            break
    assert {"Clients", "Events", "Rules"} <= set(reached)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Show its events")).to_be_visible()


def test_the_page_is_small_and_fast(relay, open_page):
    relay.save(client())
    page = open_page()
    expect(rows(page, "Clients").first).to_be_visible()
    sizes = page.evaluate("performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter(({ name }) => !name.includes('/v1/')).map(({ transferSize }) => transferSize)")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    (ARTIFACTS / "size.txt").write_text(f"{sum(sizes)} bytes over the wire, first contentful paint after {paint:.0f} ms\n")
    assert sum(sizes) <= 120_000
