import { button, el } from "./dom.js";
import { eventDetail } from "./event-detail.js";
import { EventFilter, filterForm } from "./event-filter.js";
import { columns, fillRow } from "./event-row.js";
import { EventFeed } from "./event-source.js";
import { Grid } from "./grid.js";
import { emptyState } from "./help.js";
import { countText, counted } from "./time.js";

/** How close to an end of the rows the next page is read. */
const nearEnd = 1_500;
const listedClients = 200;

/** The events: those that are stored, and new ones as they come. */
export function eventsView({ store, relay, navigate, parameters }) {
    let filter = EventFilter.from(parameters);
    let feed = null;
    let rate = { since: performance.now(), count: 0 };
    const form = filterForm({
        clients: () => [...store.get("clients").keys()].slice(0, listedClients), scenarios: () => [...store.get("scenarioNames")].sort(), change: apply,
    });
    const summary = el("p", { class: "summary" });
    const rateText = el("span", { class: "muted" });
    const jump = button("", () => restartOrJump(), { class: "primary jump", hidden: true });
    const problem = el("p", { class: "note problem", role: "alert", hidden: true });
    const nothing = el("div", { hidden: true });
    const grid = new Grid({
        label: "Events", className: "events-grid", rowHeight: 28, columns,
        render(cells, index, element) {
            const row = feed.log.at(index);
            if (row.event?.scenario) store.get("scenarioNames").add(row.event.scenario);
            fillRow(cells, row, element);
        },
        open, onScroll: scrolled,
    });
    const side = el("div", { class: "side", hidden: true });
    const list = el("div", { class: "list" }, grid.element, jump);
    const element = el("section", { class: "fill" }, el("h1", { tabindex: "-1" }, "Events"), form.element,
        el("div", { class: "toolbar slim" }, summary, rateText), problem, nothing, el("div", { class: "split" }, list, side));

    function apply(next) {
        filter = next;
        navigate("events", filter.values, { replaces: true });
        closeDetail();
        start();
    }

    function start() {
        feed?.close();
        problem.hidden = true;
        rate = { since: performance.now(), count: 0 };
        grid.active = -1;
        feed = new EventFeed(relay, filter, { changed, failed });
        grid.update(0);
        draw();
    }

    function failed(error) {
        // The relay has another store now, whose cursors differ.
        if (error.status === 400 && feed.log.oldestCursor !== null) return start();
        problem.hidden = false;
        problem.textContent = `The events cannot be read: ${error.message}`;
        return undefined;
    }

    let known = 0;
    function changed({ shift, isLive }) {
        const { log } = feed;
        if (isLive) rate.count += Math.max(0, log.count - known - shift);
        known = log.count;
        // The list must be visible before it is scrolled.
        grid.element.hidden = log.count === 0;
        grid.update(log.count, { shift, stayAtEnd: feed.isFollowing });
        draw();
        fillScreen();
    }

    /** Reads older events until they fill the list. */
    function fillScreen() {
        // A list without rows is hidden and has no height.
        const isFull = feed.log.count > 0 && feed.log.count * grid.rowHeight >= grid.element.clientHeight;
        if (!isFull && !feed.hasStart && !feed.isLoading) feed.loadOlder();
    }

    function draw() {
        const { log, unseen, isFollowing, hasStart, isLoading, isLive } = feed;
        const end = hasStart ? "" : ", older ones are read when you scroll up";
        summary.textContent = log.count === 0 && isLoading ? "Loading…" : `${counted(log.count, "row")}${end}${filter.hasLocalPart && !hasStart ? "; searching in what is read" : ""}`;
        jump.hidden = isFollowing;
        jump.textContent = unseen > 0 ? `${counted(unseen, "new event")} ↓` : "Newest ↓";
        nothing.hidden = log.count > 0 || isLoading;
        if (!nothing.hidden) nothing.replaceChildren(emptyState(...nothingText(isLive)));
    }

    function nothingText(isLive) {
        if (!filter.isEmpty) return ["No event matches", el("p", {}, `${isLive ? "New events that match are shown as they come. " : ""}Clear a filter to see more.`)];
        return ["No events yet",
            el("p", {}, "Events arrive when an approved client has a scenario that is on. Open a client, approve it, and turn on a scenario."),
            el("p", {}, el("a", { class: "button primary", href: "#/clients" }, "Go to the clients"))];
    }

    function scrolled() {
        const wasFollowing = feed.isFollowing;
        feed.isFollowing = grid.isAtEnd && !feed.log.isDetached;
        if (feed.isFollowing) feed.unseen = 0;
        if (wasFollowing !== feed.isFollowing) draw();
        if (grid.element.scrollTop < nearEnd) feed.loadOlder();
        const below = grid.element.scrollHeight - grid.element.scrollTop - grid.element.clientHeight;
        if (feed.log.isDetached && below < nearEnd) feed.loadNewer().then((hasMore) => { if (!hasMore && grid.isAtEnd) start(); });
    }

    function restartOrJump() {
        if (feed.log.isDetached) return start();
        feed.isFollowing = true;
        feed.unseen = 0;
        grid.scrollToEnd();
        draw();
        grid.element.focus();
    }

    function open(index) {
        const row = feed.log.at(index);
        if (!row) return;
        const { element: panel, focus } = eventDetail(row, {
            close() { closeDetail(); grid.element.focus(); },
            filter(name, value) {
                const next = new EventFilter({ ...filter.values, [name]: value });
                form.show(next);
                apply(next);
                grid.element.focus();
            },
        });
        side.replaceChildren(panel);
        side.hidden = false;
        focus.focus();
    }

    function closeDetail() {
        side.hidden = true;
        side.replaceChildren();
    }

    form.show(filter);
    start();
    const timer = setInterval(() => {
        const seconds = (performance.now() - rate.since) / 1000;
        rateText.textContent = feed.isLive ? `Live, ${countText(Math.round(rate.count / seconds))} events a second` : "Not live: the chosen span is over";
        rate = { since: performance.now(), count: 0 };
    }, 2_000);
    return {
        title: "Events", element,
        close() {
            clearInterval(timer);
            feed.close();
            grid.close();
        },
    };
}
