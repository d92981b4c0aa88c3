import { parse, query } from "./api.js";
import { EventLog, rowLimit } from "./event-log.js";
import { showsWholeSessions } from "./query-text.js";
import { follow, persist } from "./stream.js";

const pageSize = 500;
const drainInterval = 100;
const incomingLimit = 5_000;

/**
 * Reads events into a log: a first page, new events as they come, and older or newer pages on request.
 * `changed({shift, isLive})` is called after the log changed; `failed(error)` for an error that lasts.
 */
export class EventFeed {
    /** The number of events that came while the log did not follow. */
    unseen = 0;
    isFollowing = true;
    isLoading = false;
    isLoadingOlder = false;
    hasStart = false;
    #abort = new AbortController();
    #incoming = [];
    #timer = null;
    /** Where the last page of newer events ended; null if newer events were removed since. */
    #resume = null;

    /** @param text a query without pipes. */
    constructor(relay, text, { changed, failed }) {
        Object.assign(this, { relay, text, changed, failed });
        this.log = new EventLog(showsWholeSessions(text));
    }

    /** The newest page of a query's events, with which a feed begins. */
    static firstPage(relay, text, signal) { return relay.events({ query: text }, { order: "desc", limit: pageSize }, signal); }

    close() {
        this.#abort.abort();
        clearTimeout(this.#timer);
    }

    /** Shows the first page, then follows from its oldest event. Those that the log has already are not added again. */
    async begin(page) {
        const { signal } = this.#abort;
        this.hasStart = !page.hasMore;
        this.changed({ shift: this.log.prepend(page.events, page.cursor), isLive: false });
        try {
            await follow(this.relay, `/v1/events/stream${query({ query: this.text, after: page.cursor })}`, {
                signal, onEvent: (event) => this.#receive(event),
            });
        } catch (error) { this.failed(error); }
    }

    #receive({ name, data, id }) {
        if (name === "telemetry") this.#incoming.push({ event: parse(data), cursor: id });
        else if (name === "skipped") this.#incoming.push({ skipped: parse(data).skipped, cursor: id });
        else return;
        // Browsers run the timers of a hidden tab rarely.
        if (this.#incoming.length >= incomingLimit) {
            clearTimeout(this.#timer);
            this.#drain();
        } else this.#timer ??= setTimeout(() => this.#drain(), drainInterval);
    }

    #drain() {
        this.#timer = null;
        const items = this.#incoming;
        this.#incoming = [];
        // A reader of older rows keeps them: when the log is full, new events are counted and read again later.
        if (!this.isFollowing && this.log.count + items.length > rowLimit) this.log.isDetached = true;
        if (this.log.isDetached) {
            this.unseen += items.filter(({ event }) => event).length;
            return this.changed({ shift: 0, isLive: true });
        }
        const added = this.log.append(items);
        if (!this.isFollowing) this.unseen += added;
        const removed = this.isFollowing ? this.log.trimStart() : 0;
        if (removed > 0) this.hasStart = false;
        return this.changed({ shift: -removed, isLive: true });
    }

    /** Reads a page of older events, unless events are being read. */
    async loadOlder() {
        if (this.isLoading || this.hasStart || this.log.oldestCursor === null) return;
        this.isLoading = this.isLoadingOlder = true;
        try {
            await persist(() => this.#older(), this.#abort.signal);
        } catch (error) {
            if (!this.#abort.signal.aborted) this.failed(error);
            return;
        } finally { this.isLoading = this.isLoadingOlder = false; }
        // May begin the next read, if the list is not full yet.
        this.changed({ shift: 0, isLive: false });
    }

    async #older() {
        const after = this.log.oldestCursor;
        const answer = await this.relay.events({ query: this.text }, { order: "desc", limit: pageSize, after }, this.#abort.signal);
        // New events have pushed out the row before which the page belongs.
        if (this.log.oldestCursor !== after) return;
        this.hasStart = !answer.hasMore;
        const rows = this.log.prepend(answer.events, answer.cursor);
        if (!this.isFollowing) this.log.trimEnd();
        if (this.log.isDetached) this.#resume = null;
        this.changed({ shift: rows, isLive: false });
    }

    /** Reads the events after the last row, if rows were removed there. Returns whether there are more. */
    async loadNewer() {
        if (this.isLoading || !this.log.isDetached) return true;
        this.isLoading = true;
        try {
            // The first page begins with the events of the last segment, which the log has already.
            const after = this.#resume ?? this.log.newestCursor;
            const answer = await this.relay.events({ query: this.text }, { limit: 2 * pageSize, after }, this.#abort.signal);
            this.#resume = answer.cursor;
            const last = answer.events.length - 1;
            this.log.append(answer.events.map((event, index) => ({ event, cursor: index === last ? answer.cursor : null })));
            const removed = this.log.trimStart();
            if (removed > 0) this.hasStart = false;
            this.changed({ shift: -removed, isLive: false });
            return answer.hasMore;
        } catch (error) {
            if (!this.#abort.signal.aborted && !error.isTemporary) this.failed(error);
            return true;
        } finally { this.isLoading = false; }
    }
}
