"""Rules."""

import hashlib
import json

from playwright.sync_api import expect

from relay import client, moment, scenario


def rule(identifier, name):
    return {"recordType": "TelemetryRule", "recordName": f"rule-{identifier}", "fields": {
        "ruleId": identifier, "scenarioName": name, "logLevel": "info", "conditions": "[]", "percentage": 100,
        "created": {"date": moment(-60)}, "isEnabled": True}}


def test_a_rule_is_added_with_a_preview_of_its_reach_and_removed(relay, open_page):
    relay.save(*(client(f"c{number}", appVersion=f"2.{number}") for number in range(12)), client("waiting", enabled=False))
    page = open_page("/#/rules")
    expect(page.get_by_text("No rules")).to_be_visible()
    expect(page.locator("form .summary")).to_have_text("Reaches 12 of 12 approved clients now.")
    page.get_by_label("Scenario", exact=True).fill("Sync")
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Value").fill("2.9")
    # Versions: 2.10 and 2.11 are later than 2.9.
    expect(page.locator("form .summary")).to_have_text("Reaches 3 of 12 approved clients now.")
    page.get_by_label("Attribute").fill("customerGroup")
    expect(page.locator("form .summary")).to_contain_text("Reaches at most 12 of 12 approved clients now. Only the clients know their customerGroup.")
    page.get_by_label("Attribute").fill("appVersion")
    page.get_by_role("button", name="Add the rule").click()
    expect(page.locator("section > .note")).to_contain_text("Added the rule for Sync")
    row = page.get_by_role("region", name="Rules").get_by_role("row", name="Sync")
    expect(row).to_contain_text("appVersion>=2.9")
    [stored] = relay.records("TelemetryRule")
    assert json.loads(stored["fields"]["conditions"]) == [{"attribute": "appVersion", "comparison": "atLeast", "values": ["2.9"]}]
    assert stored["recordName"] == f"rule-{stored['fields']['ruleId']}"
    relay.save(scenario("Sync", "c9", enabled=True, source=f"rule:{stored['fields']['ruleId']}"))
    page.reload()
    expect(row.get_by_role("cell").nth(5)).to_have_text("1")
    row.get_by_role("button", name="Remove the rule for Sync").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No rules")).to_be_visible()
    assert relay.records("TelemetryRule") == []


def test_the_number_of_clients_that_follow_a_rule_changes_by_itself_and_the_focus_stays(relay, open_page):
    relay.save(client(), rule("r1", "Sync"))
    page = open_page("/#/rules")
    rules = page.get_by_role("region", name="Rules")
    row = rules.get_by_role("row", name="Sync")
    expect(row).to_be_visible()
    # When this rule is shown, the page is notified of changes and reads no more by itself.
    relay.save(rule("r2", "Net"))
    expect(rules.get_by_role("row", name="Net")).to_be_visible()
    following = row.get_by_role("cell").nth(5)
    expect(following).to_have_text("0")
    remove = row.get_by_role("button", name="Remove the rule for Sync")
    remove.focus()
    relay.save(scenario("Sync", enabled=True, source="rule:r1"))
    expect(following).to_have_text("1")
    expect(remove).to_be_focused()
    relay.save(scenario("Sync", source="rule:r1"))
    expect(following).to_have_text("0")
    expect(remove).to_be_focused()


def test_a_late_answer_does_not_replace_a_newer_number_of_followers(relay, open_page):
    relay.save(client(), rule("r1", "Sync"))
    page = open_page("/#/rules")
    rules = page.get_by_role("region", name="Rules")
    relay.save(rule("r2", "Net"))
    expect(rules.get_by_role("row", name="Net")).to_be_visible()
    held = []

    def hold_first(route):
        if not held and (route.request.post_data_json.get("conditions") or {}).get("source") == "rule:r1":
            held.append(route)
            held.append(route.fetch())
            # Both types change while the page awaits this answer, so it sends the query again, whichever of them was the cause.
            relay.save(scenario("Sync", enabled=True, source="rule:r1"))
            relay.save(rule("r4", "Late"))
        else:
            route.continue_()

    page.route("**/v1/records/query", hold_first)
    relay.save(rule("r3", "Disk"))
    following = rules.get_by_role("row", name="Sync").get_by_role("cell").nth(5)
    expect(following).to_have_text("1")
    expect(rules.get_by_role("row", name="Late")).to_be_visible()
    page.evaluate("""() => {
        window.numbers = [];
        new MutationObserver(() => {
            const row = [...document.querySelectorAll("main tbody tr")].find((row) => row.textContent.startsWith("Sync"));
            if (row) numbers.push(row.cells[6].textContent);
        }).observe(document.getElementById("main"), { childList: true, subtree: true });
    }""")
    late, answer = held
    # What changed since it asked makes the page ask again, after it used the late answer.
    with page.expect_request("**/v1/records/query"):
        late.fulfill(response=answer)
    assert set(page.evaluate("numbers")) <= {"1"}


def test_the_share_in_the_preview_is_that_of_the_clients(relay, open_page):
    page = open_page()
    # The positions that TelemetryRuleRecord.position(ofClient:inRule:) gives: SHA-256 of "rule\nclient".
    positions = page.evaluate("""async () => {
        const { position } = await import("/web/rule-match.js");
        return [await position("client-1", "rule-1"), await position("e\\u0301", "r")];
    }""")
    expected = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64 * 100 for text in ["rule-1\nclient-1", "r\n\u00e9"]]
    assert positions == expected
