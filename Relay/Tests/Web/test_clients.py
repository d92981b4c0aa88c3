"""Clients, their scenarios and commands."""

import json
import time

from playwright.sync_api import expect

from conftest import rows
from relay import client, moment, scenario


def wait_for_command(relay, action, **fields):
    """The newest command with an action, once it is stored."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = [record for record in relay.records("TelemetryCommand") if record["fields"]["action"] == action]
        if found:
            for name, value in fields.items():
                assert found[-1]["fields"].get(name) == value
            return found[-1]
        time.sleep(0.1)
    raise AssertionError(f"no command {action}")


def test_a_client_that_waits_is_listed_first_and_approved(relay, open_page):
    page = open_page()
    expect(page.get_by_text("No client yet")).to_be_visible()
    # The page is notified; nothing is loaded again by hand.
    relay.save(client("approved"), client("new", enabled=False))
    expect(rows(page, "Clients")).to_have_count(2)
    expect(rows(page, "Clients").first).to_contain_text("Waiting for approval")
    page.get_by_role("grid", name="Clients").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Approve").press("Enter")
    expect(page.locator(".note")).to_contain_text("Approve the client: Sent, waiting for the client")
    command = wait_for_command(relay, "enable", clientid="new", status="pending")
    command["fields"] |= {"status": "executed", "executedAt": {"date": moment()}}
    relay.save(command, client("new"))
    expect(page.locator(".note")).to_contain_text("Approve the client: Done")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)


def test_the_answer_to_a_command_is_shown_when_an_earlier_load_returns_it(relay, open_page):
    relay.save(client("new", enabled=False))
    page = open_page()
    held = []
    page.route("**/v1/records/query", lambda route: held.append(route) if "TelemetryCommand" in route.request.post_data else route.continue_())
    rows(page, "Clients").first.click()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".note")).to_contain_text("Sent, waiting for the client")
    assert len(held) == 1
    command = wait_for_command(relay, "enable", clientid="new", status="pending")
    command["fields"] |= {"status": "executed", "executedAt": {"date": moment()}}
    relay.save(command, client("new"))
    held[0].continue_()
    expect(page.locator(".note")).to_contain_text("Approve the client: Done")


def test_the_answer_to_a_command_is_shown_when_it_is_faster_than_the_request(relay, open_page):
    relay.save(client("new", enabled=False))
    page = open_page()
    held = []

    def hold(route):
        held.append((route, route.fetch()))

    rows(page, "Clients").first.click()
    expect(page.get_by_text("No commands yet")).to_be_visible()
    page.route("**/v1/records", hold)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("region", name="Commands")).to_contain_text("Sent, waiting for the client")
    command = wait_for_command(relay, "enable", clientid="new", status="pending")
    command["fields"] |= {"status": "failed", "errorMessage": "no room"}
    relay.save(command)
    expect(page.get_by_role("region", name="Commands")).to_contain_text("The client failed: no room")
    route, response = held[0]
    route.fulfill(response=response)
    expect(page.locator(".note.problem")).to_contain_text("Approve the client: The client failed: no room")


def test_a_scenario_is_turned_on_with_level_and_lease(relay, open_page):
    relay.save(client(), scenario())
    page = open_page("/#/client?id=alpha")
    page.get_by_role("combobox", name="For", exact=True).select_option("3600")
    page.get_by_role("combobox", name="Level", exact=True).select_option("info")
    page.get_by_role("button", name="Turn on: NetworkRequests").click()
    command = wait_for_command(relay, "enableScenario", scenarioName="NetworkRequests", logLevel="info", lease=3600)
    command["fields"] |= {"status": "executed", "result": "lease cut to 1800 s"}
    relay.save(command, scenario(enabled=True, logLevel="info", expires={"date": moment(1800)}))
    row = page.get_by_role("region", name="Scenarios").get_by_role("row", name="NetworkRequests")
    expect(row).to_contain_text("On, 30 min left")
    expect(row).to_contain_text("A viewer")
    expect(page.get_by_role("region", name="Commands")).to_contain_text("Done: lease cut to 1800 s")
    page.get_by_role("button", name="Turn off: NetworkRequests").click()
    expect(page.locator(".note")).to_contain_text("Turn off NetworkRequests: Sent")
    wait_for_command(relay, "disableScenario", scenarioName="NetworkRequests")


def test_a_scenario_is_turned_on_for_one_user(relay, open_page):
    relay.save(client(), scenario())
    page = open_page("/#/client?id=alpha")
    field = page.get_by_role("textbox", name="Only for", exact=True)
    for text in ["user", "plan!=free, user=4711", "plan!=free && user=4711", "user="]:
        field.fill(text)
        page.get_by_role("button", name="Turn on: NetworkRequests").click()
        expect(page.locator(".note.problem")).to_contain_text("write a condition such as user=4711")
    assert relay.records("TelemetryCommand") == []
    field.fill("user=4711 AND plan != free")
    page.get_by_role("button", name="Turn on: NetworkRequests").click()
    command = wait_for_command(relay, "enableScenario", scenarioName="NetworkRequests")
    conditions = command["fields"]["contextConditions"]
    assert json.loads(conditions) == [
        {"attribute": "user", "comparison": "equals", "values": ["4711"]},
        {"attribute": "plan", "comparison": "notOneOf", "values": ["free"]}]
    assert len(relay.records("TelemetryCommand")) == 1
    expect(page.get_by_role("region", name="Commands")).to_contain_text("Turn on NetworkRequests for user=4711 and plan!=free for 10 min")
    relay.save(scenario(enabled=True, expires={"date": moment(1800)}, contextConditions=conditions))
    row = page.get_by_role("region", name="Scenarios").get_by_role("row", name="NetworkRequests")
    expect(row).to_contain_text("On for user=4711 and plan!=free, 30 min left")
    field.fill("")
    page.get_by_role("button", name="Extend: NetworkRequests").click()
    expect(page.get_by_role("region", name="Commands").get_by_role("row")).to_have_count(3)
    assert [record["fields"]["contextConditions"] for record in relay.records("TelemetryCommand")] == [conditions] * 2
    relay.save(scenario(enabled=True, contextConditions="{"))
    expect(row).to_contain_text("On for nobody, because its conditions cannot be read")


def test_what_the_flight_recorder_holds_is_asked_for(relay, open_page):
    relay.save(client(), scenario(), scenario("Sync"))
    page = open_page("/#/client?id=alpha")
    page.get_by_role("button", name="Send recent: Sync").click()
    expect(page.locator(".note")).to_contain_text("Send recent events of Sync: Sent, waiting for the client")
    command = wait_for_command(relay, "captureScenario", clientid="alpha", scenarioName="Sync", status="pending", logLevel=None, lease=None)
    assert len(relay.records("TelemetryCommand")) == 1
    command["fields"] |= {"status": "executed", "executedAt": {"date": moment()}, "result": "12 events"}
    relay.save(command)
    expect(page.locator(".note")).to_contain_text("Send recent events of Sync: Done: 12 events")
    expect(page.get_by_role("region", name="Commands").get_by_role("row", name="Send recent events of Sync")).to_contain_text("Done: 12 events")
    # The scenario itself stays off.
    expect(page.get_by_role("region", name="Scenarios").get_by_role("row", name="Sync").get_by_role("cell").first).to_have_text("Off")


def test_every_outcome_of_a_command_is_said_in_words(relay, open_page):
    outcomes = {"failed": "The client failed: no such scenario", "rejected": "The client refused: no such scenario",
                "expired": "Expired before", "superseded": "Replaced by a later command", "pending": "no answer yet. Is the app running?"}
    relay.save(client(), *({"recordType": "TelemetryCommand", "recordName": f"c-{status}", "fields": {
        "commandId": status, "clientid": "alpha", "action": "pause", "status": status, "created": {"date": moment(-60)},
        "errorMessage": "no such scenario"}} for status in outcomes))
    page = open_page("/#/client?id=alpha")
    for text in outcomes.values():
        expect(page.get_by_role("region", name="Commands")).to_contain_text(text)


def test_scenarios_that_cannot_be_read_are_reported(relay, open_page):
    page = open_page(fails_to_load=True)
    expect(page.get_by_text("No client yet")).to_be_visible()
    page.route("**/v1/records/query", lambda route: route.fulfill(
        status=400, content_type="application/problem+json", body='{"detail": "No such type.", "code": "invalidArgument"}'))
    page.goto(f"{relay.address}/#/client?id=alpha")
    expect(page.get_by_text("The scenarios cannot be read: No such type.")).to_be_visible()


def test_ending_a_client_asks_first(relay, open_page):
    relay.save(client())
    page = open_page("/#/client?id=alpha")
    page.get_by_role("button", name="End telemetry…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert relay.records("TelemetryCommand") == []
    page.get_by_role("button", name="End telemetry…").click()
    page.get_by_role("dialog").get_by_role("button", name="End telemetry").click()
    expect(page.locator(".note")).to_contain_text("End telemetry: Sent, waiting for the client")
    wait_for_command(relay, "disable", clientid="alpha")


def test_clients_on_later_pages_are_listed(relay, open_page):
    relay.save(*(client(f"page-{number}") for number in range(5)))
    page = open_page()
    page.route("**/v1/records/query", lambda route: route.continue_(post_data=json.dumps(route.request.post_data_json | {"limit": 2})))
    page.reload()
    expect(page.locator(".summary")).to_have_text("5 clients")


def test_ten_thousand_clients_are_searched_and_only_those_in_view_are_elements(relay, open_page):
    for start in range(0, 10_000, 400):
        relay.save(*(client(f"load-{number:05}", appVersion=f"3.{number % 10}") for number in range(start, start + 400)))
    page = open_page()
    expect(page.locator(".summary")).to_have_text("10,000 clients")
    assert rows(page, "Clients").count() < 80
    page.get_by_label("Search").fill("LOAD-0777 3.1")
    expect(page.locator(".summary")).to_have_text("1 of 10,000 clients")
    expect(rows(page, "Clients").first).to_contain_text("load-07771")
    page.get_by_label("Search").fill("")
    page.get_by_role("grid", name="Clients").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("grid", name="Clients").locator(".active")).to_have_attribute("aria-rowindex", "10001")
