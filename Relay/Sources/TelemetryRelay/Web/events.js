import { completions } from "./completion.js";
import { announce, button, copy, el } from "./dom.js";
import { eventList } from "./event-list.js";
import { EventFeed } from "./event-source.js";
import { fieldList } from "./field-list.js";
import { histogram } from "./histogram.js";
import { queryBox } from "./query-box.js";
import { queryResult, resultLimit } from "./query-result.js";
import { adding, split, within, withoutTime } from "./query-text.js";
import { savedQueries } from "./saved-queries.js";
import { persist } from "./stream.js";

/** The events that a query selects, those that are stored and new ones as they come, or the result of its pipes. */
export function eventsView({ store, relay, sync, canControl, navigate, parameters }) {
    let query = parameters.get("query") ?? "";
    let asking = new AbortController();
    const link = button("Copy link", async () => {
        await copy(location.href).then(() => announce("Copied."), (error) => box.fail(query, error));
    });
    const saved = savedQueries({ relay, sync, canControl, shown: () => query, run });
    const attributes = new Set();
    const values = new Map();
    const box = queryBox({
        run, leave: () => (events.hidden ? box.input.blur() : list.focus()), complete: (text) => completions(text, { attributes, valuesOf }),
        more: [saved.element, link],
    });
    const bars = histogram({
        relay, choose: (since, until) => run(within(since, until, query)), showAll: () => run(withoutTime(query)), ask: run,
    });
    const add = (term) => run(adding(term, query));
    const fields = fieldList({ relay, add, ask: run });
    const list = eventList({ store, relay, add, restart: () => run(query), failed: (error) => box.fail(query, error), arrived: bars.refresh });
    const events = el("div", { class: "events" }, bars.element, el("div", { class: "columns" }, fields.element, list.element));
    const result = el("div", { class: "result", hidden: true });
    const element = el("section", { class: "fill" }, el("h1", { tabindex: "-1" }, "Events"), box.element, events, result);

    /** Shows the result of a query. That of the one before stays until then, and if the query is wrong. */
    async function run(text) {
        asking.abort();
        asking = new AbortController();
        const { signal } = asking;
        const hasPipes = split(text).pipes !== "";
        // What is typed meanwhile stays if the same query is asked again.
        if (text !== query) box.input.value = text;
        element.setAttribute("aria-busy", "true");
        try {
            const answer = await persist(() => (hasPipes ? relay.ask(text, signal, resultLimit) : EventFeed.firstPage(relay, text, signal)), signal);
            if (text !== query) navigate("events", { query: text }, "push");
            query = text;
            box.accept();
            events.hidden = hasPipes;
            result.hidden = !hasPipes;
            if (hasPipes) showResult(answer);
            else showEvents(answer);
        } catch (error) {
            if (!signal.aborted) box.fail(text, error);
        } finally {
            if (!signal.aborted) element.removeAttribute("aria-busy");
        }
    }

    /** The values that most events have in a field; none if the relay does not answer. */
    function valuesOf(field) {
        if (!values.has(field)) {
            values.set(field, relay.ask(`| top 20 ${field}`).then(({ rows }) => rows.map(([value]) => value).filter((value) => value !== null),
                () => { values.delete(field); return []; }));
        }
        return values.get(field);
    }

    function showEvents(page) {
        for (const event of page.events) for (const key of Object.keys(event.attributes ?? {})) attributes.add(key);
        result.replaceChildren();
        list.show(query, page);
        bars.show(query);
        fields.show(query, page.events);
    }

    function showResult(answer) {
        stop();
        result.replaceChildren(...queryResult(query, answer));
    }

    function stop() { for (const part of [bars, fields, list]) part.stop(); }

    box.input.value = query;
    run(query);
    return {
        title: "Events", element, keys: { "/": () => box.input.focus(), j: () => list.step(1), k: () => list.step(-1) },
        close() {
            asking.abort();
            stop();
            saved.close();
            list.close();
        },
    };
}
