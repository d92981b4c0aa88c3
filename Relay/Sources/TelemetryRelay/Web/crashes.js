import { parse, query } from "./api.js";
import { button, el, table, visible, visibleLines } from "./dom.js";
import { keyText, sessionEnd, sessionEnds } from "./event-row.js";
import { emptyState } from "./help.js";
import { address, term } from "./query-text.js";
import { follow, persist } from "./stream.js";
import { countText, counted, dateText } from "./time.js";

const [limit, countLimit] = [200, 20];

/** The query for a session's events, those that the flight recorder kept, which the reporting session sent, and the report. */
function eventsOf(session, report) {
    const kept = `(${term("session", report.sessionId)} telemetry.captured:=true)`;
    const alternatives = [term("session", session), kept, term("attributes.session", session)].join(" or ");
    return report.clientid ? `${term("client", report.clientid)} (${alternatives})` : alternatives;
}

/** The cells of a session. */
function cells(event) {
    const { session, end, signal, time, appVersion, backtrace } = sessionEnd(event);
    const client = event.clientid;
    return [
        dateText(time), client ? el("a", { href: address("client", { id: client }) }, visible(client)) : "–", visible(appVersion ?? "–"),
        visible(end), visible(signal ?? "–"), el("a", { href: address("events", { query: eventsOf(session, event) }) }, visible(session)),
        backtrace === null ? "–" : el("details", {}, el("summary", {}, "Backtrace"), el("pre", { tabindex: "0" }, visibleLines(backtrace))),
    ];
}

/** The sessions that ended without a shutdown, of all clients or of one. */
export function crashesView({ relay, parameters }) {
    const client = parameters.get("client");
    const filter = client ? `${sessionEnds} ${term("client", client)}` : sessionEnds;
    const ending = new AbortController();
    const { signal } = ending;
    const note = el("p", { class: "problem", role: "alert" });
    const box = el("div", {}, "Loading…");
    // Read only when it is asked for: rows that are being read stay where they are.
    const newer = button("", () => load().catch(fail), { hidden: true });
    const known = new Set();
    let unseen = 0;
    let isRead = false;
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Crashes"),
        el("p", { class: "muted" }, "Sessions that ended without a shutdown. A client reports one at its next start."),
        client && el("p", {}, "Only those of client ", el("strong", { class: "identifier" }, visible(client)), ". ", el("a", { href: "#/crashes" }, "Show all")),
        note, newer, box);

    async function load() {
        [unseen, newer.hidden] = [0, true];
        const [{ events, matched }, counts] = await persist(() => Promise.all([
            relay.ask(`${filter} | sort by lastActive desc, time desc | limit ${limit}`, signal),
            relay.ask(`${filter} | top ${countLimit} appVersion, end, signal`, signal),
        ]), signal);
        for (const { eventId } of events) known.add(eventId);
        isRead = true;
        if (events.length === 0) return box.replaceChildren(emptyState("No crashes", el("p", {}, "No session ended without a shutdown.")));
        const shown = events.length < matched ? `; the newest ${countText(events.length)} are shown` : "";
        return box.replaceChildren(
            el("p", { class: "summary" }, `${counted(matched, "session")}${shown}`),
            table("Crashes", ["Last active", "Client", "App", "End", "Signal", "Session", "Backtrace"], events.map(cells)),
            el("h2", {}, "By version and end"),
            table("Crashes by version and end", ["App", "End", "Signal", "Sessions"], counts.rows.map((row) =>
                row.map((value, index) => (index === 3 ? countText(value) : keyText(value))))));
    }

    /** Shows how many sessions were reported since the list was read. */
    function receive({ name, data }) {
        if (name !== "telemetry") return;
        const { eventId } = parse(data);
        if (known.has(eventId)) return;
        known.add(eventId);
        unseen += 1;
        newer.textContent = `Show ${counted(unseen, "new session")}`;
        newer.hidden = false;
    }

    async function begin() {
        // The stream begins with the newest report, so that none is missed between the two.
        const newest = await persist(() => relay.events({ query: filter }, { order: "desc", limit: 1 }, signal), signal);
        for (const { eventId } of newest.events) known.add(eventId);
        await load();
        await follow(relay, `/v1/events/stream${query({ query: filter, after: newest.cursor })}`, { signal, onEvent: receive });
    }

    function fail(error) {
        if (signal.aborted) return;
        if (!isRead) box.replaceChildren();
        note.textContent = `The crashes cannot be read: ${error.message}`;
    }

    begin().catch(fail);
    return { title: "Crashes", element, close: () => ending.abort() };
}
