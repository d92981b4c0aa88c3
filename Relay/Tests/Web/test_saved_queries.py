"""Queries that are saved for all viewers."""

import re

import pytest
from playwright.sync_api import expect

from conftest import ask, query_box, rows
from relay import event


def saved(name, query):
    return {"recordType": "TelemetrySavedQuery", "recordName": f"saved-query-{name}", "fields": {"name": name, "query": query}}


def menu(page):
    return page.locator(".menu")


def test_a_query_is_saved_by_name_and_shown_to_another_viewer(relay, open_page):
    relay.append([event(number, scenario=["Sync", "Net"][number % 2]) for number in range(6)])
    first, second = open_page("/#/events"), open_page("/#/events")
    menu(second).get_by_text("Saved queries", exact=True).click()
    expect(menu(second)).to_contain_text("No saved queries")
    ask(first, "scenario:=Net")
    expect(rows(first, "Events")).to_have_count(3)
    menu(first).get_by_text("Saved queries", exact=True).click()
    menu(first).get_by_label("Name").fill("Only Net / 1")
    first.keyboard.press("Enter")
    expect(menu(first)).to_contain_text("Saved Only Net / 1.")
    [record] = relay.records("TelemetrySavedQuery")
    assert record["fields"] == {"name": "Only Net / 1", "query": "scenario:=Net"}
    # The other page is notified.
    menu(second).get_by_role("button", name="Only Net / 1", exact=True).click()
    expect(rows(second, "Events")).to_have_count(3)
    expect(query_box(second)).to_have_value("scenario:=Net")
    expect(menu(second).locator(".panel")).to_be_hidden()


@pytest.mark.parametrize("confirms", [True, False])
def test_a_saved_query_is_replaced_or_deleted_only_after_a_question(relay, open_page, confirms):
    relay.save(saved("Net", "scenario:=Net"))
    page = open_page("/#/events?query=status:500")
    expect(page.get_by_role("heading", name="No event matches")).to_be_visible()
    menu(page).get_by_text("Saved queries", exact=True).click()
    menu(page).get_by_label("Name").fill("Net")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Replace" if confirms else "Cancel").click()
    if confirms:
        expect(menu(page)).to_contain_text("Saved Net.")
    assert relay.records("TelemetrySavedQuery")[0]["fields"]["query"] == ("status:500" if confirms else "scenario:=Net")
    menu(page).get_by_role("button", name="Delete Net").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete" if confirms else "Cancel").click()
    if confirms:
        expect(menu(page)).to_contain_text("No saved queries")
    assert len(relay.records("TelemetrySavedQuery")) == (0 if confirms else 1)


def test_a_click_is_not_lost_while_another_viewer_changes_the_query(relay, open_page):
    relay.save(saved("Net", "status:500"))
    page = open_page("/#/events")
    menu(page).get_by_text("Saved queries", exact=True).click()
    show = menu(page).get_by_role("button", name="Net", exact=True)
    for query in ["status:501", "status:502"]:
        menu(page).get_by_role("button", name="Delete Net").hover()
        page.mouse.down()
        relay.save(saved("Net", query))
        expect(show).to_have_attribute("title", query)
        page.mouse.up()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    show.click()
    expect(page).to_have_url(re.compile("status(:|%3A)502"))


def test_a_reader_runs_saved_queries_and_changes_none(relay, open_page):
    relay.append([event(1), event(2, scenario="Net")])
    relay.save(saved("<b>Net</b>", "scenario:=Net"))
    page = open_page(fails_to_load=True)
    token = relay.token("reader")
    page.goto(f"{relay.address}/?#/events")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    menu(page).get_by_text("Saved queries", exact=True).click()
    expect(menu(page).get_by_label("Name")).to_have_count(0)
    expect(menu(page).get_by_role("button", name="Delete")).to_have_count(0)
    menu(page).get_by_role("button", name="<b>Net</b>").click()
    expect(rows(page, "Events")).to_have_count(1)


def test_the_menu_is_closed_with_escape(relay, open_page):
    page = open_page("/#/events")
    summary = menu(page).get_by_text("Saved queries", exact=True)
    summary.focus()
    page.keyboard.press("Enter")
    expect(menu(page).get_by_label("Name")).to_be_visible()
    menu(page).get_by_label("Name").focus()
    page.keyboard.press("Escape")
    expect(menu(page).get_by_label("Name")).to_be_hidden()
    expect(summary).to_be_focused()


def test_a_query_that_another_viewer_saved_meanwhile_is_not_replaced_unasked(relay, open_page):
    page = open_page(fails_to_load=True)
    page.route("**/v1/notifications", lambda route: route.abort())
    page.goto(f"{relay.address}/?#/events?query=status:500")
    menu(page).get_by_text("Saved queries", exact=True).click()
    expect(menu(page)).to_contain_text("No saved queries")
    relay.save(saved("Net", "scenario:=Net"))
    menu(page).get_by_label("Name").fill("Net")
    page.keyboard.press("Enter")
    expect(menu(page)).to_contain_text("Another viewer has saved a query with this name.")
    # The name is kept for another attempt.
    expect(menu(page).get_by_label("Name")).to_have_value("Net")
    assert [record["fields"]["query"] for record in relay.records("TelemetrySavedQuery")] == ["scenario:=Net"]


def test_a_name_of_blanks_is_refused(relay, open_page):
    page = open_page("/#/events")
    menu(page).get_by_text("Saved queries", exact=True).click()
    menu(page).get_by_label("Name").fill("  ")
    page.keyboard.press("Enter")
    expect(menu(page)).to_contain_text("The query needs a name.")
    assert relay.records("TelemetrySavedQuery") == []


def test_a_saved_query_is_put_into_the_box_if_it_is_shown_already(relay, open_page):
    relay.append([event(1)])
    relay.save(saved("Items", "items"))
    page = open_page("/#/events?query=items")
    expect(rows(page, "Events")).to_have_count(1)
    query_box(page).fill("something else")
    menu(page).get_by_text("Saved queries", exact=True).click()
    menu(page).get_by_role("button", name="Items", exact=True).click()
    expect(query_box(page)).to_have_value("items")
