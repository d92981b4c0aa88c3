import { el, table, visible, visibleLines } from "./dom.js";
import { keyText, sessionEnd, sessionEnds } from "./event-row.js";
import { emptyState } from "./help.js";
import { address, term } from "./query-text.js";
import { persist } from "./stream.js";
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
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Crashes"),
        el("p", { class: "muted" }, "Sessions that ended without a shutdown. A client reports one at its next start."),
        client && el("p", {}, "Only those of client ", el("strong", { class: "identifier" }, visible(client)), ". ", el("a", { href: "#/crashes" }, "Show all")),
        note, box);

    async function load() {
        const [{ events, matched }, counts] = await persist(() => Promise.all([
            relay.ask(`${filter} | sort by lastActive desc, time desc | limit ${limit}`, signal),
            relay.ask(`${filter} | top ${countLimit} appVersion, end, signal`, signal),
        ]), signal);
        if (events.length === 0) return box.replaceChildren(emptyState("No crashes", el("p", {}, "No session ended without a shutdown.")));
        const shown = events.length < matched ? `; the newest ${countText(events.length)} are shown` : "";
        return box.replaceChildren(
            el("p", { class: "summary" }, `${counted(matched, "session")}${shown}`),
            table("Crashes", ["Last active", "Client", "App", "End", "Signal", "Session", "Backtrace"], events.map(cells)),
            el("h2", {}, "By version and end"),
            table("Crashes by version and end", ["App", "End", "Signal", "Sessions"], counts.rows.map((row) =>
                row.map((value, index) => (index === 3 ? countText(value) : keyText(value))))));
    }

    load().catch((error) => {
        if (signal.aborted) return;
        box.replaceChildren();
        note.textContent = `The crashes cannot be read: ${error.message}`;
    });
    return { title: "Crashes", element, close: () => ending.abort() };
}
