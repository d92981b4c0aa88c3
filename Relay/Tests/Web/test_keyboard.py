"""Completion of queries, and the keys of the page."""

import re

import pytest
from playwright.sync_api import expect

from conftest import query_box, rows
from relay import client, event


def choices(page):
    return page.get_by_role("listbox", name="Completions").get_by_role("option")


def open_events(relay, open_page):
    relay.append([event(number, scenario=["Sync", "Net"][number % 2], attributes={"status": 500, "odd key": 'a "b"'}) for number in range(6)])
    page = open_page("/#/events")
    expect(rows(page, "Events").first).to_be_visible()
    page.keyboard.press("/")
    expect(query_box(page)).to_be_focused()
    return page


def test_fields_and_values_seen_are_completed_with_the_keys(relay, open_page):
    page = open_events(relay, open_page)
    page.keyboard.type("items -sc")
    expect(choices(page)).to_have_text(["scenario:"])
    expect(query_box(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(query_box(page)).to_have_attribute("aria-activedescendant", "completion-0")
    page.keyboard.press("Enter")
    expect(query_box(page)).to_have_value("items -scenario:")
    expect(choices(page)).to_have_text(['="Net"', '="Sync"'])
    page.keyboard.type("s")
    expect(choices(page)).to_have_text(['="Sync"'])
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(query_box(page)).to_have_value('items -scenario:="Sync"')
    expect(query_box(page)).to_have_attribute("aria-expanded", "false")
    expect(rows(page, "Events")).to_have_count(6)
    page.keyboard.press("Enter")
    expect(rows(page, "Events")).to_have_count(3)


@pytest.mark.parametrize(("typed", "shown"), [
    ("st", ["status:"]), ("od", []), ('"od', ['"odd key":']), ("severity:>=err", [">=error"]), ("time:1", ["15m", "1h"]), ("text:", []),
    ('"odd key":', ['="a \\"b\\""']), ("a | s", ["stats", "sort by"]), ("| stats c", ["count()", "count(", "count_distinct("]),
    ("| stats avg(st", ["status"]), ("| stats count() b", ["by"]), ("| stats count() by time:", ["time:1m", "time:10m", "time:1h", "time:1d"]),
    ("| top 3 sc", ["scenario"]), ("| sort by status de", ["device", "desc"]), ("| limit ", []),
    ('name:="x" sc', ["scenario:"]), ('"a b" | stats count() by sc', ["scenario"]),
])
def test_what_can_stand_at_the_end_is_completed(relay, open_page, typed, shown):
    page = open_events(relay, open_page)
    # The list opens once the values are there. If there are none, a known choice is awaited first.
    page.keyboard.type("na")
    expect(choices(page)).to_have_text(["name:"])
    query_box(page).fill(typed)
    expect(choices(page)).to_have_text(shown) if shown else expect(choices(page).first).to_be_hidden()


def test_the_list_of_completions_is_closed_and_chosen_from_with_the_pointer(relay, open_page):
    page = open_events(relay, open_page)
    page.keyboard.type("sc")
    expect(choices(page)).to_have_text(["scenario:"])
    page.keyboard.press("Escape")
    expect(choices(page)).to_have_count(0)
    expect(query_box(page)).to_be_focused()
    page.keyboard.press("ArrowDown")
    choices(page).first.click()
    expect(query_box(page)).to_have_value("scenario:")
    expect(query_box(page)).to_be_focused()


def test_rows_are_walked_and_opened_with_the_keys(relay, open_page):
    page = open_events(relay, open_page)
    page.keyboard.press("Escape")
    grid = page.get_by_role("grid", name="Events")
    expect(grid).to_be_focused()
    for key, index in [("j", 2), ("j", 3), ("k", 2)]:
        page.keyboard.press(key)
        expect(grid.locator(".active")).to_have_attribute("aria-rowindex", str(index))
    page.keyboard.press("Enter")
    detail = page.get_by_role("complementary", name="Event")
    expect(detail).to_contain_text("GET /items/0")
    page.keyboard.press("j")
    expect(detail).to_contain_text("GET /items/1")
    page.keyboard.press("Escape")
    expect(detail).to_have_count(0)
    expect(grid).to_be_focused()
    # A letter in the box is a letter.
    query_box(page).focus()
    page.keyboard.type("j/?")
    expect(query_box(page)).to_have_value("j/?")


def test_help_is_shown_in_every_view(relay, open_page):
    relay.save(client())
    page = open_page()
    expect(rows(page, "Clients")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.get_by_role("grid", name="Clients")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text(re.compile("Next or previous row"))
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_the_values_of_a_known_field_are_asked_for_once_nothing_is_typed(relay, open_page):
    page = open_events(relay, open_page)
    asked = []
    page.on("request", lambda request: asked.append(request.post_data_json["query"]) if "| top 20" in (request.post_data or "") else None)
    page.keyboard.type("scenari:= unknown:=a scenario:=Sy")
    expect(choices(page)).to_have_text(['="Sync"'])
    assert asked == ["| top 20 scenario"]


def test_values_that_the_relay_refuses_are_not_asked_for_again(relay, open_page):
    relay.append([event(1)])
    page = open_page("/#/events", fails_to_load=True)
    expect(rows(page, "Events").first).to_be_visible()
    refused = []

    def refuse(route):
        if "| top 20" not in route.request.post_data:
            return route.continue_()
        refused.append(route.request.post_data_json["query"])
        return route.fulfill(status=400, json={"code": "quotaExceeded", "detail": "Too many groups."})

    page.route("**/v1/query", refuse)
    query_box(page).focus()
    for text in ["name:", "name:r", "name:re"]:
        query_box(page).fill(text)
        page.wait_for_timeout(400)
    assert refused == ["| top 20 name"]
