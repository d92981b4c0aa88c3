import { el, visible } from "./dom.js";
import { requestSummary } from "./request-text.js";
import { clockText, counted, dateText } from "./time.js";

const textLimit = 300;
/** Between the attributes and the number of hidden ones, in points. */
const gap = 10;

export const severities = ["trace", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const synonyms = new Map([["warn", "warning"], ["fatal", "critical"]]);

/** The severity that an attribute's value names; undefined if it names none. */
function namedSeverity(value) {
    const word = typeof value === "string" ? value.toLowerCase() : "";
    return synonyms.get(word) ?? severities.find((name) => name === word);
}

/** An event's severity in the query language: its attribute `severity` or `level` if it is one, otherwise by its level. */
export function severity(event) {
    const { severity: first, level } = event.attributes ?? {};
    return namedSeverity(first) ?? namedSeverity(level) ?? (event.logLevel === "diagnostic" ? "debug" : "info");
}

/** A group's key, or one value of a field, in words. */
export function keyText(value) { return value === null ? "none" : visible(value) || "empty"; }

/** An attribute's value as text; dates and special numbers are objects on the wire. */
export function valueText(value) {
    if (value !== null && typeof value === "object") return String(value.date ?? value.double ?? JSON.stringify(value));
    return String(value);
}

/** The logger's causes of losses. */
const causes = {
    full: "the buffer was full", expired: "they waited too long", oversized: "they were too large", rejected: "the store rejected them",
    corrupt: "they could not be read back", otherClient: "they belonged to an earlier client",
};

/** What a `telemetry.dropped` event says. */
function dropText(event) {
    const losses = Object.entries(event.attributes ?? {}).filter(([, value]) => typeof value === "number");
    const total = losses.reduce((sum, [, value]) => sum + value, 0);
    if (total === 0) return event.property1 ?? "The client dropped events";
    return `The client dropped ${counted(total, "event")}: ${losses.map(([cause, value]) => `${causes[cause] ?? cause} (${value})`).join(", ")}`;
}

/** The filter for the events that report a session that ended without a shutdown. */
export const sessionEnds = "name:=telemetry.session -scenario:* attributes.session:*";

/** What such an event reports; null for other events. `time` is when the session was last active. */
export function sessionEnd(event) {
    const { session, end = "unknown", signal = null, lastActive, appVersion = null, backtrace = null } = event.attributes ?? {};
    if (event.eventName !== "telemetry.session" || event.scenario || session === undefined) return null;
    const text = (value) => (value === null ? null : valueText(value));
    const time = Date.parse(lastActive?.date ?? event.eventTimestamp);
    return { session: valueText(session), end: valueText(end), signal: text(signal), time, appVersion: text(appVersion), backtrace: text(backtrace) };
}

function sessionEndText({ session, end, signal, time }) {
    return `── Session ${visible(session.length > 8 ? `${session.slice(0, 8)}…` : session)} ended: ${visible((signal ?? end).slice(0, textLimit))} (last active ${dateText(time)}) ──`;
}

export const isCaptured = (event) => event.attributes?.["telemetry.captured"] === true;

/** Whether a row shows an attribute in another column. */
const isElsewhere = ([key, value]) => key === "telemetry.captured" || (key === "severity" && namedSeverity(value) !== undefined);

/** What the last column of an event's row says: its text, and the attributes in the order of their keys. */
export function rowSummary(event) {
    if (event.eventName === "telemetry.dropped") return { text: dropText(event), attributes: [] };
    const end = sessionEnd(event);
    if (end) return { text: sessionEndText(end), attributes: [] };
    const request = requestSummary(event);
    const text = request?.text ?? event.property1 ?? "";
    const attributes = Object.entries(request?.attributes ?? event.attributes ?? {}).filter((attribute) => !isElsewhere(attribute))
        .sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [visible(key), visible(valueText(value).slice(0, textLimit))]);
    return { text: (isCaptured(event) ? "[captured earlier] " : "") + visible(text.slice(0, textLimit)), attributes };
}

/**
 * Fills a cell with a text and attributes. Those that do not fit into `width` are counted at its end.
 * `measure(text)` is the width of a text.
 */
function fillSummary(cell, { text, attributes }, width, measure) {
    const shown = el("span", { class: "shown" }, text);
    let used = measure(text);
    const reserve = measure(`+${attributes.length}`) + gap;
    let count = 0;
    for (const [key, value] of attributes) {
        used += measure(`  ${key}=${value}`);
        if (used > width - (count + 1 < attributes.length ? reserve : 0)) break;
        shown.append("  ", el("span", { class: "key" }, `${key}=`), value);
        count += 1;
    }
    const hidden = attributes.length - count;
    cell.replaceChildren(shown, ...(hidden > 0 ? [el("span", { class: "hidden-count", title: counted(hidden, "more attribute") }, `+${hidden}`)] : []));
}

/** The text of a row that is not an event. */
export function markerText(row) {
    if (row.skipped !== undefined) return `${counted(row.skipped, "event")} deleted here by the relay's retention`;
    const range = row.missing === 1 ? `sequence ${row.first}` : `sequences ${row.first} to ${row.last}`;
    return `${counted(row.missing, "event")} missing here (${range} of this session of ${visible(row.client.slice(0, 16))}): not arrived yet, dropped or deleted`;
}

export const columns = [
    { title: "Time", className: "c-time" }, { title: "Severity", className: "c-severity" }, { title: "Client", className: "c-client" },
    { title: "Scenario", className: "c-scenario" }, { title: "Name", className: "c-name" }, { title: "Text and attributes", className: "c-text" },
];

/** Fills the cells of a row of the grid of events. `width` is that of the last cell. */
export function fillRow(cells, row, element, { width, measure }) {
    if (!row.event) {
        const isSkip = row.skipped !== undefined;
        element.classList.add("marker");
        for (const cell of cells) cell.textContent = "";
        cells[1].textContent = isSkip ? "deleted" : "gap";
        cells[5].textContent = markerText(row);
        cells[5].title = cells[5].textContent;
        return;
    }
    const { event } = row;
    const time = Date.parse(event.eventTimestamp);
    element.classList.add(`severity-${severity(event)}`);
    if (event.eventName.startsWith("telemetry.")) element.classList.add("internal");
    if (isCaptured(event)) element.classList.add("captured");
    const isEnd = sessionEnd(event) !== null;
    if (isEnd) element.classList.add("marker");
    const values = [clockText(time), isEnd ? "ended" : severity(event), event.clientid ?? "–", event.scenario ?? "–", event.eventName];
    for (const [column, value] of values.entries()) cells[column].textContent = visible(value);
    fillSummary(cells[5], rowSummary(event), width, measure);
    cells[0].title = dateText(time);
    cells[2].title = visible(event.clientid ?? "");
    cells[4].title = visible(event.eventName);
}
