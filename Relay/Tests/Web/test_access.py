"""Who may open the page, and what they see."""

import re

import pytest
from playwright.sync_api import expect

from conftest import rows
from relay import client, scenario


def sign_in(page, token, keep=False):
    page.get_by_label("Token").fill(token)
    if keep:
        page.get_by_label("Keep it in this tab").check()
    page.get_by_role("button", name="Sign in").click()


def heading(page, text):
    return page.get_by_role("heading", level=1, name=text)


def test_a_local_relay_without_tokens_opens_at_once(relay, open_page):
    page = open_page()
    expect(heading(page, "Clients")).to_be_visible()
    expect(page.get_by_text("No client yet")).to_be_visible()
    expect(page.locator("pre").nth(1)).to_contain_text(f"notes-host --relay {relay.address}")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_a_wrong_token_is_refused_in_words_and_the_right_one_opens_the_page(relay, open_page):
    token = relay.token("viewer")
    page = open_page(fails_to_load=True)
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("does not know this token")
    sign_in(page, token)
    expect(heading(page, "Clients")).to_be_visible()


def test_a_token_with_a_scope_shows_what_is_within_it_and_says_so(relay, open_page):
    relay.host_token = relay.token("viewer", "admin")
    for name, app in [("ios", "com.example.shop"), ("tv", "com.example.bank")]:
        relay.save(client(name, True, app=app))
    token = relay.token("viewer", "contractor", "--app", "*.shop", "--scenario", "Net*")
    page = open_page(fails_to_load=True)
    sign_in(page, token)
    expect(page.get_by_text("This token is limited to app=*.shop scenario=Net*")).to_be_visible()
    expect(page.get_by_role("gridcell", name="ios", exact=True)).to_be_visible()
    expect(page.get_by_role("gridcell", name="tv", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Audit")).to_be_hidden()


@pytest.mark.parametrize("keep", [False, True])
def test_a_token_survives_a_reload_only_if_asked_and_is_never_in_the_address(relay, open_page, keep):
    token = relay.token("viewer")
    page = open_page(fails_to_load=True)
    sign_in(page, token, keep)
    expect(heading(page, "Clients")).to_be_visible()
    page.get_by_role("link", name="Events").click()
    expect(heading(page, "Events")).to_be_visible()
    assert token not in page.url
    assert page.evaluate("Object.keys(localStorage).length + document.cookie.length") == 0
    assert page.evaluate("Object.values(sessionStorage)") == ([token] if keep else [])
    page.reload()
    expect(heading(page, "Events" if keep else "Sign in")).to_be_visible()
    if keep:
        page.get_by_role("button", name="Sign out").click()
        expect(heading(page, "Sign in")).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 0


def test_a_reader_sees_everything_and_no_controls(relay, open_page):
    relay.save(client(), scenario())
    page = open_page(fails_to_load=True)
    reader = relay.token("reader")
    page.reload()
    sign_in(page, reader)
    rows(page, "Clients").first.click()
    expect(page.get_by_role("row", name="NetworkRequests")).to_be_visible()
    expect(page.get_by_text("changes nothing")).to_be_visible()
    expect(page.locator("main button")).to_have_count(0)
    page.get_by_role("link", name="Rules").click()
    expect(page.get_by_text("No rules")).to_be_visible()
    expect(page.get_by_role("button", name="Add the rule")).to_have_count(0)


def test_a_hosts_token_is_refused_in_words(relay, open_page):
    token = relay.token("host")
    page = open_page(fails_to_load=True)
    sign_in(page, token)
    expect(page.get_by_role("alert")).to_contain_text(re.compile("host", re.I))


def test_a_revoked_token_leads_back_to_the_form(relay, open_page):
    token = relay.token("viewer", "mine")
    page = open_page(fails_to_load=True)
    sign_in(page, token)
    expect(heading(page, "Clients")).to_be_visible()
    relay.revoke("mine")
    expect(heading(page, "Sign in")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("revoked or has expired")


def test_clients_of_an_ended_session_are_not_shown_in_the_next_one(relay, open_page):
    relay.save(client())
    token = relay.token("viewer")
    page = open_page(fails_to_load=True)
    held, is_holding = [], True

    def is_clients(request):
        return request.url.endswith("/v1/records/query") and request.post_data_json["recordType"] == "TelemetryClient"

    page.route("**/v1/records/query", lambda route: held.append(route) if is_holding and is_clients(route.request) else route.continue_())
    summary = page.locator(".summary")
    for _ in range(2):
        expect(heading(page, "Sign in")).to_be_visible()
        with page.expect_request(is_clients):
            sign_in(page, token)
        expect(summary).to_have_text("Loading the clients…")
        if len(held) == 1:
            page.get_by_role("button", name="Sign out").click()
    first, second = held
    is_holding = False
    with page.expect_event("requestfinished", lambda request: request == first.request):
        first.continue_()
    # What the page does with the answer is done before the next frame after it.
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert summary.inner_text() == "Loading the clients…"
    assert rows(page, "Clients").count() == 0
    second.continue_()
    expect(summary).to_have_text("1 client")
    expect(rows(page, "Clients")).to_have_count(1)


def test_a_clock_that_differs_from_the_relays_is_reported(relay, open_page):
    page = open_page()
    page.clock.set_fixed_time("2020-01-01T00:00:00Z")
    page.reload()
    expect(page.get_by_text("This computer's clock is")).to_contain_text("behind the relay's")
