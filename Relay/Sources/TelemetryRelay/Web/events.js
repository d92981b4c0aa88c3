import { completions } from "./completion.js";
import { announce, button, copy, el } from "./dom.js";
import { eventList } from "./event-list.js";
import { EventFeed } from "./event-source.js";
import { fieldList } from "./field-list.js";
import { histogram } from "./histogram.js";
import { queryBox } from "./query-box.js";
import { queryResult, resultLimit } from "./query-result.js";
import { adding, inOneLine, split, within, withoutTime } from "./query-text.js";
import { savedQueries } from "./saved-queries.js";
import { pause, persist } from "./stream.js";

/** How long nothing is typed before the values of a field are asked for. */
const typingPause = 200;

/** The events that a query selects, those that are stored and new ones as they come, or the result of its pipes. */
export function eventsView({ store, relay, sync, canControl, hasAlerts, navigate, parameters }) {
    /** What is shown, and what is being asked for instead. */
    let query = inOneLine(parameters.get("query") ?? "");
    let wanted = query;
    let asking = new AbortController();
    let typing = new AbortController();
    const ending = new AbortController();
    const link = button("Copy link", async () => {
        await copy(location.href).then(() => announce("Copied."), (error) => box.fail(query, error));
    });
    const saved = savedQueries({ relay, sync, canControl, shown: () => query, run(text) {
        box.input.value = inOneLine(text);
        run(text);
    } });
    const alert = canControl && hasAlerts && button("Alert…", () => navigate("alerts", { query: split(withoutTime(query)).filter }),
        { title: "Add an alert with this query" });
    const attributes = new Set();
    const values = new Map();
    const box = queryBox({
        run, leave: () => (events.hidden ? box.input.blur() : list.focus()), complete,
        more: [saved.element, link, alert],
    });
    const bars = histogram({
        relay, choose: (since, until) => run(within(since, until, wanted)), showAll: () => run(withoutTime(wanted)), ask: run,
    });
    const add = (term) => run(adding(term, wanted));
    const fields = fieldList({ relay, session: store.get("session"), add, ask: run });
    const list = eventList({ store, relay, add, restart: () => run(wanted), failed: (error) => box.fail(query, error), arrived });
    const events = el("div", { class: "events" }, bars.element, el("div", { class: "columns" }, fields.element, list.element));
    const result = el("div", { class: "result", hidden: true });
    const heading = el("h1", { tabindex: "-1" }, "Events");
    const element = el("section", { class: "fill" }, heading, box.element, events, result);

    /** Shows the result of a query. That of the one before stays until then, and if the query is wrong. */
    async function run(next) {
        const text = inOneLine(next);
        asking.abort();
        asking = new AbortController();
        const { signal } = asking;
        const hasPipes = split(text).pipes !== "";
        // What is typed meanwhile stays if the same query is asked again.
        if (text !== wanted) box.input.value = text;
        wanted = text;
        element.setAttribute("aria-busy", "true");
        try {
            const answer = await persist(() => (hasPipes ? relay.ask(text, signal, resultLimit) : EventFeed.firstPage(relay, text, signal)),
                signal, (error) => box.fail(text, error));
            if (text !== query) navigate("events", { query: text }, "push");
            query = text;
            box.accept();
            const hasFocus = element.contains(document.activeElement);
            events.hidden = hasPipes;
            result.hidden = !hasPipes;
            if (hasPipes) showResult(answer);
            else showEvents(answer);
            // What had the focus may be hidden now.
            if (hasFocus && !(element.contains(document.activeElement) && document.activeElement.getClientRects().length > 0)) heading.focus();
        } catch (error) {
            if (signal.aborted) return;
            wanted = query;
            box.fail(text, error);
        } finally {
            if (!signal.aborted) element.removeAttribute("aria-busy");
        }
    }

    function complete(text) {
        typing.abort();
        typing = new AbortController();
        return completions(text, { attributes, valuesOf });
    }

    /** The values that most events have in a field; none if the relay does not answer, or more is typed meanwhile. */
    async function valuesOf(field) {
        if (values.has(field)) return values.get(field);
        const { signal } = typing;
        await pause(typingPause, signal);
        if (signal.aborted) return [];
        const answer = relay.ask(`| top 20 ${field}`, ending.signal).then(({ rows }) => rows.map(([value]) => value).filter((value) => value !== null),
            (error) => {
                // The relay would refuse the same request again.
                if (error.isTemporary) values.delete(field);
                return [];
            });
        values.set(field, answer);
        return answer;
    }

    function addAttributes(found) { for (const event of found) for (const key of Object.keys(event.attributes ?? {})) attributes.add(key); }

    /** Called for new events, with them if they are the first ones. */
    function arrived(first) {
        bars.refresh();
        if (first.length === 0) return;
        addAttributes(first);
        fields.show(query, first);
    }

    function showEvents(page) {
        addAttributes(page.events);
        result.replaceChildren();
        list.show(query, page);
        bars.show(query);
        fields.show(query, page.events);
    }

    function showResult(answer) {
        stop();
        result.replaceChildren(...queryResult(query, answer));
        announce(result.querySelector(".summary").textContent);
    }

    function stop() { for (const part of [bars, fields, list]) part.stop(); }

    box.input.value = query;
    run(query);
    return {
        title: "Events", element, keys: { "/": () => box.input.focus(), j: () => list.step(1), k: () => list.step(-1) },
        close() {
            for (const controller of [asking, typing, ending]) controller.abort();
            stop();
            saved.close();
            list.close();
        },
    };
}
