"""Alerts: what is listed, added and changed on the page."""

import http.server
import json
import subprocess
import threading

import pytest
from playwright.sync_api import expect

from conftest import ARTIFACTS, ask
from relay import PROGRAM, event
from test_appearance import WIDTHS, axe


@pytest.fixture
def hook(relay):
    """A receiver of messages, as the webhook "ops". Its messages are a list."""
    messages, arrived = [], threading.Condition()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with arrived:
                messages.append(body)
                arrived.notify_all()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    add_webhook(relay, "ops", f"http://127.0.0.1:{server.server_port}/")

    def wait(count):
        with arrived:
            assert arrived.wait_for(lambda: len(messages) >= count, timeout=30)
            return list(messages)

    yield wait
    server.shutdown()


def add_webhook(relay, name, url="http://127.0.0.1:9/"):
    subprocess.run([PROGRAM, "webhook", "add", name, url, "--database", relay.database], check=True, capture_output=True)


def form(page):
    return page.locator("form.card")


def cells(page):
    region = page.get_by_role("region", name="Alerts")
    expect(region).to_be_visible()
    return region.evaluate("region => [...region.querySelectorAll('tbody tr')].map(row => [...row.cells].slice(0, 6).map(cell => cell.textContent))")


def fill(page, **fields):
    for label, value in fields.items():
        form(page).get_by_label(label.replace("_", " "), exact=True).fill(value)


def test_an_alert_of_a_query_is_added_fires_and_is_turned_off_and_removed(relay, open_page, hook):
    relay.append([event(number) for number in range(3)])
    page = open_page("/#/events")
    ask(page, "time:1h name:boom | stats count()")
    page.get_by_role("button", name="Alert…").click()
    expect(form(page).get_by_label("Query", exact=True)).to_have_value("name:boom")
    expect(form(page).get_by_label("Name", exact=True)).to_be_focused()
    fill(page, Name="Boom / 1", Number_of_events="2", Within="5m", Then_quiet_for="2h")
    page.get_by_role("button", name="Save the alert").click()
    expect(page.get_by_text("Saved the alert Boom / 1.")).to_be_visible()
    assert cells(page) == [["Boom / 1", "On", "2 events within 5m: name:boom", "2h", "ops", "–"]]
    relay.append([event(number, name="boom") for number in range(10, 12)])
    [message] = hook(1)
    assert (message["alert"], message["count"], [one["eventId"] for one in message["sample"]]) == ("Boom / 1", 2, ["e10", "e11"])
    page.get_by_role("button", name="Test Boom / 1").click()
    expect(page.get_by_text("The relay sends a message of Boom / 1.")).to_be_visible()
    assert hook(2)[1]["count"] == 0
    page.get_by_role("button", name="Turn off Boom / 1").click()
    expect(page.get_by_text("Turned off Boom / 1.")).to_be_visible()
    expect(page.get_by_role("button", name="Turn on Boom / 1")).to_be_focused()
    assert cells(page)[0][1] == "Off"
    page.get_by_role("button", name="Remove Boom / 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="No alerts")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_focused()


def test_the_focus_stays_at_the_alert_that_was_turned_off_and_a_change_by_others_is_kept(relay, open_page, hook):
    page = open_page("/#/alerts")
    for name in ["Za", "a"]:
        fill(page, Name=name, Query="name:x")
        page.get_by_role("button", name="Save the alert").click()
        expect(page.get_by_text(f"Saved the alert {name}.")).to_be_visible()
    save(page, None, "a", {"query": "name:y", "webhook": "ops"})
    page.get_by_role("button", name="Turn off a", exact=True).click()
    expect(page.get_by_role("button", name="Turn on a", exact=True)).to_be_focused()
    assert [row[:3] for row in cells(page)] == [["Za", "On", "1 event: name:x"], ["a", "Off", "1 event: name:y"]]


def test_an_alert_of_a_silence_is_added_and_replaced_after_a_question(relay, open_page, hook):
    page = open_page("/#/alerts")
    for time in ["10m", "90s"]:
        form(page).get_by_label("Fires when").select_option("silence")
        fill(page, Name="down", Not_seen_for=time, Clients="till-*")
        page.get_by_role("button", name="Save the alert").click()
        if time == "90s":
            page.get_by_role("dialog").get_by_role("button", name="Replace").click()
        expect(page.get_by_role("region", name="Alerts")).to_contain_text(f"A client till-* is not seen for {time}")
    assert cells(page) == [["down", "On", "A client till-* is not seen for 90s", "1h", "ops", "–"]]


def test_a_wrong_query_is_shown_with_its_place_and_other_errors_with_their_reason(relay, open_page, hook):
    page = open_page("/#/alerts", fails_to_load=True)
    fill(page, Name="a", Query="name:x (")
    page.get_by_role("button", name="Save the alert").click()
    expect(form(page).get_by_label("Query", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(form(page).get_by_label("Place of the error")).to_be_visible()
    fill(page, Query="name:x", Then_quiet_for="31d")
    page.get_by_role("button", name="Save the alert").click()
    expect(form(page).get_by_text("The alert was not saved: quiet must be")).to_be_visible()
    expect(page.get_by_role("heading", name="No alerts")).to_be_visible()


def test_without_a_webhook_the_page_says_how_to_add_one(relay, open_page):
    page = open_page("/#/alerts")
    expect(form(page)).to_contain_text("telemetry-relay webhook add NAME URL")
    expect(page.get_by_role("button", name="Save the alert")).to_be_disabled()


def test_a_reader_sees_alerts_and_changes_none(relay, open_page):
    add_webhook(relay, "ops")
    viewer = relay.token("viewer")
    page = open_page(fails_to_load=True)
    save(page, viewer, "a<b>", {"query": "x", "webhook": "ops"})
    page.get_by_label("Token").fill(relay.token("reader"))
    page.keyboard.press("Enter")
    page.get_by_role("navigation").get_by_role("link", name="Alerts").click()
    expect(page.get_by_role("region", name="Alerts")).to_contain_text("a<b>")
    assert cells(page)[0][5] == "viewer"
    expect(page.get_by_role("region", name="Alerts").get_by_role("button")).to_have_count(0)
    expect(form(page)).to_have_count(0)
    page.goto(relay.address + "/#/events")
    expect(page.get_by_role("button", name="Run")).to_be_visible()
    expect(page.get_by_role("button", name="Alert…")).to_have_count(0)


def save(page, token, name, alert):
    """Saves an alert as a script of the page would."""
    status = page.evaluate("""([token, name, alert]) => fetch(`/v1/alerts/${encodeURIComponent(name)}`, { method: "PUT",
        headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), "Content-Type": "application/json" }, body: JSON.stringify(alert) }).then(answer => answer.status)""",
        [token, name, alert])
    assert status == 204


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_alerts_are_accessible_at_every_width(relay, open_page, hook, width, scheme):
    page = open_page("/#/alerts", viewport={"width": width, "height": 800}, color_scheme=scheme)
    fill(page, Name="errors of the checkout in all shops", Query="scenario:Checkout severity:>=error -name:retry.later")
    page.get_by_role("button", name="Save the alert").click()
    expect(page.get_by_role("region", name="Alerts")).to_be_visible()
    form(page).get_by_label("Fires when").select_option("silence")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.screenshot(path=ARTIFACTS / f"alerts-{width}-{scheme}.png", full_page=True)
