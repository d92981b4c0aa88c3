"""Events: live, in the past, queried, and what is missing."""

import json
import re
import threading
import time

from playwright.sync_api import expect

from conftest import ARTIFACTS, ask, query_box, rows
from relay import client, event, moment, scenario

MARKERS = ".grid-body .marker:not([hidden])"


def row_texts(page):
    """The texts of the rows that are shown, in order."""
    return page.evaluate("""[...document.querySelectorAll('.events-grid .grid-body .grid-row:not([hidden])')]
        .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.textContent)""")


def shown_event(page, number):
    """The cell with an event's text. The text of a whole list does not tell one event: times follow the numbers in it."""
    return page.locator(".events-grid .grid-row:not([hidden]) .c-text").filter(has_text=re.compile(rf"GET /items/{number}\b"))


def test_nothing_yet_says_what_to_do(relay, open_page):
    page = open_page("/#/events")
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    page.get_by_role("link", name="Go to the clients").click()
    expect(page.get_by_role("heading", name="No client yet")).to_be_visible()


def test_new_events_are_shown_as_they_come_and_not_while_scrolled_up(relay, open_page):
    relay.append([event(number) for number in range(300)])
    page = open_page("/#/events")
    expect(shown_event(page, 299)).to_be_visible()
    relay.append([event(number) for number in range(300, 310)])
    expect(shown_event(page, 309)).to_be_visible()
    grid = page.get_by_role("grid", name="Events")
    grid.focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Newest ↓")).to_be_visible()
    before = row_texts(page)
    relay.append([event(number) for number in range(310, 325)])
    expect(page.get_by_role("button", name="15 new events ↓")).to_be_visible()
    assert row_texts(page) == before
    page.get_by_role("button", name="15 new events ↓").click()
    expect(shown_event(page, 324)).to_be_visible()
    expect(page.locator(".jump")).to_be_hidden()


def test_older_pages_are_read_while_scrolling_up_and_the_rows_stay(relay, open_page):
    for start in range(0, 6_000, 2_000):
        relay.append([event(number) for number in range(start, start + 2_000)])
    page = open_page("/#/events")
    expect(shown_event(page, 5999)).to_be_visible()
    grid = page.get_by_role("grid", name="Events")
    grid.focus()
    summary = page.locator(".summary")
    while (before := summary.inner_text()) != "6,000 rows":
        page.keyboard.press("Home")
        expect(summary).not_to_have_text(before)
    page.keyboard.press("Home")
    expect(shown_event(page, 0)).to_be_visible()
    assert row_texts(page)[0].endswith("GET /items/0")
    expect(page.locator(MARKERS)).to_have_count(0)


def test_pages_that_failed_while_scrolling_up_are_read_again_and_only_once(relay, open_page):
    for first in range(1, 3_001, 1_000):
        relay.append([event(number) for number in range(first, first + 1_000)])
    page = open_page(fails_to_load=True)
    # The pauses between attempts pass at once.
    page.clock.install()
    page.goto(f"{relay.address}/?#/events")
    expect(shown_event(page, 3_000)).to_be_visible()
    older = re.compile(r"/v1/events\?.*\border=desc\b.*\bafter=|/v1/events\?.*\bafter=.*\border=desc\b")
    page.route(older, lambda route: route.abort())
    page.get_by_role("grid", name="Events").focus()
    for _ in range(4):
        page.keyboard.press("End")
        expect(page.locator(".jump")).to_be_hidden()
        with page.expect_event("requestfailed", lambda request: older.search(request.url)):
            page.keyboard.press("Home")
            expect(page.locator(".jump")).to_be_visible()
            page.clock.fast_forward(3_000)
    requests = []
    page.on("request", lambda request: requests.append(request.url) if older.search(request.url) else None)
    page.unroute(older)
    page.clock.fast_forward(3_000)
    summary = page.locator(".summary")
    while (before := summary.inner_text()) != "3,000 rows":
        page.keyboard.press("Home")
        expect(summary).not_to_have_text(before)
    assert len(requests) == len(set(requests)) == 5
    page.keyboard.press("Home")
    expect(shown_event(page, 1)).to_be_visible()
    expect(page.locator(MARKERS)).to_have_count(0)


def test_more_events_than_the_page_keeps_are_scrolled_through_in_both_directions(relay, open_page):
    total = 45_000
    for first in range(1, total + 1, 2_500):
        relay.append([event(number, eventTimestamp=moment()) for number in range(first, first + 2_500)])
    page = open_page("/#/events")
    expect(shown_event(page, total)).to_be_visible()

    def scroll(to_start, wanted):
        """Scrolls to an end of the rows again and again until the wanted event is there. All rows in view follow each other."""
        for _ in range(400):
            page.evaluate("(top) => { document.querySelector('.events-grid').scrollTop = top; }", 0 if to_start else 1e9)
            page.wait_for_timeout(50)
            numbers = [int(text.split("/items/")[1]) for text in row_texts(page)]
            # The list is empty for a moment when it is read again from the newest event.
            assert all(later == number + 1 for number, later in zip(numbers, numbers[1:]))
            if wanted in numbers:
                return
        raise AssertionError(f"event {wanted} was not reached; the rows in view are {numbers}")

    scroll(True, 1)
    expect(page.locator(".summary")).to_contain_text("20,000 rows")
    relay.append([event(total + 1)])
    expect(page.get_by_role("button", name="1 new event ↓")).to_be_visible()
    scroll(False, total + 1)
    expect(page.locator(".jump")).to_be_hidden()
    relay.append([event(total + 2)])
    expect(shown_event(page, total + 2)).to_be_visible()


def test_a_query_narrows_the_list_and_its_link_restores_it(relay, open_page):
    relay.save(client())
    relay.append([event(number, severity_name, attributes={"severity": severity_name, "user": f"u{number}"}, scenario=scenario, logLevel=level)
                  for number, (severity_name, scenario, level) in enumerate(
                      [("info", "Sync", "info"), ("error", "Sync", "info"), ("warning", "Net", "diagnostic"), ("error", "Net", "diagnostic")] * 5)])
    page = open_page("/#/events")
    expect(rows(page, "Events")).to_have_count(20)
    for text, count in [("severity:>=error", 10), ("severity:>=error scenario:=Net", 5), ("severity:>=error scenario:=Net U7", 1)]:
        ask(page, text)
        expect(rows(page, "Events")).to_have_count(count)
    expect(page).to_have_url(re.compile(r"#/events\?query=severity%3A%3E%3Derror\+scenario%3A%3DNet\+U7$"))
    page.reload()
    expect(query_box(page)).to_have_value("severity:>=error scenario:=Net U7")
    expect(rows(page, "Events")).to_have_count(1)
    # Each query is an entry of the history.
    page.go_back()
    expect(rows(page, "Events")).to_have_count(5)
    ask(page, "time:<2001-01-01")
    expect(page.get_by_role("heading", name="No event matches")).to_be_visible()
    ask(page, "")
    expect(rows(page, "Events")).to_have_count(20)


def test_a_wrong_query_shows_the_message_and_the_place_and_keeps_the_result(relay, open_page):
    relay.append([event(number) for number in range(5)])
    page = open_page("/#/events", fails_to_load=True)
    expect(rows(page, "Events")).to_have_count(5)
    # Offsets are counted in bytes, and the words before this one have characters of two and four.
    ask(page, "é 😀 status:>abc")
    expect(page.get_by_role("alert")).to_contain_text("query:")
    expect(page.locator(".query-problem mark")).to_have_text("a")
    expect(query_box(page)).to_have_attribute("aria-invalid", "true")
    expect(rows(page, "Events")).to_have_count(5)
    assert page.url.endswith("#/events")
    ask(page, '"open')
    expect(page.locator(".query-problem mark")).to_have_text('"')
    ask(page, "a and")
    expect(page.locator(".query-problem mark")).to_have_text("▲")
    ask(page, "items")
    expect(page.locator(".query-problem")).to_be_hidden()
    expect(rows(page, "Events")).to_have_count(5)


def test_a_link_with_a_wrong_query_shows_what_is_wrong(relay, open_page):
    relay.append([event(1)])
    page = open_page("/#/events?query=name:%3E", fails_to_load=True)
    expect(page.get_by_role("alert")).to_contain_text("query:")
    expect(query_box(page)).to_have_value("name:>")
    page.keyboard.press("/")
    ask(page, "items")
    expect(rows(page, "Events")).to_have_count(1)


def test_what_is_typed_while_a_query_is_answered_stays(relay, open_page):
    relay.append([event(1), event(2)])
    page = open_page()
    expect(page.get_by_role("heading", name="Clients")).to_be_visible()
    held = []
    page.route("**/v1/events?*", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/v1/events?*"):
        page.get_by_role("link", name="Events").click()
    query_box(page).fill("items/2")
    held[0].continue_()
    expect(rows(page, "Events")).to_have_count(2)
    expect(query_box(page)).to_have_value("items/2")


def test_a_link_that_is_followed_while_a_query_is_answered_is_shown(relay, open_page):
    relay.append([event(1), event(2)])
    page = open_page("/#/events")
    # The browser reports a new address some time after it has changed.
    page.add_init_script("""
        window.reported = null;
        addEventListener("hashchange", (event) => {
            if (window.reported) return;
            event.stopImmediatePropagation();
            window.reported = () => dispatchEvent(new HashChangeEvent("hashchange"));
        }, true);
    """)
    page.reload()
    expect(rows(page, "Events")).to_have_count(2)
    held = []
    page.route("**/v1/events?*", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/v1/events?*"):
        ask(page, "items/1")
    page.evaluate("location.hash = '#/events?query=items/2'")
    page.wait_for_function("window.reported !== null")
    held[0].continue_()
    expect(rows(page, "Events").locator(".c-text")).to_have_text(["GET /items/1"])
    page.evaluate("window.reported()")
    expect(rows(page, "Events").locator(".c-text")).to_have_text(["GET /items/2"])
    expect(page).to_have_url(re.compile("items/2$"))


def test_a_value_of_an_opened_event_is_added_to_the_query_or_excluded(relay, open_page):
    odd = 'a "quoted" \\ value'
    relay.append([event(1, attributes={"odd key": odd}), event(2, attributes={"odd key": "other"}), event(3, scenario="Sync")])
    page = open_page("/#/events")
    rows(page, "Events").first.click()
    detail = page.get_by_role("complementary", name="Event")
    detail.get_by_role("button", name="Show only events with this odd key").click()
    expect(rows(page, "Events")).to_have_count(1)
    expect(query_box(page)).to_have_value('"odd key":="a \\"quoted\\" \\\\ value"')
    ask(page, "items or sync")
    expect(rows(page, "Events")).to_have_count(3)
    rows(page, "Events").first.click()
    detail.get_by_role("button", name="Exclude events with this scenario").click()
    expect(rows(page, "Events")).to_have_count(1)
    expect(query_box(page)).to_have_value('(items or sync) -scenario:="NetworkRequests"')
    expect(shown_event(page, 3)).to_be_visible()


def test_the_scenarios_of_a_client_lead_to_their_events(relay, open_page):
    relay.save(client(), scenario("Sync"))
    relay.append([event(1), event(2, scenario="Sync")])
    relay.append([event(3, scenario="Sync")], clientid="beta")
    page = open_page("/#/client?id=alpha")
    page.get_by_role("link", name="Sync").click()
    expect(rows(page, "Events")).to_have_count(1)
    expect(query_box(page)).to_have_value('client:="alpha" scenario:="Sync"')
    page.go_back()
    page.get_by_role("link", name="Show its events").click()
    expect(rows(page, "Events")).to_have_count(2)


def test_gaps_drops_and_captured_events_are_visible_where_they_happened(relay, open_page):
    relay.append([event(1), event(2), event(6), event(7, "telemetry.dropped", attributes={"full": 12}),
                  event(8, attributes={"telemetry.captured": True})])
    page = open_page("/#/events")
    expect(page.locator(MARKERS)).to_have_count(1)
    texts = row_texts(page)
    assert "3 events missing here (sequences 3 to 5" in texts[2]
    assert "The client dropped 12 events: the buffer was full (12)" in texts[4]
    assert "[captured earlier]" in texts[5]
    relay.append([event(10)])
    expect(page.locator(MARKERS)).to_have_count(2)
    # With a filter that hides events, a missing number means nothing.
    page.goto(f"{relay.address}/#/events?query=scenario:NetworkRequests")
    expect(page.locator(MARKERS)).to_have_count(0)


def test_attributes_stand_in_the_order_of_their_keys_and_hidden_ones_are_counted(relay, open_page):
    attributes = {f"key{number}": "value" for number in range(10, 40)} | {"severity": "info"}
    relay.append([event(1, attributes={"status": 500, "duration": 2.5, "app": "x"}), event(2, attributes={"app": "x", "status": 500, "duration": 2.5}),
                  event(3, attributes=dict(reversed(attributes.items())))])
    page = open_page("/#/events")
    texts = rows(page, "Events").locator(".c-text")
    expect(texts).to_have_text(["GET /items/1  app=x  duration=2.5  status=500", "GET /items/2  app=x  duration=2.5  status=500", re.compile(r"\+\d+$")])
    shown, hidden = (int(text) for text in re.fullmatch(r"GET /items/3(?:  key\d\d=value)*  key(\d\d)=value\+(\d+)", texts.nth(2).text_content()).groups())
    assert shown - 9 + hidden == 30
    key = texts.first.locator(".key").first
    colors = [item.evaluate("(item) => getComputedStyle(item).color") for item in (key, texts.first)]
    assert colors[0] != colors[1]
    # None of those that are shown is cut.
    assert texts.nth(2).locator(".shown").evaluate("(item) => item.scrollWidth <= item.clientWidth")
    page.set_viewport_size({"width": 2_000, "height": 800})
    expect(texts.nth(2)).not_to_have_text(re.compile(rf"\+{hidden}$"))


def test_events_that_retention_deleted_before_they_were_shown_are_counted(relay, open_page):
    relay.stop()
    relay.start("--event-capacity", "1000")
    relay.append([event(1)])
    page = open_page("/#/events", fails_to_load=True)
    expect(shown_event(page, 1)).to_be_visible()
    relay.stop()
    expect(page.get_by_text("The relay has not answered for")).to_be_visible()
    page.context.set_offline(True)
    relay.start("--event-capacity", "1000")
    for first in range(2, 5_002, 500):
        relay.append([event(number) for number in range(first, first + 500)])
    page.context.set_offline(False)
    expect(shown_event(page, 5001)).to_be_visible()
    page.get_by_role("grid", name="Events").focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("deleted here by the relay's retention")).to_be_visible()


def test_a_row_opens_with_all_fields_and_is_copied_as_json(relay, open_page, browser):
    number = 9_007_199_254_740_993
    relay.append([event(1, threadId="7", attributes={"status": 500, "big": number, "at": {"date": "2026-01-02T03:04:05Z"}})])
    page = open_page("/#/events")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    rows(page, "Events").first.click()
    detail = page.get_by_role("complementary", name="Event")
    for text in ["request.finished", "GET /items/1", "s1", "alpha", "500", str(number), "2026-01-02T03:04:05Z"]:
        expect(detail).to_contain_text(text)
    detail.get_by_role("button", name="Copy as JSON").click()
    expect(detail).to_contain_text("Copied.")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["attributes"] == {"status": 500, "big": number, "at": {"date": "2026-01-02T03:04:05Z"}}
    assert (copied["eventId"], copied["clientid"], copied["sequence"]) == ("e1", "alpha", 1)
    page.keyboard.press("Escape")
    expect(detail).to_have_count(0)
    expect(page.get_by_role("grid", name="Events")).to_be_focused()


def test_the_page_goes_on_by_itself_when_the_relay_comes_back(relay, open_page):
    relay.append([event(number) for number in range(1, 21)])
    page = open_page("/#/events", fails_to_load=True)
    expect(shown_event(page, 20)).to_be_visible()
    relay.kill()
    expect(page.get_by_text("The relay has not answered for")).to_be_visible()
    relay.start()
    relay.append([event(number) for number in range(21, 31)])
    expect(shown_event(page, 30)).to_be_visible()
    expect(page.get_by_text("The relay has not answered for")).to_have_count(0)
    numbers = [int(text.rsplit("/", 1)[1]) for text in row_texts(page)]
    assert numbers == list(range(31 - len(numbers), 31))
    expect(page.locator(".summary")).to_have_text("30 rows")


def test_a_fast_tail_loses_no_event_in_bounded_memory(relay, open_page):
    total, rate, batch = 100_000, 2_000, 250
    page = open_page("/#/events")
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    page.evaluate("""() => {
        let last = performance.now();
        window.longestFrame = 0;
        const next = () => {
            const now = performance.now();
            window.longestFrame = Math.max(window.longestFrame, now - last);
            last = now;
            requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    }""")

    def log():
        start = time.monotonic()
        for first in range(1, total + 1, batch):
            relay.append([event(number, eventTimestamp=moment(), attributes={"severity": "info", "bytes": number}) for number in range(first, first + batch)])
            time.sleep(max(0, start + first / rate - time.monotonic()))

    writer = threading.Thread(target=log)
    start = time.monotonic()
    writer.start()
    writer.join()
    seconds = time.monotonic() - start
    expect(shown_event(page, total)).to_be_visible(timeout=60_000)
    # The list is a window of 20,000 rows; a gap would be a row of its own.
    shown = int(page.locator(".summary").inner_text().split(" rows")[0].replace(",", ""))
    assert 15_000 < shown <= 20_000
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    memory = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    frame = page.evaluate("longestFrame")
    # Times depend on what else the machine does, so they are written down and not checked.
    (ARTIFACTS / "load.txt").write_text(
        f"{memory:.1f} MB of JavaScript heap after {total} events at {total / seconds:.0f} a second, longest frame {frame:.0f} ms\n")
    assert memory < 200
    # All of them can be scrolled back to; the rows in view are counted by their numbers, without a hole.
    texts = [int(text.split("/items/")[1].split(" ")[0]) for text in row_texts(page)]
    assert texts == list(range(total - len(texts) + 1, total + 1))


def test_a_query_of_several_lines_is_shown_and_asked_in_one(relay, open_page):
    relay.append([event(1), event(2, "retry")])
    page = open_page("/#/events?query=items%0D%0A-name:retry")
    expect(rows(page, "Events")).to_have_count(1)
    expect(query_box(page)).to_have_value("items -name:retry")
    with page.expect_request("**/v1/events?*") as request:
        query_box(page).press("Enter")
    assert "query=items+-name" in request.value.url


def test_the_reason_is_shown_while_a_query_is_asked_again(relay, open_page):
    relay.append([event(1), event(2, "retry")])
    page = open_page("/#/events", fails_to_load=True)
    expect(rows(page, "Events")).to_have_count(2)
    page.route("**/v1/events?*", lambda route: route.fulfill(status=429, json={"code": "rateLimited", "detail": "Too many queries."}))
    ask(page, "retry")
    expect(page.get_by_role("alert")).to_have_text("Too many queries. The query is asked again.")
    expect(query_box(page)).not_to_have_attribute("aria-invalid", "true")
    page.unroute("**/v1/events?*")
    expect(rows(page, "Events")).to_have_count(1)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_the_list_says_that_it_reads_older_events(relay, open_page):
    relay.append([event(number) for number in range(1_200)])
    page = open_page("/#/events")
    expect(shown_event(page, 1_199)).to_be_visible()
    held = []
    page.route(re.compile(r"/v1/events\?.*after="), lambda route: held.append(route))
    page.get_by_role("grid", name="Events").focus()
    page.keyboard.press("Home")
    expect(page.locator(".summary")).to_have_text("500 rows, reading older ones…")
    held[0].continue_()
    expect(page.locator(".summary")).to_have_text(re.compile("^1,000 rows"))
