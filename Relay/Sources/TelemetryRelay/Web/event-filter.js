import { button, choice, el, textField } from "./dom.js";
import { severities, severityIndex, valueText } from "./event-row.js";

/** The filters, which a link contains; those of `server` are the relay's parameters. */
const names = ["client", "session", "scenario", "level", "name", "severity", "text", "since", "until"];
const server = ["client", "session", "scenario", "level", "name", "since", "until"];

function time(value) {
    const milliseconds = Date.parse(value ?? "");
    return Number.isNaN(milliseconds) ? "" : new Date(milliseconds).toISOString();
}

/** The value of a `datetime-local` field for a time. */
function localTime(iso) {
    if (!iso) return "";
    const date = new Date(iso);
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The filters of events, as a value. */
export class EventFilter {
    constructor(values) {
        for (const name of names) this[name] = values[name] ?? "";
        this.since = time(this.since);
        this.until = time(this.until);
        if (!["info", "diagnostic"].includes(this.level)) this.level = "";
        if (!["notice", "warning", "error"].includes(this.severity)) this.severity = "";
    }

    static from(parameters) { return new EventFilter(Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ""]))); }

    /** What the relay filters. */
    get parameters() { return Object.fromEntries(server.map((name) => [name, this[name]])); }

    /** What a link contains. */
    get values() { return Object.fromEntries(names.map((name) => [name, this[name]])); }

    get isEmpty() { return names.every((name) => this[name] === ""); }

    /** Whether all events of a session are shown, so that a missing sequence number is a gap. */
    get showsWholeSessions() { return ["scenario", "level", "name", "severity", "text"].every((name) => this[name] === ""); }

    /** Whether the page itself has to look at each event. */
    get hasLocalPart() { return this.text !== "" || this.severity !== ""; }

    /** The function that decides on what the relay does not filter. */
    get predicate() {
        const least = this.severity === "" ? -1 : severities.indexOf(this.severity);
        const words = this.text.toLowerCase().split(/\s+/).filter(Boolean);
        return (event) => {
            if (least >= 0 && severityIndex(event) < least) return false;
            if (words.length === 0) return true;
            const attributes = Object.entries(event.attributes ?? {}).flatMap(([name, value]) => [name, valueText(value)]);
            const text = [event.eventName, event.property1, event.scenario, event.threadId, ...attributes].join("\n").toLowerCase();
            return words.every((word) => text.includes(word));
        };
    }
}

/**
 * The form of the filters. `clients()` and `scenarios()` return suggestions; `change(filter)` is called with each change.
 * Returns the element and `show(filter)`, which sets the fields.
 */
export function filterForm({ clients, scenarios, change }) {
    const clientList = el("datalist", { id: "client-list" });
    const scenarioList = el("datalist", { id: "scenario-list" });
    const suggest = (list, values) => list.replaceChildren(...values.map((value) => el("option", { value })));
    const fields = {
        client: textField("Client", { list: "client-list", placeholder: "Any" }),
        scenario: textField("Scenario", { list: "scenario-list", placeholder: "Any" }),
        name: textField("Name", { placeholder: "Exact name" }),
        text: textField("Text", { type: "search", placeholder: "Words in texts and attributes" }),
        session: textField("Session", { placeholder: "Any" }),
        since: textField("From", { type: "datetime-local", step: "1" }),
        until: textField("Until", { type: "datetime-local", step: "1" }),
    };
    const level = choice("Level", [["", "All"], ["info", "Info"], ["diagnostic", "Diagnostic"]], "", changed);
    const severity = choice("Severity", [["", "Any"], ["notice", "Notice or worse"], ["warning", "Warning or worse"], ["error", "Error or worse"]], "", changed);
    fields.client.input.addEventListener("focus", () => suggest(clientList, clients()));
    fields.scenario.input.addEventListener("focus", () => suggest(scenarioList, scenarios()));
    for (const { input } of Object.values(fields)) input.addEventListener("change", changed);
    const clear = button("Clear filters", () => {
        show(new EventFilter({}));
        change(new EventFilter({}));
        fields.client.input.focus();
    }, { class: "end" });
    const more = el("details", { class: "more" },
        el("summary", {}, "More filters"),
        el("div", { class: "toolbar" }, fields.name.element, level.element, fields.since.element, fields.until.element, fields.session.element));
    let last = new EventFilter({});

    function changed() {
        const values = Object.fromEntries(Object.entries(fields).map(([name, { input }]) => [name, input.value.trim()]));
        const filter = new EventFilter({ ...values, level: level.select.value, severity: severity.select.value });
        // Enter in a changed field is a change and a submission.
        if (names.every((name) => filter[name] === last[name])) return;
        last = filter;
        clear.hidden = filter.isEmpty;
        change(filter);
    }

    function show(filter) {
        last = filter;
        for (const [name, { input }] of Object.entries(fields)) {
            input.value = ["since", "until"].includes(name) ? localTime(filter[name]) : filter[name];
        }
        level.select.value = filter.level;
        severity.select.value = filter.severity;
        clear.hidden = filter.isEmpty;
        if (["name", "session", "level", "since", "until"].some((name) => filter[name] !== "")) more.open = true;
    }

    const element = el("form", { class: "filters", role: "search", "aria-label": "Filters", onsubmit: (event) => { event.preventDefault(); changed(); } },
        clientList, scenarioList,
        el("div", { class: "toolbar" }, fields.client.element, fields.scenario.element, severity.element, fields.text.element,
            el("button", { type: "submit", class: "offscreen" }, "Filter"), clear),
        more);
    return { element, show };
}
