"""Modules of the page, called in the browser without their views."""

import pytest

from relay import event


def log_rows(page, method, sequences):
    """What an event log shows after one call for each event: sequence numbers, and "first-last" where events are missing."""
    return page.evaluate("""async ([method, sequences]) => {
        const { EventLog } = await import("/web/event-log.js");
        const log = new EventLog(true);
        for (const sequence of sequences) {
            const event = { clientid: "alpha", sessionId: "s1", eventId: `e${sequence}`, sequence };
            if (method === "append") log.append([{ event, cursor: `c${sequence}` }], () => true);
            else log.prepend([event], `c${sequence}`, () => true);
        }
        return Array.from({ length: log.count }, (_, index) => log.at(index))
            .map(({ event, first, last }) => event?.sequence ?? `${first}-${last}`);
    }""", [method, sequences])


@pytest.mark.parametrize(("method", "sequences", "shown"), [
    ("append", [1, 2, 4, 3, 5], [1, 2, "3-3", 4, 3, 5]),
    ("prepend", [5, 3, 4, 2, 1], [1, 2, 4, 3, "4-4", 5]),
    # A real gap is still found after a late event.
    ("append", [1, 2, 4, 3, 7], [1, 2, "3-3", 4, 3, "5-6", 7]),
    ("prepend", [7, 5, 6, 2], [2, "3-4", 6, 5, "6-6", 7]),
])
def test_events_in_a_wrong_order_are_one_gap_and_not_two(relay, open_page, method, sequences, shown):
    assert log_rows(open_page(), method, sequences) == shown


def test_events_from_the_future_are_not_charted(relay, open_page):
    series = open_page().evaluate("""async () => {
        const { ChartData } = await import("/web/chart-data.js");
        const data = new ChartData(1_000);
        for (let year = 2100; year < 9999; year += 1) data.add({ eventTimestamp: `${year}-01-01T00:00:00Z`, scenario: `Scenario ${year}` }, 1);
        data.add({ eventTimestamp: new Date().toISOString(), scenario: "Now" }, 1);
        return data.series;
    }""")
    assert series == ["Now"]


def test_each_cause_of_a_loss_has_words(relay, open_page):
    text = open_page().evaluate("""async () => {
        const { summaryText } = await import("/web/event-row.js");
        const attributes = { full: 1, expired: 2, oversized: 3, rejected: 4, corrupt: 5, otherClient: 6 };
        return summaryText({ eventName: "telemetry.dropped", attributes });
    }""")
    assert text.startswith("The client dropped 21 events: ")
    assert not any(cause in text for cause in ["expired (", "oversized (", "rejected (", "corrupt (", "otherClient ("])


def read_to_the_end(page, path, fetch):
    """What a read of a path ends with; `fetch(original, abort)` returns the function that takes the place of the browser's."""
    return page.evaluate("""async (path) => {
        const { Relay } = await import("/web/api.js");
        const abort = new AbortController();
        const reports = [];
        const original = window.fetch;
        window.fetch = (FETCH)(original, abort);
        const answer = new Relay(null, (state) => reports.push(state)).get(path, abort.signal);
        // The page itself goes on with its own requests.
        window.fetch = original;
        const error = await answer.then(() => null, (error) => error);
        return { isTemporary: error?.isTemporary ?? null, isReason: error === abort.signal.reason, reports };
    }""".replace("FETCH", fetch), path)


def test_a_body_that_breaks_is_an_error_that_passes(relay, open_page):
    outcome = read_to_the_end(open_page(), "/v1/events", """() => async () => new Response(new ReadableStream({ start(stream) {
        stream.enqueue(new TextEncoder().encode('{"events": ['));
        setTimeout(() => stream.error(new TypeError("network error")));
    } }))""")
    assert outcome == {"isTemporary": True, "isReason": False, "reports": ["reachable", "away"]}


def test_a_read_that_is_aborted_in_its_body_does_not_say_that_the_relay_is_away(relay, open_page):
    # The body of a stream has no end.
    outcome = read_to_the_end(open_page(), "/v1/events/stream", """(original, abort) => async (...request) => {
        const response = await original(...request);
        setTimeout(() => abort.abort());
        return response;
    }""")
    assert outcome == {"isTemporary": None, "isReason": True, "reports": ["reachable"]}


def test_the_text_filter_looks_at_values_as_they_are_shown(relay, open_page):
    page = open_page()
    matches = page.evaluate("""async (event) => {
        const { EventFilter } = await import("/web/event-filter.js");
        return Object.fromEntries(["2026-01-02t03", "AT 04:05Z", "inf", "total", "object", "2027"].map((text) => [text, new EventFilter({ text }).predicate(event)]));
    }""", event(1, attributes={"at": {"date": "2026-01-02T03:04:05Z"}, "total": {"double": "inf"}}))
    assert matches == {"2026-01-02t03": True, "AT 04:05Z": True, "inf": True, "total": True, "object": False, "2027": False}
