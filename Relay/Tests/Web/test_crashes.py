"""Sessions that ended without a shutdown."""

from playwright.sync_api import expect

from conftest import query_box, rows
from relay import client, event, moment

BACKTRACE = "*** Signal 11 ***\n0 sync() in App at Sync.swift:12\n1 \u202emain\u001b[2J in App"


def report(number, session, end="signal", identifier="alpha", **attributes):
    """What a client reports at its next start about a session that was last active `number` minutes ago."""
    known = {"session": session, "end": end, "lastActive": {"date": moment(-60 * number)}, "appVersion": "2.1"}
    return event(1, "telemetry.session", eventId=f"end-{session}", scenario=None, sessionId=f"after-{session}", clientid=identifier,
                 eventTimestamp=moment(-1), property1=attributes.get("signal", end), attributes=known | attributes)


def fill(relay):
    relay.save(client("alpha"), client("beta"))
    relay.append([event(number, sessionId="s-crashed-1") for number in range(1, 4)])
    # What the flight recorder kept is sent by the next session.
    relay.append([event(4, sessionId="after-s-crashed-1", attributes={"telemetry.captured": True}), event(5, sessionId="after-s-crashed-1")])
    relay.append([report(5, "s-killed-02", "killed"), report(2, "s-crashed-1", signal="SIGSEGV", backtrace=BACKTRACE),
                  report(3, "s-killed-03", "killed"), report(9, "s-beta-0004", "outOfMemory", "beta")])
    # Events that only look like reports.
    relay.append([event(20, "telemetry.session", attributes={"session": "s-scenario"}), event(21, "telemetry.session", scenario=None)])


def cells(page, region):
    table = page.get_by_role("region", name=region, exact=True)
    expect(table).to_be_visible()
    return table.evaluate("table => [...table.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def test_an_ended_session_is_a_marked_row_that_opens(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    marked = rows(page, "Events").filter(has_text="ended:")
    expect(marked).to_have_count(4)
    row = marked.filter(has_text="SIGSEGV")
    expect(row.locator(".c-text")).to_contain_text("── Session s-crashe… ended: SIGSEGV (last active ")
    expect(row.locator(".c-severity")).to_have_text("ended")
    assert "marker" in row.get_attribute("class")
    row.click()
    detail = page.get_by_role("complementary", name="Event")
    expect(detail).to_contain_text("Sync.swift:12")
    expect(detail).to_contain_text("\\u{202e}main\\u{1b}[2J")
    # A new report is marked, too.
    relay.append([report(1, "s-live")])
    expect(rows(page, "Events").filter(has_text="Session s-live ended: signal")).to_have_count(1)


def test_the_crashes_are_listed_and_counted(relay, open_page):
    fill(relay)
    page = open_page()
    page.get_by_role("navigation").get_by_role("link", name="Crashes").click()
    listed = cells(page, "Crashes")
    assert [row[1:6] for row in listed] == [
        ["alpha", "2.1", "signal", "SIGSEGV", "s-crashed-1"], ["alpha", "2.1", "killed", "–", "s-killed-03"],
        ["alpha", "2.1", "killed", "–", "s-killed-02"], ["beta", "2.1", "outOfMemory", "–", "s-beta-0004"]]
    expect(page.locator(".summary")).to_have_text("4 sessions")
    assert cells(page, "Crashes by version and end") == [
        ["2.1", "killed", "none", "2"], ["2.1", "outOfMemory", "none", "1"], ["2.1", "signal", "SIGSEGV", "1"]]
    page.get_by_text("Backtrace", exact=True).last.click()
    expect(page.locator("pre")).to_have_text("*** Signal 11 ***\n0 sync() in App at Sync.swift:12\n1 \\u{202e}main\\u{1b}[2J in App")
    page.get_by_role("link", name="s-crashed-1").click()
    expect(query_box(page)).to_have_value('client:="alpha" (session:="s-crashed-1" or '
                                         '(session:="after-s-crashed-1" telemetry.captured:=true) or attributes.session:="s-crashed-1")')
    expect(rows(page, "Events")).to_have_count(5)
    expect(rows(page, "Events").filter(has_text="[captured earlier]")).to_have_count(1)
    expect(rows(page, "Events").last).to_contain_text("ended: SIGSEGV")


def test_a_new_crash_is_announced_and_shown_on_request(relay, open_page):
    fill(relay)
    page = open_page("/#/crashes?client=alpha")
    listed = page.get_by_role("region", name="Crashes", exact=True).locator("tbody tr")
    expect(listed).to_have_count(3)
    backtrace = page.get_by_text("Backtrace", exact=True).last
    backtrace.click()
    relay.append([report(1, "s-of-beta", identifier="beta")])
    relay.append([report(1, "s-live-1"), report(8, "s-live-2", "killed")])
    newer = page.get_by_role("button", name="Show 2 new sessions")
    expect(newer).to_be_visible()
    # What is being read stays.
    expect(listed).to_have_count(3)
    expect(page.locator("pre")).to_be_visible()
    newer.click()
    expect(listed).to_have_count(5)
    expect(newer).to_be_hidden()
    assert [row[5] for row in cells(page, "Crashes")] == ["s-live-1", "s-crashed-1", "s-killed-03", "s-killed-02", "s-live-2"]


def test_the_crashes_of_one_client_are_reached_from_it(relay, open_page):
    fill(relay)
    page = open_page("/#/client?id=beta")
    page.get_by_role("link", name="Show its crashes").click()
    assert [row[5] for row in cells(page, "Crashes")] == ["s-beta-0004"]
    expect(page.get_by_role("navigation").get_by_role("link", name="Crashes")).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_role("region", name="Crashes", exact=True).locator("tbody tr")).to_have_count(4)


def test_without_crashes_the_page_says_so(relay, open_page):
    relay.append([event(1)])
    page = open_page("/#/crashes")
    expect(page.get_by_role("heading", name="No crashes")).to_be_visible()
    relay.append([report(1, "s-first")])
    page.get_by_role("button", name="Show 1 new session").click()
    assert [row[5] for row in cells(page, "Crashes")] == ["s-first"]
