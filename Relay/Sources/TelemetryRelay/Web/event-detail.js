import { format } from "./api.js";
import { announce, button, copy, el, visible, visibleLines } from "./dom.js";
import { isCaptured, markerText, severities, severityIndex, valueText } from "./event-row.js";
import { dateText } from "./time.js";

const titles = {
    eventTimestamp: "Time", eventName: "Name", property1: "Text", scenario: "Scenario", logLevel: "Level", clientid: "Client",
    sessionId: "Session", sequence: "Sequence", threadId: "Thread", deviceType: "Device type", deviceName: "Device name",
    deviceModel: "Device model", osVersion: "System", appVersion: "App", eventId: "Event identifier",
};
const filters = { clientid: "client", sessionId: "session", scenario: "scenario", eventName: "name" };

/** All fields and attributes of one row. `filter(name, value)` shows events like it. */
export function eventDetail(row, { close, filter }) {
    const shut = button("Close", close, { class: "end" });
    const panel = (title, ...content) => el("aside", { class: "detail", "aria-label": "Event", onkeydown: (event) => { if (event.key === "Escape") close(); } },
        el("div", { class: "actions" }, el("h2", { tabindex: "-1" }, title), shut), ...content);
    if (!row.event) return { element: panel("Missing events", el("p", {}, markerText(row))), focus: shut };
    const { event } = row;
    const note = el("p", { class: "note", role: "status" });
    const fields = Object.entries(titles).filter(([name]) => event[name] !== undefined && event[name] !== "");
    const attributes = Object.entries(event.attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const fieldRow = ([name, title]) => {
        const value = name === "eventTimestamp" ? `${dateText(Date.parse(event[name]))} (${event[name]})` : String(event[name]);
        const isFilter = Object.hasOwn(filters, name);
        return el("div", {}, el("dt", {}, title), el("dd", {}, visibleLines(value),
            isFilter && button("Only these", () => filter(filters[name], event[name]), { class: "small", "aria-label": `Show only events with this ${title.toLowerCase()}` }),
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
        el("dl", { class: "fields" }, el("div", {}, el("dt", {}, "Severity"), el("dd", {}, severities[severityIndex(event)])), fields.map(fieldRow)),
        el("h3", {}, "Attributes"),
        attributes.length === 0 ? el("p", { class: "muted" }, "None") : el("dl", { class: "fields" }, attributes.map(([name, value]) =>
            el("div", {}, el("dt", {}, visible(name)), el("dd", {}, visibleLines(valueText(value)))))));
    return { element, focus: shut };
}
