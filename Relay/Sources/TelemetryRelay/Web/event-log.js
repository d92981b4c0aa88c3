/** The number of rows that the page keeps. What is beyond is fetched again from the relay. */
export const rowLimit = 20_000;
const segmentSize = 500;

const keyOf = (event) => `${event.clientid ?? ""}\u0000${event.eventId}`;
const sessionOf = (event) => `${event.clientid ?? ""}\u0000${event.sessionId}`;

/** Keeps the least or greatest sequence number of a session; events may arrive out of order. */
function note(numbers, event, pick) {
    if (typeof event.sequence !== "number") return;
    const session = sessionOf(event);
    numbers.set(session, pick(numbers.get(session) ?? event.sequence, event.sequence));
}

/**
 * A window of bounded size over the relay's events, oldest first. Rows are `{event}`, or `{missing}` with a number and the
 * sequence numbers where events of a session are missing, or `{skipped}` where retention deleted events.
 *
 * The rows are kept in segments. Each has the cursor of its oldest event, from which older and newer events can be read.
 */
export class EventLog {
    count = 0;
    /** Whether rows at the newer end were removed, so that new events do not follow the last row. */
    isDetached = false;
    #segments = [];
    #keys = new Set();
    #newest = new Map();
    #oldest = new Map();

    /** @param findsGaps false if a filter hides events, so that missing sequence numbers mean nothing. */
    constructor(findsGaps) { this.findsGaps = findsGaps; }

    /** The cursor before which older events are, or null if there is none yet. */
    get oldestCursor() { return this.#segments[0]?.cursor ?? null; }

    /** The cursor from which the newest kept events and those after them can be read. */
    get newestCursor() { return this.#segments.at(-1)?.cursor ?? null; }

    at(index) {
        let rest = index;
        for (const { rows } of this.#segments) {
            if (rest < rows.length) return rows[rest];
            rest -= rows.length;
        }
        return null;
    }

    /** Adds a page of older events, newest first as the relay sends it. Returns the number of rows added at the start. */
    prepend(events, cursor) {
        const rows = [];
        for (const event of events) {
            if (this.#keys.has(keyOf(event))) continue;
            const missing = this.#gap(event, this.#oldest.get(sessionOf(event)), -1);
            if (missing) rows.push(missing);
            note(this.#oldest, event, Math.min);
            note(this.#newest, event, Math.max);
            this.#keys.add(keyOf(event));
            rows.push({ event });
        }
        this.#segments.unshift({ cursor, rows: rows.reverse() });
        this.count += rows.length;
        return rows.length;
    }

    /** Adds events at the end. `items`: `{event, cursor}` or `{skipped}`. Returns the number of rows added. */
    append(items) {
        let added = 0;
        for (const { event, skipped, cursor } of items) {
            if (skipped !== undefined) {
                this.#push({ skipped }, cursor);
                added += 1;
                continue;
            }
            if (this.#keys.has(keyOf(event))) continue;
            const missing = this.#gap(event, this.#newest.get(sessionOf(event)), 1);
            if (missing) { this.#push(missing, cursor); added += 1; }
            note(this.#newest, event, Math.max);
            note(this.#oldest, event, Math.min);
            this.#keys.add(keyOf(event));
            this.#push({ event }, cursor);
            added += 1;
        }
        return added;
    }

    /** Removes whole segments at the older end. Returns the number of rows removed. */
    trimStart() {
        let removed = 0;
        while (this.count > rowLimit && this.#segments.length > 1) removed += this.#drop(this.#segments.shift());
        if (removed > 0) this.#oldest = this.#sequences(Math.min);
        if (this.#newest.size > rowLimit) this.#newest = this.#sequences(Math.max);
        return removed;
    }

    /** Removes whole segments at the newer end. */
    trimEnd() {
        let removed = 0;
        while (this.count > rowLimit && this.#segments.length > 1) removed += this.#drop(this.#segments.pop());
        if (removed > 0) {
            this.isDetached = true;
            this.#newest = this.#sequences(Math.max);
        }
    }

    #push(row, cursor) {
        let last = this.#segments.at(-1);
        // Only a row whose cursor is known can begin a segment.
        if (!last || (last.rows.length >= segmentSize && cursor)) {
            last = { cursor: cursor ?? null, rows: [] };
            this.#segments.push(last);
        }
        last.cursor ??= cursor ?? null;
        last.rows.push(row);
        this.count += 1;
    }

    #drop({ rows }) {
        for (const { event } of rows) if (event) this.#keys.delete(keyOf(event));
        this.count -= rows.length;
        return rows.length;
    }

    /** The row for the events missing between two neighbours of one session; null if none is. */
    #gap(event, neighbour, direction) {
        if (!this.findsGaps || typeof event.sequence !== "number" || typeof neighbour !== "number") return null;
        const missing = (event.sequence - neighbour) * direction - 1;
        if (missing < 1) return null;
        const first = Math.min(event.sequence, neighbour) + 1;
        return { missing, first, last: first + missing - 1, client: event.clientid ?? "", session: event.sessionId };
    }

    /** The least or greatest sequence number of each session among the rows. */
    #sequences(pick) {
        const found = new Map();
        for (const { rows } of this.#segments) {
            for (const { event } of rows) if (event) note(found, event, pick);
        }
        return found;
    }
}
