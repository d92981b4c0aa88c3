"""The list of fields with their top values."""

import re

from playwright.sync_api import expect

from conftest import ask, query_box, rows
from relay import client, event
from test_access import sign_in


def fields(page):
    return page.locator(".field-list")


def fill(relay):
    relay.append([event(number, scenario="Sync" if number % 3 == 0 else "Net" if number % 3 == 1 else None, appVersion="2.1", deviceModel="iPad14,3",
                        attributes={"status": 500 if number % 2 else 200, "odd key": f"v{number}"}) for number in range(12)])


def test_top_values_are_counted_over_all_events_that_match(relay, open_page):
    fill(relay)
    for first in range(100, 1_300, 600):
        relay.append([event(number, scenario="Net") for number in range(first, first + 600)])
    page = open_page("/#/events")
    expect(fields(page).get_by_role("button", name="Only scenario Net")).to_be_visible()
    # The list has only the newest page of them.
    expect(fields(page).locator("li").filter(has_text="Net").locator("span")).to_have_text("1,204")
    for label in ["Only name request.finished", "Only severity info", "Only app 2.1", "Only device iPad14,3", "Only scenario none"]:
        expect(fields(page).get_by_role("button", name=label)).to_be_visible()
    ask(page, "status:*")
    expect(fields(page).locator("li").filter(has_text="Net").locator("span")).to_have_text("4")


def test_an_empty_value_has_a_name(relay, open_page):
    relay.append([event(1, attributes={"note": ""})])
    page = open_page("/#/events")
    fields(page).locator("summary").get_by_text("note").click()
    fields(page).get_by_role("button", name="Exclude note empty").click()
    expect(page.get_by_role("heading", name="No event matches")).to_be_visible()


def test_a_click_adds_a_value_or_excludes_it(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    fields(page).get_by_role("button", name="Exclude scenario Sync").click()
    expect(rows(page, "Events")).to_have_count(8)
    fields(page).get_by_role("button", name="Only scenario none").click()
    expect(rows(page, "Events")).to_have_count(4)
    expect(query_box(page)).to_have_value('-scenario:="Sync" -scenario:*')


def test_the_attributes_of_what_is_shown_are_listed_in_order_and_read_when_opened(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    asked = []
    page.on("request", lambda request: asked.append(request.post_data_json["query"]) if request.url.endswith("/v1/query") else None)
    titles = fields(page).locator("details > summary")
    expect(titles).to_have_text(["scenario", "name", "severity", "app", "device", "odd key", "status"])
    expect(fields(page).get_by_role("button", name="Only device iPad14,3")).to_be_visible()
    assert not any("status" in query for query in asked)
    titles.get_by_text("status").click()
    fields(page).get_by_role("button", name="Only status 500").click()
    expect(rows(page, "Events")).to_have_count(6)
    titles.get_by_text("odd key").click()
    fields(page).get_by_role("button", name="Exclude odd key v1", exact=True).click()
    expect(rows(page, "Events")).to_have_count(5)
    ask(page, "nothing")
    expect(titles).to_have_text(["scenario", "name", "severity", "app", "device"])


def test_a_narrow_page_reads_no_fields_until_they_are_opened(relay, open_page):
    fill(relay)
    page = open_page("/#/events", viewport={"width": 390, "height": 844})
    expect(rows(page, "Events").first).to_be_visible()
    expect(fields(page).get_by_text("scenario", exact=True)).to_be_hidden()
    page.get_by_role("heading", name="Fields").click()
    expect(fields(page).get_by_role("button", name="Only scenario Sync")).to_be_visible()


def test_the_fields_of_the_first_events_are_shown_when_they_arrive(relay, open_page):
    page = open_page("/#/events")
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    fill(relay)
    expect(fields(page).get_by_role("button", name="Only scenario Sync")).to_be_visible()
    expect(fields(page).locator("details > summary").get_by_text("status")).to_be_visible()


def test_clicks_add_to_the_query_that_is_being_answered(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    expect(rows(page, "Events")).to_have_count(12)
    held = []
    page.route("**/v1/events?*", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/v1/events?*"):
        fields(page).get_by_role("button", name="Exclude scenario Sync").click()
    fields(page).get_by_role("button", name="Only app 2.1").click()
    expect(rows(page, "Events")).to_have_count(8)
    expect(query_box(page)).to_have_value('-scenario:="Sync" app:="2.1"')


def test_the_focus_stays_in_the_page_after_a_click(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    expect(rows(page, "Events")).to_have_count(12)
    only = fields(page).get_by_role("button", name="Only scenario Net")
    only.click()
    expect(fields(page).get_by_role("button", name="Only scenario Sync")).to_have_count(0)
    expect(only).to_be_focused()
    page.go_back()
    expect(rows(page, "Events")).to_have_count(12)
    fields(page).get_by_role("button", name="Exclude scenario Sync").click()
    expect(fields(page).get_by_role("button", name="Only scenario Sync")).to_have_count(0)
    expect(fields(page).locator("details > summary").get_by_text("scenario")).to_be_focused()
    ask(page, "time:1h")
    page.get_by_role("button", name="All times").click()
    expect(page.get_by_role("heading", name="Events", exact=True)).to_be_focused()
    fields(page).get_by_role("button", name="Chart of scenario").click()
    expect(page.locator("#announcer")).to_have_text("3 rows from 12 events")
    expect(page.get_by_role("heading", name="Events", exact=True)).to_be_focused()


def test_each_scenario_shows_how_much_is_stored_and_how_long(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    row = fields(page).locator("li").filter(has=page.get_by_role("button", name="Only scenario Net", exact=True))
    expect(row.locator("small")).to_have_text(re.compile(r"^\d+ B, until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$"))
    page.close()
    relay.stop()
    relay.start("--retain", "Net=48h,100MB", "--retain", "S*c=30d", "--max-age", "24")
    page = open_page("/#/events")
    for scenario, kept in [("Net", "2 days, 100 MB for Net"), ("Sync", "30 days"), ("none", "24 h")]:
        row = fields(page).locator("li").filter(has=page.get_by_role("button", name=f"Only scenario {scenario}", exact=True))
        expect(row.locator("small")).to_have_text(re.compile(rf"^\d+ B, kept {kept}, until 20\d\d-"))
    expect(fields(page).locator("small")).to_have_count(3)


def test_scenarios_whose_sizes_cannot_be_read_are_shown(relay, open_page):
    fill(relay)
    page = open_page("/", fails_to_load=True)
    page.route("**/v1/events/scenarios", lambda route: route.fulfill(status=503, json={}))
    page.goto(relay.address + "/#/events")
    expect(fields(page).get_by_role("button", name="Only scenario Net")).to_be_visible()
    expect(fields(page).locator("small")).to_have_count(0)


def test_a_token_with_a_scope_does_not_ask_for_sizes(relay, open_page):
    relay.host_token = relay.token("viewer", "admin")
    relay.save(client("ios", True, app="com.example.shop"))
    relay.append([event(number, scenario="Net") for number in range(3)], clientid="ios")
    token = relay.token("viewer", "contractor", "--app", "*.shop", "--scenario", "Net*")
    page = open_page("/#/events", fails_to_load=True)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/scenarios") else None)
    sign_in(page, token)
    expect(fields(page).locator("li").filter(has_text="Net").locator("span")).to_have_text("3")
    expect(fields(page).get_by_role("button", name="Only name request.finished")).to_be_visible()
    assert asked == []
