import { droppedCount } from "./event-row.js";
import { now } from "./time.js";

const seriesLimit = 6;
const clientLimit = 10_000;
export const otherSeries = "Other scenarios";

/** Counts of events in intervals of time: per scenario, with their sizes, drops and clients. Its size does not depend on the number of events. */
export class ChartData {
    #intervals = new Map();
    #totals = new Map();

    /** @param width the length of an interval, in milliseconds. */
    constructor(width) { this.width = width; }

    /** Ignores an event from the future, whose time is wrong: its interval would stay for as long. */
    add(event, bytes) {
        const time = Date.parse(event.eventTimestamp);
        if (Number.isNaN(time) || time > now() + this.width) return;
        const start = Math.floor(time / this.width) * this.width;
        let interval = this.#intervals.get(start);
        if (!interval) this.#intervals.set(start, interval = { counts: new Map(), bytes: 0, events: 0, dropped: 0, clients: new Set() });
        const scenario = event.scenario ?? "No scenario";
        interval.counts.set(scenario, (interval.counts.get(scenario) ?? 0) + 1);
        this.#totals.set(scenario, (this.#totals.get(scenario) ?? 0) + 1);
        interval.events += 1;
        interval.bytes += bytes;
        interval.dropped += droppedCount(event);
        if (event.clientid && interval.clients.size < clientLimit) interval.clients.add(event.clientid);
    }

    /** Removes the intervals before a time. */
    trim(start) {
        for (const [time, { counts }] of this.#intervals) {
            if (time + this.width > start) continue;
            for (const [scenario, count] of counts) this.#totals.set(scenario, this.#totals.get(scenario) - count);
            this.#intervals.delete(time);
        }
        for (const [scenario, count] of this.#totals) if (count <= 0) this.#totals.delete(scenario);
    }

    /** The scenarios with the most events; the others are one series. */
    get series() {
        const names = [...this.#totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
        return names.length <= seriesLimit ? names : [...names.slice(0, seriesLimit - 1), otherSeries];
    }

    /** All intervals of a span, also those without events. */
    intervals(since, until) {
        const found = [];
        for (let start = Math.floor(since / this.width) * this.width; start < until; start += this.width) {
            found.push({ start, ...(this.#intervals.get(start) ?? { counts: new Map(), bytes: 0, events: 0, dropped: 0, clients: new Set() }) });
        }
        return found;
    }
}

/** The values of the series in one interval. */
export function seriesValues(series, { counts, events }) {
    const values = series.map((name) => (name === otherSeries ? 0 : counts.get(name) ?? 0));
    const other = series.indexOf(otherSeries);
    if (other >= 0) values[other] = events - values.reduce((sum, value) => sum + value, 0);
    return values;
}
