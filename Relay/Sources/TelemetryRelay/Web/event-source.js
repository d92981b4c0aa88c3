import { parse, query } from "./api.js";
import { EventLog, rowLimit } from "./event-log.js";
import { follow } from "./stream.js";

const pageSize = 500;
/** How many pages a search in the past reads before it shows what it found. */
const pagesAtOnce = 10;
const drainInterval = 100;
const incomingLimit = 5_000;

/**
 * Reads events into a log: the newest page, new events as they come, and older or newer pages on request.
 * `changed({shift, isLive})` is called after the log changed; `failed(error)` for an error that lasts.
 */
export class EventFeed {
    /** The number of events that came while the log did not follow. */
    unseen = 0;
    isFollowing = true;
    isLoading = false;
    hasStart = false;
    /** Whether new events are awaited; false if the filter ends in the past. */
    isLive = true;
    #abort = new AbortController();
    #incoming = [];
    #timer = null;
    /** The read of older events, with its repetitions, if there is one. */
    #olderRead = null;
    /** Where the last page of newer events ended; null if newer events were removed since. */
    #resume = null;

    constructor(relay, filter, { changed, failed }) {
        Object.assign(this, { relay, filter, changed, failed });
        this.log = new EventLog(filter.showsWholeSessions);
        this.isShown = filter.predicate;
        this.isLive = !filter.until || Date.parse(filter.until) > Date.now();
        this.#start();
    }

    close() {
        this.#abort.abort();
        clearTimeout(this.#timer);
    }

    async #start() {
        const { signal } = this.#abort;
        await this.#readOlder();
        if (signal.aborted || this.log.oldestCursor === null || !this.isLive) return;
        try {
            await follow(this.relay, `/v1/events/stream${query({ ...this.filter.parameters, after: this.log.oldestCursor })}`, {
                signal, onEvent: (event) => this.#receive(event),
            });
        } catch (error) { this.failed(error); }
    }

    /** Repeats a read until the relay answers. */
    async #retry(read) {
        for (;;) {
            try {
                return await read();
            } catch (error) {
                if (this.#abort.signal.aborted) return undefined;
                if (!error.isTemporary) { this.failed(error); return undefined; }
                await new Promise((resolve) => setTimeout(resolve, 2_000));
            }
        }
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
            this.unseen += items.filter(({ event }) => event && this.isShown(event)).length;
            return this.changed({ shift: 0, isLive: true });
        }
        const added = this.log.append(items, this.isShown);
        if (!this.isFollowing) this.unseen += added;
        const removed = this.isFollowing ? this.log.trimStart() : 0;
        if (removed > 0) this.hasStart = false;
        return this.changed({ shift: -removed, isLive: true });
    }

    /** Reads older events, unless events are being read. */
    async loadOlder() {
        if (this.isLoading || this.hasStart || this.log.oldestCursor === null) return;
        await this.#readOlder();
    }

    #readOlder() {
        this.#olderRead ??= this.#repeatOlder();
        return this.#olderRead;
    }

    async #repeatOlder() {
        const isRead = await this.#retry(() => this.#older());
        this.#olderRead = null;
        // May begin the next read, if the list is not full yet.
        if (isRead) this.changed({ shift: 0, isLive: false });
    }

    /** Reads pages back from the oldest event, or from the newest if none was read, until some rows are found. Returns true. */
    async #older() {
        this.isLoading = true;
        let found = 0;
        try {
            for (let page = 0; page < pagesAtOnce && found < 100 && !this.hasStart; page += 1) {
                const after = this.log.oldestCursor;
                const answer = await this.relay.events(this.filter.parameters, { order: "desc", limit: pageSize, after }, this.#abort.signal);
                // New events have pushed out the row before which the page belongs.
                if (this.log.oldestCursor !== after) break;
                this.hasStart = !answer.hasMore;
                const rows = this.log.prepend(answer.events, answer.cursor, this.isShown);
                found += rows;
                if (!this.isFollowing) this.log.trimEnd();
                if (this.log.isDetached) this.#resume = null;
                this.isLoading = page + 1 < pagesAtOnce && found < 100 && !this.hasStart;
                this.changed({ shift: rows, isLive: false });
            }
        } finally { this.isLoading = false; }
        return true;
    }

    /** Reads the events after the last row, if rows were removed there. Returns whether there are more. */
    async loadNewer() {
        if (this.#olderRead || this.isLoading || !this.log.isDetached) return true;
        this.isLoading = true;
        try {
            // The first page begins with the events of the last segment, which the log has already.
            const after = this.#resume ?? this.log.newestCursor;
            const answer = await this.relay.events(this.filter.parameters, { limit: 2 * pageSize, after }, this.#abort.signal);
            this.#resume = answer.cursor;
            const last = answer.events.length - 1;
            this.log.append(answer.events.map((event, index) => ({ event, cursor: index === last ? answer.cursor : null })), this.isShown);
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
