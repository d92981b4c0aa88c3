"""The audit: who did what over the relay."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from conftest import ARTIFACTS
from relay import client
from test_appearance import WIDTHS, axe

HOSTILE = '<img src=x onerror=alert(1)>\u202e\u001b[2J'


def entry(number, action="events.read", **fields):
    values = {"number": number, "time": f"2026-11-28T12:00:{number % 60:02}.123Z", "token": "alice", "role": "viewer", "address": "10.0.0.7",
              "action": action, "client": None, "detail": "scenario=Checkout", "status": 200}
    return values | fields


def scripted_page(open_page, **changes):
    """An empty page, for which the relay's description of itself is changed."""
    page = open_page()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("about:blank")

    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | changes)

    page.route("**/v1/server", answer)
    return page


def script_audit(page, entries, size=2):
    """Answers requests for the audit with these entries, the newest first, in pages. Returns the requests' parameters."""
    requests = []

    def answer(route):
        query = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        requests.append(query)
        start = int(query.get("after", 0))
        newest = entries[::-1]
        route.fulfill(json={"entries": newest[start:start + size], "cursor": str(start + size), "hasMore": start + size < len(entries)})

    page.route("**/v1/audit*", answer)
    return requests


def open_audit(relay, open_page, entries, path="/#/audit"):
    page = scripted_page(open_page, features=["query", "audit"])
    requests = script_audit(page, entries)
    page.goto(relay.address + path)
    return page, requests


def table(page):
    region = page.get_by_role("region", name="Audit")
    expect(region).to_be_visible()
    return region.evaluate("region => [...region.querySelectorAll('tbody tr')].map(row => [...row.cells].slice(1).map(cell => cell.textContent))")


def summary(page):
    return page.locator("main .summary")


def test_the_audit_lists_the_newest_entries_first(relay, open_page):
    entries = [entry(1, client="web-1"), entry(2, "request.refuse", token="bob", role="reader", status=403, detail=None)]
    page, requests = open_audit(relay, open_page, entries, "/")
    page.get_by_role("navigation").get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", level=1, name="Audit")).to_be_focused()
    assert table(page) == [
        ["bob reader, 10.0.0.7", "Refused request (refused: 403)", "–", "–"],
        ["alice viewer, 10.0.0.7", "Read events", "web-1", "scenario=Checkout"],
    ]
    expect(summary(page)).to_have_text("2 entries.")
    expect(page.get_by_role("button", name="Load more")).to_be_hidden()
    assert requests == [{"limit": "100", "order": "desc"}]
    page.get_by_role("link", name="web-1").click()
    expect(page.get_by_role("heading", level=1, name="web-1")).to_be_visible()


def test_earlier_entries_are_loaded_by_the_keyboard(relay, open_page):
    page, requests = open_audit(relay, open_page, [entry(number, detail=f"n{number}") for number in range(1, 6)])
    expect(summary(page)).to_have_text("2 entries; there are earlier ones.")
    more = page.get_by_role("button", name="Load more")
    more.focus()
    page.keyboard.press("Enter")
    expect(summary(page)).to_have_text("4 entries; there are earlier ones.")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    expect(summary(page)).to_have_text("5 entries.")
    expect(more).to_be_hidden()
    expect(page.get_by_role("region", name="Audit")).to_be_focused()
    assert [row[3] for row in table(page)] == ["n5", "n4", "n3", "n2", "n1"]
    assert [request.get("after") for request in requests] == [None, "2", "4"]


def test_filters_are_sent_and_part_of_the_address(relay, open_page):
    page, requests = open_audit(relay, open_page, [entry(1)])
    expect(summary(page)).to_have_text("1 entry.")
    page.keyboard.press("/")
    expect(page.get_by_label("Client", exact=True)).to_be_focused()
    page.get_by_label("Token", exact=True).fill(" alice ")
    page.get_by_role("combobox", name="Action").select_option("Delete events")
    # The summary before it is the same.
    with page.expect_response("**/v1/audit*"):
        page.get_by_label("Token", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"#/audit\?token=alice&action=events\.delete$"))
    expect(summary(page)).to_have_text("1 entry.")
    assert requests[1:] == [{"token": "alice", "action": "events.delete", "limit": "100", "order": "desc"}]
    # The same filters ask again.
    with page.expect_request("**/v1/audit*"):
        page.get_by_role("button", name="Show").click()


def test_a_clients_page_leads_to_what_concerns_it(relay, open_page):
    relay.save(client("web-1"))
    entries = [entry(1), entry(2, client="web-1"), entry(3, "rule.save")]
    page, requests = open_audit(relay, open_page, entries[:2], "/#/client?id=web-1")
    page.get_by_role("link", name="Show its audit").click()
    expect(summary(page)).to_contain_text("2 entries. Entries with “Any client” are reads and deletions of events that were not limited to one client")
    assert [row[2] for row in table(page)] == ["web-1", "Any client"]
    assert requests == [{"client": "web-1", "everyone": "true", "limit": "100", "order": "desc"}]
    expect(page.get_by_label("Client", exact=True)).to_have_value("web-1")


@pytest.mark.parametrize("changes", [{"features": ["query"]}, {"features": None}, {"features": ["audit"], "role": "reader"}])
def test_without_the_feature_or_the_role_there_is_no_audit(relay, open_page, changes):
    relay.save(client("web-1"))
    page = scripted_page(open_page, **changes)
    requests = script_audit(page, [])
    page.goto(f"{relay.address}/#/audit")
    expect(page.get_by_role("heading", level=1, name="Clients")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_role("link", name="Rules")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_role("link", name="Audit")).to_have_count(0)
    page.goto(f"{relay.address}/#/client?id=web-1")
    expect(page.get_by_role("link", name="Show its crashes")).to_be_visible()
    expect(page.get_by_role("link", name="Show its audit")).to_have_count(0)
    assert requests == []


def test_no_entry_becomes_markup(relay, open_page):
    hostile = {name: HOSTILE for name in ["time", "token", "role", "address", "action", "client", "detail", "status"]}
    page, _ = open_audit(relay, open_page, [entry(1, "constructor"), entry(2) | hostile])
    shown = HOSTILE.replace("\u202e", "\\u{202e}").replace("\u001b", "\\u{1b}")
    assert table(page)[0] == [f"{shown} {shown}, {shown}", shown, shown, shown]
    assert table(page)[1][1] == "constructor"
    assert page.locator("img").count() == 1
    assert page.evaluate("[...document.querySelectorAll('a')].every((link) => link.href.startsWith(location.origin + '/#'))")


def test_a_refusal_and_an_empty_audit_are_shown(relay, open_page):
    page, _ = open_audit(relay, open_page, [])
    expect(page.get_by_role("heading", name="No entries")).to_be_visible()
    page = scripted_page(lambda: open_page(fails_to_load=True), features=["audit"])
    page.route("**/v1/audit*", lambda route: route.fulfill(
        status=400, content_type="application/problem+json", body=json.dumps({"detail": "The client is too long."})))
    page.goto(f"{relay.address}/#/audit")
    expect(page.get_by_role("alert")).to_have_text("The audit cannot be read: The client is too long.")


def test_an_auditors_token_is_refused_in_words(relay, open_page):
    token = relay.token("auditor")
    page = open_page(fails_to_load=True)
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("role auditor")


def test_the_audit_of_a_relay_shows_what_the_page_did(relay, open_page):
    relay.save(client("web-1", enabled=False), client("web-2"))
    page = open_page("/#/client?id=web-1")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Sent, waiting for the client").first).to_be_visible()
    page.get_by_role("link", name="Show its audit").click()
    found = table(page)
    assert ["No token viewer, 127.0.0.1", "Send a command", "web-1"] in [row[:3] for row in found]
    assert ["No token viewer, 127.0.0.1", "Count events", "web-1"] in [row[:3] for row in found]
    assert "web-2" not in [row[2] for row in found]
    page.get_by_role("combobox", name="Action").select_option("Send a command")
    page.get_by_role("button", name="Show").click()
    expect(summary(page)).to_contain_text("1 entry.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_audit_passes_axe_and_fits_its_width(relay, open_page, scheme):
    entries = [entry(1, client="web-1", detail="query=" + "status:>=500 " * 30), entry(2, "request.refuse", status=403, token="t" * 200),
               entry(3, "token.create", token=None, role=None, address=None, detail="carol")]
    page, _ = open_audit(relay, open_page, entries)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.get_by_role("button", name="Load more").click()
    expect(summary(page)).to_have_text("3 entries.")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert [f"{item['id']} {item['nodes'][0]['html'][:200]}" for item in axe(page)] == []
        # Wide content scrolls in its own box, never the page.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        page.screenshot(path=ARTIFACTS / f"audit-{width}-{scheme}.png")
