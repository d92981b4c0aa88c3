import { el } from "./dom.js";
import { eventList } from "./event-list.js";
import { EventFeed } from "./event-source.js";
import { fieldList } from "./field-list.js";
import { histogram } from "./histogram.js";
import { queryBox } from "./query-box.js";
import { adding, within, withoutTime } from "./query-text.js";
import { persist } from "./stream.js";

/** The events that a query selects: those that are stored, and new ones as they come. */
export function eventsView({ store, relay, navigate, parameters }) {
    let query = parameters.get("query") ?? "";
    let asking = new AbortController();
    const box = queryBox({ run: (text) => run(text) });
    const bars = histogram({
        relay, choose: (since, until) => run(within(since, until, query)), showAll: () => run(withoutTime(query)),
    });
    const add = (term) => run(adding(term, query));
    const fields = fieldList({ relay, add, ask: (text) => run(text) });
    const list = eventList({
        store, relay, add, restart: () => run(query), failed: (error) => box.fail(query, error), arrived: bars.refresh,
    });
    const element = el("section", { class: "fill" }, el("h1", { tabindex: "-1" }, "Events"), box.element, bars.element,
        el("div", { class: "columns" }, fields.element, list.element));

    /** Shows the result of a query. That of the one before stays until then, and if the query is wrong. */
    async function run(text) {
        asking.abort();
        asking = new AbortController();
        const { signal } = asking;
        box.input.value = text;
        try {
            const page = await persist(() => EventFeed.firstPage(relay, text, signal), signal);
            if (text !== query) navigate("events", { query: text }, "push");
            query = text;
            box.show(text);
            list.show(text, page);
            bars.show(text);
            fields.show(text, page.events);
        } catch (error) {
            if (!signal.aborted) box.fail(text, error);
        }
    }

    run(query);
    return {
        title: "Events", element,
        close() {
            asking.abort();
            bars.close();
            fields.close();
            list.close();
        },
    };
}
