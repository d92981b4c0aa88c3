import { button, el, visible } from "./dom.js";
import { keyText } from "./event-row.js";
import { attributeField, exclusion, term } from "./query-text.js";
import { keptText } from "./scenarios.js";
import { persist } from "./stream.js";
import { countText, dateText, now, sizeText } from "./time.js";

const builtIn = ["scenario", "name", "severity", "app", "device"];
const valueLimit = 10;
const attributeLimit = 50;
/** For how long the sizes of scenarios are shown as they were, in milliseconds. */
const sizesAge = 60_000;

/**
 * The fields of what is shown, with the values that most events have, and how much of a scenario the relay stores for how long.
 * `add(term)` adds a term to the query, `ask(query)` shows another one.
 */
export function fieldList({ relay, session: { retention, scope }, add, ask }) {
    let asking = new AbortController();
    let filter = "";
    /** One request at a time, since the relay answers few at once. */
    let last = Promise.resolve();
    const sections = new Map();
    const sizes = { read: -Infinity, ofScenarios: new Map() };
    const box = el("div", {});
    const element = el("details", { class: "field-list", open: matchMedia("(min-width: 1001px)").matches, ontoggle: loadOpen },
        el("summary", {}, el("h2", {}, "Fields")), box);

    function section(field, title) {
        const values = el("ul", {});
        const details = el("details", { open: builtIn.includes(field), ontoggle: () => load(sections.get(field)) },
            el("summary", {}, visible(title)), values);
        return { field, title, details, values, loaded: null };
    }

    /** Shows the fields for a filter, and the attributes of some of its events. The values of the filter before stay until there are new ones. */
    function show(next, events) {
        asking.abort();
        asking = new AbortController();
        filter = next;
        const keys = [...new Set(events.flatMap(({ attributes }) => Object.keys(attributes ?? {})))].sort().slice(0, attributeLimit);
        const fields = [...builtIn.map((name) => [name, name]), ...keys.filter((key) => key !== "severity").map((key) => [attributeField(key), key])];
        for (const [field, title] of fields) if (!sections.has(field)) sections.set(field, section(field, title));
        const focused = document.activeElement;
        const hasFocus = box.contains(focused);
        box.replaceChildren(...fields.map(([field]) => sections.get(field).details));
        // A moved element loses the focus.
        if (hasFocus) (box.contains(focused) ? focused : element.querySelector("summary")).focus();
        for (const item of sections.values()) item.loaded = null;
        loadOpen();
    }

    function loadOpen() { for (const item of sections.values()) load(item); }

    function load(item) {
        if (!element.open || !item.details.open || !item.details.isConnected || item.loaded === filter) return;
        item.loaded = filter;
        const { signal } = asking;
        last = last.then(async () => {
            if (signal.aborted) return;
            try {
                const text = `${filter} | top ${valueLimit} ${item.field}`.trim();
                const { rows } = await persist(() => relay.ask(text, signal), signal, (error) => fail(item, error));
                draw(item, text, rows);
                if (item.field === "scenario") readSizes(signal, () => draw(item, text, rows));
            } catch (error) {
                if (!signal.aborted) fail(item, error);
            }
        });
    }

    /**
     * Reads how much the relay stores of each scenario, and calls `done` if that was not known. If it cannot be read, it is not shown.
     * A session with a scope may not read it.
     */
    async function readSizes(signal, done) {
        if (scope || now() - sizes.read < sizesAge) return;
        sizes.read = now();
        try {
            const list = await relay.scenarioSizes(signal);
            sizes.ofScenarios = new Map(list.map((size) => [size.scenario, size]));
        } catch {
            sizes.read = -Infinity;
            return;
        }
        if (!signal.aborted) done();
    }

    /** How much the relay stores of a scenario and for how long, in words; null if nothing is known. */
    function storedText(scenario) {
        const size = sizes.ofScenarios.get(scenario?.normalize("NFC") ?? null);
        const kept = keptText(retention, scenario);
        const parts = [size && sizeText(size.bytes), kept && `kept ${kept}`, size?.lastExpires && `until ${dateText(Date.parse(size.lastExpires))}`];
        return parts.filter(Boolean).join(", ") || null;
    }

    function fail(item, error) { replace(item, el("li", { class: "problem" }, visible(error.message))); }

    /** Replaces what a field shows. The focus stays at the button for the same value, or goes to the field. */
    function replace({ details, values }, ...shown) {
        const label = values.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
        values.replaceChildren(...shown);
        if (label === null) return;
        const same = [...values.querySelectorAll("button")].find((item) => item.getAttribute("aria-label") === label);
        (same ?? details.querySelector("summary")).focus();
    }

    function draw(item, text, rows) {
        const { field, title } = item;
        const name = visible(title);
        replace(item, ...rows.map(([value, count]) => {
            const shown = keyText(value);
            const stored = field === "scenario" ? storedText(value) : null;
            return el("li", {},
                button(shown, () => add(term(field, value)), { class: value ? "value" : "value muted", title: shown, "aria-label": `Only ${name} ${shown}` }),
                el("span", { class: "muted" }, countText(Number(count))),
                stored && el("small", { class: "muted", title: "What the relay stores of this scenario in all, and until when" }, visible(stored)),
                button("−", () => add(exclusion(field, value)), { title: "Exclude", "aria-label": `Exclude ${name} ${shown}` }));
        }), el("li", {}, button("Chart", () => ask(text), { "aria-label": `Chart of ${name}` })));
    }

    return { element, show, stop() { asking.abort(); } };
}
