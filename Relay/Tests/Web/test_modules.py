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
            if (method === "append") log.append([{ event, cursor: `c${sequence}` }]);
            else log.prepend([event], `c${sequence}`);
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


def test_each_cause_of_a_loss_has_words(relay, open_page):
    text = open_page().evaluate("""async () => {
        const { rowSummary } = await import("/web/event-row.js");
        const attributes = { full: 1, expired: 2, oversized: 3, rejected: 4, corrupt: 5, otherClient: 6 };
        return rowSummary({ eventName: "telemetry.dropped", attributes }).text;
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


def evaluate_with(page, module, expression, argument):
    return page.evaluate(f"async (argument) => {{ const module = await import('/web/{module}'); return {expression}; }}", argument)


@pytest.mark.parametrize(("query", "added"), [
    ("", "t"), ("a", "a t"), ("a b | top app", "a b t | top app"), ("| top app", "t | top app"), ("a or b", "(a or b) t"),
    ("(a or b) c", "(a or b) c t"), ("a t", "a t"), ("(t or a)", "(t or a) t"), ('"a or | b"', '"a or | b" t'), ('text:="\\"" or b', '(text:="\\"" or b) t'),
    ("a t or b", "(a t or b) t"), ("not t", "not t t"), ("- t", "- t t"), ("not t t", "not t t"),
])
def test_a_term_is_added_so_that_all_events_meet_it(relay, open_page, query, added):
    assert evaluate_with(open_page(), "query-text.js", "module.adding('t', argument)", query) == added


@pytest.mark.parametrize(("query", "result"), [
    ("", "time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time:15m a | top app", "a time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z | top app"),
    ("a time:>=2026-01-01 time:<2026-02-01 b", "a b time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("not time:1h a", "not time:1h a time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("a and time:1h", "a time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time:>2026-01-01 AND time:<2026-02-01 and a", "a time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("a and time:1h and b", "a and b time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time:in(2026-01-01) a", "time:in(2026-01-01) a time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time: 1h", "time: 1h time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time:>= 2026-01-01", "time:>= 2026-01-01 time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
    ("time:1h or a", "(time:1h or a) time:>=1970-01-01T00:00:00Z time:<1970-01-01T00:00:01.500Z"),
])
def test_a_span_takes_the_place_of_the_one_in_the_query(relay, open_page, query, result):
    assert evaluate_with(open_page(), "query-text.js", "module.within(0, 1500, argument)", query) == result


@pytest.mark.parametrize(("query", "shows"), [
    ("", True), ('client:="a b" session:=s time:1h', True), ("client:=a or x", False), ("client:a", False), ("-client:=a", False), ("| limit 3", False),
    ('time:~"x"', False), ("not time:1h", False), ("time:>2026-01-01 and client:=a", True),
])
def test_only_queries_that_hide_no_event_of_a_session_show_gaps(relay, open_page, query, shows):
    assert evaluate_with(open_page(), "query-text.js", "module.showsWholeSessions(argument)", query) is shows


@pytest.mark.parametrize(("query", "conditions"), [
    ("", [""]), ('severity:>=error "a b" -name:retry', ["severity:>=error", '"a b"', "-name:retry"]), ("a or b", ["a or b"]), ("(a or b) c", ["(a or b)", "c"]),
    ("status:in(500, 502) x", ["status:in(500, 502)", "x"]), ("not (a b) and -status:in(1)", ["not (a b)", "-status:in(1)"]), ('- t AND "b and c"', ["- t", '"b and c"']),
])
def test_a_filter_is_split_into_its_conditions(relay, open_page, query, conditions):
    assert evaluate_with(open_page(), "query-text.js", "module.conditions(argument)", query) == conditions


def test_an_attribute_with_the_name_of_a_column_of_top_is_listed_by_its_own_name(relay, open_page):
    relay.append([event(1, attributes={"count": 3})])
    field = evaluate_with(open_page(), "query-text.js", "module.attributeField(argument)", "count")
    assert relay.post("/v1/query", {"query": f"{field}:=3 | top {field}"})["rows"] == [["3", 1]]


@pytest.mark.parametrize("value", ["a\nb", "\r\n", 'a.*\n"b" \\ (c) [d] {e} ^$?+|', "a\n"])
def test_a_value_of_several_lines_is_found_by_a_query_of_one(relay, open_page, value):
    relay.append([event(number, property1=text) for number, text in enumerate([value, f"{value}x", f"x{value}", value.replace("\n", " "), value.replace(".", "x")])])
    query = evaluate_with(open_page(), "query-text.js", "module.term('text', argument)", value)
    assert "\n" not in query and "\r" not in query
    found = relay.post("/v1/query", {"query": query})["events"]
    assert {item["property1"] for item in found} == {value}


@pytest.mark.parametrize(("attributes", "level", "severity"), [
    ({"severity": "WARN"}, "info", "warning"), ({"severity": "Fatal"}, "info", "critical"), ({"severity": "err", "level": "alert"}, "info", "alert"),
    ({"severity": 3}, "diagnostic", "debug"), ({"severity": "verbose"}, "info", "info"), ({}, "info", "info"),
])
def test_severities_are_those_of_the_query_language(relay, open_page, attributes, level, severity):
    relay.append([event(1, attributes=attributes, logLevel=level)])
    [row] = relay.post("/v1/query", {"query": "| top severity"})["rows"]
    shown = evaluate_with(open_page(), "event-row.js", "module.severity(argument)", event(1, attributes=attributes, logLevel=level))
    assert [shown, 1] == row == [severity, 1]


REQUEST = {"method": "GET", "host": "api.example.com", "path": "/users/{id}"}


def test_a_request_is_one_line(relay, open_page):
    page = open_page()
    for name, attributes, text, rest in [
        ("started", {}, "", []),
        ("finished", {"status": 200, "duration": 0.143, "responseBytes": 1234}, "  200  143 ms  1.2 kB", []),
        ("finished", {"status": 503, "duration": 0.143, "responseBytes": 0, "requestBytes": 0}, "  503  143 ms  0 B", []),
        ("finished", {"status": 200, "duration": 1.0, "requestBytes": 7, "trace": "a"}, "  200  1.0 s", [["requestBytes", "7"], ["trace", "a"]]),
        ("failed", {"error": "NSURLErrorDomain", "code": -1004, "duration": 0.0021}, "  failed: NSURLErrorDomain -1004  2.1 ms", []),
        ("failed", {"error": "cancelled", "code": -999, "duration": 2.5}, "  cancelled  2.5 s", []),
        ("finished", {"status": 200, "duration": -1, "responseBytes": -1}, "  200", [["duration", "-1"], ["responseBytes", "-1"]]),
        ("finished", {"status": 200, "duration": {"double": "nan"}}, "  200", [["duration", "nan"]]),
    ]:
        argument = event(1, name=f"request.{name}", attributes={**REQUEST, **attributes}, property1=None)
        shown = evaluate_with(page, "event-row.js", "module.rowSummary(argument)", argument)
        assert shown == {"text": f"GET api.example.com/users/{{id}}{text}", "attributes": rest}


def test_durations_and_sizes_of_requests_have_two_or_three_digits(relay, open_page):
    page = open_page()
    for seconds, size, text in [
        (0, 0, "0.0 ms  0 B"), (0.00004, 999, "0.0 ms  999 B"), (0.00994, 1_000, "9.9 ms  1.0 kB"), (0.00995, 9_949, "10 ms  9.9 kB"),
        (0.9994, 9_950, "999 ms  10 kB"), (0.9995, 999_499, "1.0 s  999 kB"), (9.94, 999_500, "9.9 s  1.0 MB"),
        (9.95, 25_000_000, "10 s  25 MB"), (90, 3_000_000_000, "90 s  3.0 GB"), (4_000, 9_000_000_000_000_000, "4000 s  9000 TB"),
    ]:
        attributes = {**REQUEST, "status": 200, "duration": seconds, "responseBytes": size}
        shown = evaluate_with(page, "event-row.js", "module.rowSummary(argument).text", event(1, attributes=attributes, property1=None))
        assert shown == f"GET api.example.com/users/{{id}}  200  {text}"


def test_other_events_are_shown_as_they_are(relay, open_page):
    page = open_page()
    for name, attributes, text in [
        ("cart.opened", REQUEST, None), ("request.finished", REQUEST, None), ("request.finished", {**REQUEST, "status": "200"}, None),
        ("request.failed", {**REQUEST, "error": "cancelled"}, None), ("request.failed", {**REQUEST, "error": 5, "code": 5}, None),
        ("request.started", REQUEST, "own text"), ("request.started", {**REQUEST, "host": 7}, None),
        ("request.started", {"host": "h", "path": "/"}, None), ("request.started", {"method": "GET", "host": "h"}, None),
    ]:
        shown = evaluate_with(page, "event-row.js", "module.rowSummary(argument)", event(1, name=name, attributes=attributes, property1=text))
        assert shown == {"text": text or "", "attributes": sorted([key, str(value)] for key, value in attributes.items())}


def test_the_outcome_of_a_request_with_a_long_path_is_shown(relay, open_page):
    attributes = {**REQUEST, "path": "/" + "a" * 1000, "status": 200}
    shown = evaluate_with(open_page(), "event-row.js", "module.rowSummary(argument).text",
                          event(1, attributes=attributes, property1=None))
    assert len(shown) == 205 and shown.endswith("a…  200")


def test_a_text_is_not_cut_within_an_escape(relay, open_page):
    summary = evaluate_with(open_page(), "event-row.js", "module.rowSummary(argument)",
                            event(1, property1="a" * 299 + "\u202e", attributes={"key": "b" * 299 + "\u202e"}))
    assert summary == {"text": "a" * 299 + "\\u{202e}", "attributes": [["key", "b" * 299 + "\\u{202e}"]]}


@pytest.mark.parametrize(("value", "shown"), [("Warn", []), ("verbose", [["severity", "verbose"]]), (3, [["severity", "3"]])])
def test_the_attribute_severity_is_shown_unless_its_column_shows_it(relay, open_page, value, shown):
    assert evaluate_with(open_page(), "event-row.js", "module.rowSummary(argument).attributes", event(1, attributes={"severity": value})) == shown
