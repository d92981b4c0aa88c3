"""Everything that a client controls is shown as text."""

import re

from playwright.sync_api import expect

from conftest import ask, query_box, rows
from relay import client, event, moment, scenario

ATTACKS = ['<img src=x onerror=alert(1)>', '"><script>alert(2)</script>', "javascript:alert(3)", "{{alert(4)}}", "</style><svg onload=alert(5)>",
           "__proto__", "constructor", "' onfocus='alert(6)' autofocus='", "\u202egpj.exe\u0000", "a" * 1000]


def test_no_field_becomes_markup_in_any_view(relay, open_page):
    for number, attack in enumerate(ATTACKS):
        hostile = {"appVersion": attack, "osVersion": attack, "deviceModel": attack, "libraryVersion": attack}
        record = client(attack.replace("\u0000", ""), **hostile) | {"recordName": f"client-{number}"}
        relay.save(record, scenario(attack, "alpha", enabled=True, source=f"rule:{attack}", logLevel=attack) | {"recordName": f"scenario-{number}"},
                   {"recordType": "TelemetryCommand", "recordName": f"command-{number}", "fields": {
                       "commandId": attack, "clientid": "alpha", "action": attack, "status": attack, "scenarioName": attack, "result": attack,
                       "errorMessage": attack, "issuer": attack, "created": {"date": moment()}}},
                   {"recordType": "TelemetryRule", "recordName": f"rule-{number}", "fields": {
                       "ruleId": attack, "scenarioName": attack, "logLevel": attack, "conditions": attack, "percentage": 50, "issuer": attack,
                       "created": {"date": moment()}, "isEnabled": True}})
        relay.append([event(number, attack, scenario=attack, property1=attack, threadId=attack, deviceName=attack, deviceType=attack,
                            appVersion=attack, osVersion=attack, deviceModel=attack, sessionId=attack, eventId=f"{number}{attack}",
                            attributes={attack: attack, "severity": attack, "level": attack}),
                      event(number, "telemetry.session", eventId=f"end{number}", scenario=None, sessionId="next", attributes={
                          name: attack for name in ["session", "end", "signal", "lastActive", "appVersion", "backtrace"]})])
    relay.save(client())
    page = open_page()
    expect(page.locator(".summary")).to_have_text(f"{len(ATTACKS) + 1} clients")
    views = ["/#/clients", "/#/client?id=alpha", "/#/client?id=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "/#/events",
             "/#/events?query=%22%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%22", "/#/crashes", "/#/audit", "/#/rules", "/#/events?query=%7C+top+name,+text,+scenario", "/#/events?query=%7C+stats+count()+by+name,+time:1m", "/#/events?query=%7C+limit+20", "/#/__proto__", "/#/constructor"]
    for view in views:
        page.goto(relay.address + view)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if view == "/#/events":
            expect(rows(page, "Events")).not_to_have_count(0)
            for index in range(2 * len(ATTACKS)):
                page.get_by_role("grid", name="Events").focus()
                page.keyboard.press("Home" if index == 0 else "ArrowDown")
                page.keyboard.press("Enter")
                expect(page.get_by_role("complementary", name="Event")).to_be_visible()
        if view == "/#/crashes":
            expect(page.get_by_role("region", name="Crashes", exact=True)).to_contain_text("alert(1)")
        if view == "/#/audit":
            expect(page.get_by_role("region", name="Audit")).to_contain_text("alert(1)")
        if "%7C" in view:
            expect(page.get_by_role("region", name="Result")).to_contain_text("alert(1)")
        assert page.locator("img").count() == 1, view
        assert page.locator("script").count() == 1, view
        assert page.evaluate("[...document.querySelectorAll('*')].every((item) => [...item.attributes].every(({ name }) => !name.startsWith('on')))")
        assert page.evaluate("[...document.querySelectorAll('a')].every((link) => link.href.startsWith(location.origin + '/#'))")


def test_a_filter_by_a_hostile_value_finds_exactly_its_event(relay, open_page):
    attacks = [*ATTACKS, "two\nlines", 'a "quoted" \\ value']
    relay.append([event(number, f"n{number}", property1=attack) for number, attack in enumerate(attacks)])
    page = open_page()
    for number in range(len(attacks)):
        page.goto(f"{relay.address}/#/events?query=name:%3Dn{number}")
        expect(rows(page, "Events").locator(".c-name")).to_have_text(f"n{number}")
        rows(page, "Events").first.click()
        page.get_by_role("button", name="Show only events with this text").click()
        expect(query_box(page)).to_have_value(re.compile(rf"^name:=n{number} text:[=~]"))
        term = query_box(page).input_value().removeprefix(f"name:=n{number} ")
        ask(page, term)
        expect(page).to_have_url(re.compile(r"query=text"))
        expect(page.locator(".summary")).to_have_text("1 row")
        expect(rows(page, "Events").locator(".c-name")).to_have_text([f"n{number}"])


def test_characters_that_hide_or_turn_text_are_shown_as_escapes(relay, open_page):
    shown = {"safe\u202etxt.exe": "safe\\u{202e}txt.exe", "web-1": "web-1", "web-1\u00ad": "web-1\\u{ad}", "web-1\U000e0041": "web-1\\u{e0041}",
             "web-1\u3164": "web-1\\u{3164}", "Zoe\u0308 \U0001f600": "Zoe\u0308 \U0001f600"}
    relay.save(*(client(name) for name in shown))
    page = open_page()
    expect(rows(page, "Clients")).to_have_count(len(shown))
    for text in shown.values():
        expect(rows(page, "Clients").filter(has_text=text).first).to_be_visible()
