"""Rules with triggers: how they are shown and added, and what they would have done."""

import json
import os
import random
import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import ARTIFACTS
from relay import client, event, moment, scenario

TOOL = os.environ.get("TELEMETRY_TOOL")
CAPTURE = {"capture": {"lookback": 300}}


def rule(identifier, name, **fields):
    known = {"ruleId": identifier, "scenarioName": name, "logLevel": "info", "conditions": "[]", "percentage": 100, "created": {"date": moment(-60)}, "isEnabled": True}
    return {"recordType": "TelemetryRule", "recordName": f"rule-{identifier}", "fields": known | fields}


def trigger(when="severity:>=error", action=CAPTURE, **numbers):
    return json.dumps({"when": when, "action": action} | numbers)


def cells(page, name):
    """The cells of a rule by their column's title."""
    table = page.get_by_role("region", name="Rules")
    expect(table.get_by_role("row", name=name)).to_be_visible()
    titles = table.locator("thead tr > *").all_text_contents()
    return dict(zip(titles, table.get_by_role("row", name=name).locator("> *").all_text_contents()))


def open_form(open_page, query, count="1", fails_to_load=False, **fields):
    """The form with a trigger, once the clients are known."""
    page = open_page("/#/rules", fails_to_load=fails_to_load)
    expect(page.locator("form .summary")).to_contain_text("Reaches ")
    page.get_by_label("Scenario", exact=True).fill("Checkout")
    page.get_by_label("What clients do").select_option("When events match …")
    page.get_by_label("Query", exact=True).fill(query)
    page.get_by_label("Number of events").fill(count)
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    return page


def attempt(page):
    """Tries the rule, and returns the group with the result."""
    group = page.get_by_role("group", name="Try it")
    group.get_by_role("button", name="Try it").click()
    return group


def table(group, name):
    region = group.get_by_role("region", name=name, exact=True)
    expect(region).to_be_visible()
    return region.evaluate("region => [...region.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def test_a_rule_with_a_trigger_is_shown_with_what_it_does(relay, open_page):
    relay.save(client(), scenario("Enables", enabled=True, source="rule:r2"))
    relay.save(rule("r1", "Checkout", trigger=trigger(count=3, within=90, limit=2, per=86400), percentage=12.5, issuer="Ada"),
               rule("r2", "Enables", trigger=trigger("name:retry \u202e", {"enable": {"lease": 600}})),
               rule("r3", "Always"), rule("r4", "Every", trigger=trigger("", {"capture": {}}, count=None)),
               rule("r5", "OneUser", contextConditions=json.dumps([{"attribute": "user", "comparison": "equals", "values": ["4711"]}])))
    page = open_page("/#/rules")
    captures, enables = cells(page, "Checkout"), cells(page, "Enables")
    page.screenshot(path=ARTIFACTS / "rules-with-triggers.png")
    assert captures["What it does"] == "When severity:>=error, at least 3 within 90s: captures the last 5m; at most 2 per 1d"
    assert [captures[title] for title in ("Level", "Share", "Following", "By", "Applies to")] == ["info", "12.5 %", "0", "Ada", "All approved clients"]
    assert enables["What it does"] == "When name:retry \\u{202e}: turns on for 10m; at most 1 per 1h"
    assert enables["Following"] == "1"
    assert cells(page, "Always")["What it does"] == "Turns on"
    assert cells(page, "Every")["What it does"] == "When *: captures all that is kept; at most 1 per 1h"
    assert cells(page, "OneUser")["What it does"] == "Turns on, only for user=4711"
    page.get_by_role("button", name="Remove the rule for Enables").click()
    expect(page.get_by_role("dialog")).to_contain_text("Clients no longer act because of it.")


def test_a_rule_is_added_for_one_user(relay, open_page):
    page = open_form(open_page, "name:retry")
    field = page.get_by_role("textbox", name="Only for", exact=True)
    field.fill("user")
    page.get_by_role("button", name="Add the rule").click()
    expect(page.get_by_role("alert").filter(has_text="write a condition such as user=4711")).to_be_visible()
    field.fill("user=4711")
    page.get_by_role("button", name="Add the rule").click()
    expect(page.get_by_role("alert").filter(has_text="what the flight recorder kept has no context")).to_be_visible()
    assert relay.records("TelemetryRule") == []
    page.get_by_label("What clients do").select_option("Turn the scenario on")
    page.get_by_role("button", name="Add the rule").click()
    assert cells(page, "Checkout")["What it does"] == "Turns on, only for user=4711"
    [stored] = relay.records("TelemetryRule")
    assert json.loads(stored["fields"]["contextConditions"]) == [{"attribute": "user", "comparison": "equals", "values": ["4711"]}]
    relay.save(rule("r9", "Kept", trigger=trigger(), contextConditions=stored["fields"]["contextConditions"]))
    assert cells(page, "Kept")["What it does"] == "Nothing: what the flight recorder kept has no context"


UNREADABLE = [
    "", "{", "null", "[]", trigger("a | limit 1"), trigger("a or"), trigger('"a'), trigger(7), json.dumps({"when": "a"}), trigger(action={}),
    trigger(action={"capture": {}, "enable": {"lease": 1}}), trigger(action={"capture": None}), trigger(action={"capture": {"lookback": 0}}),
    trigger(action={"enable": {}}), trigger(action={"enable": {"lease": "1"}}), trigger(count=0), trigger(count=1.5), trigger(count=10001),
    trigger(limit=0), trigger(within=0), trigger(per=-1), trigger(within="1m"), trigger(count=True), '{"when":"a","action":{"capture":{}},"per":1e999}',
]


def test_a_trigger_that_the_library_cannot_read_acts_on_nobody(relay, open_page):
    relay.save(*(rule(f"r{number}", f"Broken{number:02}", trigger=stored) for number, stored in enumerate(UNREADABLE)))
    # The relay refuses the queries that it cannot read.
    page = open_page("/#/rules", fails_to_load=True)
    for number, stored in enumerate(UNREADABLE):
        shown = cells(page, f"Broken{number:02}")
        assert [stored, shown["What it does"], shown["Applies to"]] == [stored, "Nothing", "Nobody: its trigger cannot be read"]


def test_a_rule_with_a_trigger_is_added_in_the_librarys_form(relay, open_page):
    page = open_form(open_page, ' severity:>=error "card declined" ', "3", **{"Within": "90s", "At most this many times": "2", "Per": "1d"})
    page.get_by_role("button", name="Add the rule").click()
    expect(page.locator("section > .note")).to_contain_text("Added the rule for Checkout")
    [stored] = relay.records("TelemetryRule")
    assert stored["fields"]["trigger"] == ('{"action":{"capture":{"lookback":300}},"count":3,"limit":2,"per":86400,'
                                           '"when":"severity:>=error \\"card declined\\"","within":90}')
    assert cells(page, "Checkout")["What it does"] == 'When severity:>=error "card declined", at least 3 within 90s: captures the last 5m; at most 2 per 1d'
    page.get_by_label("Scenario", exact=True).fill("Net")
    page.get_by_label("Then").select_option("Turn the scenario on")
    page.get_by_role("group", name="When events match").get_by_label("For", exact=True).fill("15m")
    page.get_by_role("button", name="Add the rule").click()
    assert cells(page, "Net")["What it does"].endswith(": turns on for 15m; at most 2 per 1d")
    page.get_by_label("Scenario", exact=True).fill("Sync")
    page.get_by_label("What clients do").select_option("Turn the scenario on")
    expect(page.get_by_label("Query", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Add the rule").click()
    assert cells(page, "Sync")["What it does"] == "Turns on"
    assert "trigger" not in next(record["fields"] for record in relay.records("TelemetryRule") if record["fields"]["scenarioName"] == "Sync")


@pytest.mark.parametrize("query, place, after, reason", [
    ("status:>abc", "a", "bc", "number"), ('é "card', '"', "card", "quot"), ("a or", "▲", "", ""), ("é a | top app", "|", " top app", "A trigger's query has no pipes."),
])
@pytest.mark.parametrize("action", ["Add the rule", "Try it"])
def test_a_wrong_query_is_refused_with_its_place(relay, open_page, action, query, place, after, reason):
    page = open_form(open_page, query, fails_to_load=True)
    page.get_by_role("button", name=action).click()
    field = page.get_by_label("Query", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    shown = page.get_by_label("Place of the error")
    expect(shown.locator("mark")).to_have_text(place)
    assert shown.text_content().endswith(place + after)
    expect(page.locator("#trigger-problem")).to_contain_text(reason)
    assert relay.records("TelemetryRule") == []
    field.fill("a")
    expect(shown).to_be_hidden()


@pytest.mark.parametrize("label, value", [
    ("Number of events", "0"), ("Number of events", "10001"), ("Number of events", "1.5"), ("Within", "soon"), ("Within", "0s"), ("Per", "-1h"),
    ("Up to this age (or all)", ""), ("At most this many times", ""),
])
def test_numbers_outside_their_ranges_are_refused_at_their_field(relay, open_page, label, value):
    page = open_form(open_page, "a", **{label: value})
    for button in ["Try it", "Add the rule"]:
        page.get_by_role("button", name=button).focus()
        page.get_by_role("button", name=button).click()
        expect(page.get_by_label(label, exact=True)).to_be_focused()
    assert relay.records("TelemetryRule") == []


def failed(number, seconds, **fields):
    return event(number, "payment.failed", eventTimestamp=moment(seconds), scenario="Checkout", attributes={"severity": "error"}) | fields


def test_a_trigger_is_tried_on_the_stored_events_of_the_clients_that_the_rule_reaches(relay, open_page):
    relay.save(client("alpha"), client("beta", appVersion="1.0"), client("gamma"), client("waiting", enabled=False))
    times = [-3900, -3890, -3880, -1800, -1799, -100, -99]
    relay.append([failed(number, seconds) for number, seconds in enumerate(times)])
    # Not counted: events of the library, of clients that the rule does not reach, and of another session.
    relay.append([failed(20, -1798, eventName="telemetry.trigger"), failed(21, -1798, clientid="beta"), failed(22, -1797, clientid="waiting"),
                  failed(23, -98, sessionId="s2"), failed(24, -90_000), event(25, clientid="gamma")])
    page = open_form(open_page, "severity:>=error", "2", Per="30m")
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Value").fill("2.0")
    group = attempt(page)
    expect(group.get_by_role("status")).to_have_text("2 actions on 1 of 2 clients; held back by the limit: 1.")
    assert [row[1:] for row in table(group, "Actions")] == [["alpha", "2"], ["alpha", "2"]]
    # A third event after an action begins a new count.
    assert table(group, "Clients with matching events") == [["alpha", "8", "8", "2", "1", "1 of 2"]]
    expect(group).to_contain_text("1 other client: no matching event.")
    expect(group).to_contain_text("Only stored events were replayed.")
    group.get_by_label("Stored events of").select_option("The last hour")
    expect(group.get_by_role("status")).to_have_text("")
    # A result is of the form as it is.
    group.get_by_role("button", name="Try it").click()
    expect(group.get_by_role("status")).to_have_text("1 action on 1 of 2 clients; held back by the limit: 1.")
    page.get_by_label("Number of events").fill("4")
    expect(group.get_by_role("status")).to_have_text("")
    expect(group.get_by_role("region", name="Actions")).to_have_count(0)
    assert relay.records("TelemetryRule") == []


def test_where_a_trigger_never_acted_the_nearest_miss_and_the_failing_condition_are_shown(relay, open_page):
    relay.save(client("alpha"), client("beta"))
    relay.append([failed(1, -60), failed(2, -50), failed(3, -30, attributes={"severity": "warning"}), failed(4, -20, attributes={"severity": "info"}),
                  failed(5, -10, eventName="payment.done"), failed(6, -5, eventName="telemetry.payment.failed", attributes={}), failed(7, -40, clientid="beta")])
    page = open_form(open_page, "severity:>=error and name:=payment.failed not (a b)", "3")
    group = attempt(page)
    expect(group.get_by_role("status")).to_have_text("0 actions on 0 of 2 clients; held back by the limit: 0.")
    expect(group).to_contain_text("At most 2 of 3 matching events were within 1m: alpha, up to ")
    expect(group).to_contain_text("The only failing condition was most often severity:>=error (2 events), last at ")
    assert [row[5] for row in table(group, "Clients with matching events")] == ["2 of 3", "1 of 3"]
    expect(group.get_by_label("Command")).to_have_text(
        "telemetry rule test 'Checkout' --when 'severity:>=error and name:=payment.failed not (a b)' --count 3 --within 1m --capture 5m --limit 1/1h --since 1d")
    group.get_by_role("link", name="Show events that fail only this condition").click()
    expect(page.get_by_role("grid", name="Events").locator(".grid-body .grid-row:not([hidden])")).to_have_count(2)


def test_without_matching_or_stored_events_the_result_says_so(relay, open_page):
    page = open_form(open_page, "no-such-word")
    expect(attempt(page).get_by_role("status")).to_have_text("The rule reaches no approved client.")
    relay.save(client("alpha"))
    expect(page.locator("form .summary")).to_contain_text("Reaches 1 of 1")
    group = attempt(page)
    expect(group).to_contain_text("No events of these clients are stored in the period.")
    relay.append([event(1), event(2)])
    attempt(page)
    expect(group).to_contain_text("None of 2 events matches the query.")


def test_the_result_says_how_many_events_were_read(relay, open_page):
    relay.save(client("alpha"))
    for first in range(0, 10_050, 2_010):
        relay.append([failed(number, -1000 + number / 100) for number in range(first, first + 2_010)])
    group = attempt(open_form(open_page, "name:=payment.failed", "10000", Within="1h"))
    expect(group).to_contain_text("Only the newest 10,000 of 10,050 events that match were read, those since ")
    expect(group.get_by_role("status")).to_have_text("1 action on 1 of 1 client; held back by the limit: 0.")


def test_what_a_client_alone_knows_is_not_evaluated(relay, open_page):
    relay.save(client("alpha"))
    relay.append([failed(1, -60)])
    page = open_form(open_page, "time:15m severity:>=error")
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Attribute").fill("customerGroup")
    page.get_by_label("Value").fill("b2b")
    group = attempt(page)
    expect(group).to_contain_text("Not evaluated, because only the clients know it: customerGroup.")
    expect(group).to_contain_text("Conditions on the time are evaluated as of now.")
    expect(group.get_by_role("status")).to_contain_text("1 action on 1 of 1 client")


def test_the_form_has_no_problems_of_accessibility(relay, open_page):
    relay.save(client("alpha"), rule("r1", "Checkout", trigger=trigger(count=3)))
    relay.append([failed(1, -60), failed(2, -59)])
    page = open_form(open_page, "severity:>=error")
    expect(attempt(page).get_by_role("region", name="Actions")).to_be_visible()
    page.screenshot(path=ARTIFACTS / "triggers.png", full_page=True)
    assert Axe().run(page).response["violations"] == []


def counter_outcomes(page, trigger, events):
    return page.evaluate("""async ([trigger, events]) => {
        const { TriggerCounter } = await import("/web/trigger-replay.js");
        const counter = new TriggerCounter(trigger);
        return events.map(([seconds, isOwn]) => Object.values(counter.add(seconds, isOwn))).map(([outcome, count]) => `${outcome} ${count}`);
    }""", [trigger, events])


# The tables of TriggerTests, which has the same for the library.
@pytest.mark.parametrize("numbers, events, outcomes", [
    ({"count": 3, "limit": 10}, [0, 10, 21, 31, 30, 31.5], "counted 1, counted 2, counted 1, counted 2, acts 3, counted 1"),
    ({"count": 3, "limit": 10}, [100, 101, 50, 51, 52], "counted 1, counted 2, counted 1, counted 2, acts 3"),
    ({"count": 2}, [0, 1, 2, 3, 99, 99.5, 100, 101], "counted 1, acts 2, counted 1, heldBack 2, counted 1, heldBack 2, counted 1, acts 2"),
    ({"limit": 3, "action": {"enable": {"lease": 20}}}, [(0, True), (5, True), (5, False), (25, True)], "acts 1, ownEvent 0, acts 1, acts 1"),
    ({"limit": 4}, [(0, True), (5, True), (5, False), (25, True)], "acts 1, acts 1, acts 1, acts 1"),
])
def test_events_are_counted_as_the_library_counts_them(relay, open_page, numbers, events, outcomes):
    known = {"action": {"capture": {}}, "count": 1, "within": 10, "limit": 1, "per": 100}
    pairs = [item if isinstance(item, tuple) else (item, False) for item in events]
    assert ", ".join(counter_outcomes(open_page(), known | numbers, pairs)) == outcomes


@pytest.mark.skipif(not TOOL, reason="TELEMETRY_TOOL names no program")
def test_the_page_and_the_command_line_viewer_replay_alike(relay, open_page, tmp_path):
    seed = int(os.environ.get("TELEMETRY_SEED", random.SystemRandom().randrange(2**32)))
    print(f"TELEMETRY_SEED={seed}")
    numbers = random.Random(seed)
    relay.save(client("alpha"), client("beta"))
    for identifier in ["alpha", "beta"]:
        for session in ["s1", "s2"]:
            relay.append([failed(number, numbers.uniform(-600, -10), eventId=f"{identifier}-{session}-{number}", clientid=identifier, sessionId=session,
                                 eventName=numbers.choice(["payment.failed", "telemetry.dropped", "payment.done"]),
                                 scenario=numbers.choice(["Checkout", "Other"])) for number in range(60)])
    page = open_form(open_page, "-name:=payment.done", "2", Within="8s", Per="2m", **{"At most this many times": "2"})
    page.get_by_label("Then").select_option("Turn the scenario on")
    page.get_by_role("group", name="When events match").get_by_label("For", exact=True).fill("20s")
    group = attempt(page)
    expect(group.get_by_role("status")).to_contain_text("on 2 of 2 clients")
    shown = {row[0]: row[1:5] for row in table(group, "Clients with matching events")}
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    lines = subprocess.run([TOOL, "rule", "test", "Checkout", "--when=-name:=payment.done", "--count", "2", "--within", "8s", "--enable", "20s", "--limit", "2/2m",
                            "--since", "1d", "--relay", relay.address, "-o", "json"], check=True, capture_output=True, text=True, env=environment, timeout=60)
    replayed = [json.loads(line) for line in lines.stdout.splitlines()]
    assert shown == {item["clientid"]: [str(item["events"]), str(item["matched"]), str(len(item["actions"])), str(item["heldBack"])] for item in replayed}
