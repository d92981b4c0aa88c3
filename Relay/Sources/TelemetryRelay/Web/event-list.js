import { button, el } from "./dom.js";
import { eventDetail } from "./event-detail.js";
import { columns, fillRow } from "./event-row.js";
import { EventFeed } from "./event-source.js";
import { Grid } from "./grid.js";
import { emptyState } from "./help.js";
import { countText, counted } from "./time.js";

/** How close to an end of the rows the next page is read. */
const nearEnd = 1_500;
const rateInterval = 2_000;

/**
 * The list of a query's events, with the details of one beside it. `add(term)` adds a term to the query, `restart()` asks it again,
 * `failed(error)` is called for an error that lasts, and `arrived(first)` for new events, with those that the list began with.
 */
export function eventList({ store, relay, add, restart, failed, arrived }) {
    let feed = null;
    let known = 0;
    let rate = { since: performance.now(), count: 0 };
    const summary = el("p", { class: "summary" });
    const rateText = el("span", { class: "muted" });
    const jump = button("", goToNewest, { class: "primary jump", hidden: true });
    const nothing = el("div", { hidden: true });
    const grid = new Grid({
        label: "Events", className: "events-grid", rowHeight: 28, columns,
        render(cells, index, element) {
            const row = feed.log.at(index);
            if (row.event?.scenario) store.get("scenarioNames").add(row.event.scenario);
            fillRow(cells, row, element, grid.textFit);
        },
        open, onScroll: scrolled,
    });
    const side = el("div", { class: "side", hidden: true });
    const list = el("div", { class: "list" }, el("div", { class: "toolbar slim" }, summary, rateText), nothing, grid.element, jump);
    const element = el("div", { class: "split" }, list, side);

    /** Shows the events of a query, beginning with its newest page. */
    function show(query, page) {
        stop();
        rate = { since: performance.now(), count: 0 };
        known = 0;
        grid.active = -1;
        feed = new EventFeed(relay, query, { changed, failed(error) {
            // The relay has another store now, whose cursors differ.
            if (error.status === 400) restart();
            else failed(error);
        } });
        feed.begin(page);
    }

    function stop() {
        feed?.close();
        closeDetail();
    }

    function changed({ shift, isLive }) {
        const { log } = feed;
        const events = log.count - known - shift;
        const isFirst = known === 0;
        known = log.count;
        if (isLive && events > 0) {
            rate.count += events;
            arrived(isFirst ? Array.from({ length: log.count }, (_, index) => log.at(index).event).filter(Boolean) : []);
        }
        // The list must be visible before it is scrolled.
        grid.element.hidden = log.count === 0;
        grid.update(log.count, { shift, stayAtEnd: feed.isFollowing });
        draw();
        // A list without rows is hidden and has no height.
        const isFull = log.count > 0 && log.count * grid.rowHeight >= grid.element.clientHeight;
        if (!isFull) loadOlder();
    }

    async function loadOlder() {
        const reading = feed.loadOlder();
        draw();
        await reading;
        draw();
    }

    function draw() {
        const { log, unseen, isFollowing, hasStart, isLoadingOlder, text } = feed;
        const more = isLoadingOlder ? ", reading older ones…" : hasStart ? "" : ", older ones are read when you scroll up";
        summary.textContent = `${counted(log.count, "row")}${more}`;
        jump.hidden = isFollowing;
        jump.textContent = unseen > 0 ? `${counted(unseen, "new event")} ↓` : "Newest ↓";
        nothing.hidden = log.count > 0 || !hasStart;
        if (!nothing.hidden) nothing.replaceChildren(nothingText(text));
    }

    function nothingText(query) {
        if (query) return emptyState("No event matches", el("p", {}, "New events that match are shown as they come. Remove a term to see more."));
        return emptyState("No events yet",
            el("p", {}, "Events arrive when an approved client has a scenario that is on. Open a client, approve it, and turn on a scenario."),
            el("p", {}, el("a", { class: "button primary", href: "#/clients" }, "Go to the clients")));
    }

    function scrolled() {
        const wasFollowing = feed.isFollowing;
        feed.isFollowing = grid.isAtEnd && !feed.log.isDetached;
        if (feed.isFollowing) feed.unseen = 0;
        if (wasFollowing !== feed.isFollowing) draw();
        if (grid.element.scrollTop < nearEnd) loadOlder();
        const below = grid.element.scrollHeight - grid.element.scrollTop - grid.element.clientHeight;
        if (feed.log.isDetached && below < nearEnd) feed.loadNewer().then((hasMore) => { if (!hasMore && grid.isAtEnd) restart(); });
    }

    function goToNewest() {
        if (feed.log.isDetached) return restart();
        feed.isFollowing = true;
        feed.unseen = 0;
        grid.scrollToEnd();
        draw();
        return grid.element.focus();
    }

    function open(index) {
        const row = feed.log.at(index);
        if (!row) return;
        const { element: panel, focus } = eventDetail(row, {
            close() { closeDetail(); grid.element.focus(); },
            add(term) { add(term); grid.element.focus(); },
        });
        side.replaceChildren(panel);
        side.hidden = false;
        focus.focus();
    }

    function closeDetail() {
        side.hidden = true;
        side.replaceChildren();
    }

    /** Goes some rows down or up. If the details are open, they show the new row. */
    function step(rows) {
        grid.step(rows);
        if (!side.hidden) open(grid.active);
    }

    const timer = setInterval(() => {
        const seconds = (performance.now() - rate.since) / 1000;
        rateText.textContent = `Live, ${countText(Math.round(rate.count / seconds))} events a second`;
        rate = { since: performance.now(), count: 0 };
    }, rateInterval);
    return {
        element, show, stop, step, focus: () => grid.element.focus(),
        close() {
            clearInterval(timer);
            stop();
            grid.close();
        },
    };
}
