import { format } from "./api.js";
import { announce, button, copy, el, visible, visibleLines } from "./dom.js";
import { isCaptured, markerText, severity, valueText } from "./event-row.js";
import { attributeField, exclusion, term } from "./query-text.js";
import { dateText } from "./time.js";

const titles = {
    eventTimestamp: "Time", eventName: "Name", property1: "Text", scenario: "Scenario", logLevel: "Level", clientid: "Client",
    sessionId: "Session", sequence: "Sequence", threadId: "Thread", deviceType: "Device type", deviceName: "Device name",
    deviceModel: "Device model", osVersion: "System", appVersion: "App", eventId: "Event identifier",
};
/** The fields that a query is narrowed by here, as the query language names them. */
const queried = {
    clientid: "client", sessionId: "session", scenario: "scenario", eventName: "name", logLevel: "level", threadId: "thread",
    deviceModel: "device", appVersion: "app", property1: "text", eventId: "id",
};

/** All fields and attributes of one row. `add(term)` adds a term to the query. */
export function eventDetail(row, { close, add }) {
    const shut = button("Close", close, { class: "end" });
    const panel = (title, ...content) => el("aside", { class: "detail", "aria-label": "Event", onkeydown: (event) => { if (event.key === "Escape") close(); } },
        el("div", { class: "actions" }, el("h2", { tabindex: "-1" }, title), shut), ...content);
    if (!row.event) return { element: panel("Missing events", el("p", {}, markerText(row))), focus: shut };
    const { event } = row;
    const note = el("p", { class: "note", role: "status" });
    const fields = Object.entries(titles).filter(([name]) => event[name] !== undefined && event[name] !== "");
    const attributes = Object.entries(event.attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const choices = (field, title, value) => [
        button("Only these", () => add(term(field, value)), { class: "small", "aria-label": `Show only events with this ${title}` }),
        button("Exclude", () => add(exclusion(field, value)), { class: "small", "aria-label": `Exclude events with this ${title}` }),
    ];
    const fieldRow = ([name, title]) => {
        const value = name === "eventTimestamp" ? `${dateText(Date.parse(event[name]))} (${event[name]})` : String(event[name]);
        return el("div", {}, el("dt", {}, title), el("dd", {}, visibleLines(value),
            Object.hasOwn(queried, name) && choices(queried[name], title.toLowerCase(), String(event[name])),
            name === "clientid" && el("a", { class: "button small", href: `#/client?id=${encodeURIComponent(event.clientid)}` }, "Open client")));
    };
    const element = panel(visible(event.eventName),
        el("div", { class: "actions" }, button("Copy as JSON", async () => {
            try {
                await copy(format(event));
                note.textContent = "Copied.";
            } catch (error) { note.textContent = `Not copied: ${error.message}`; }
            announce(note.textContent);
        }, { class: "primary" }), note),
        isCaptured(event) && el("p", { class: "note" }, "The app's flight recorder kept this event before its scenario was on; it was sent on request."),
        el("dl", { class: "fields" }, el("div", {}, el("dt", {}, "Severity"), el("dd", {}, severity(event), choices("severity", "severity", severity(event)))), fields.map(fieldRow)),
        el("h3", {}, "Attributes"),
        attributes.length === 0 ? el("p", { class: "muted" }, "None") : el("dl", { class: "fields" }, attributes.map(([name, value]) =>
            el("div", {}, el("dt", {}, visible(name)), el("dd", {}, visibleLines(valueText(value)), choices(attributeField(name), visible(name), valueText(value)))))));
    return { element, focus: shut };
}
