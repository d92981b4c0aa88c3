/** Counts events for a trigger as the library's `TriggerCounter` does. Both change together. */
export class TriggerCounter {
    /** The times of the events counted since the last action. */
    #counted = [];
    /** The times of the actions within the limit's period. */
    #actions = [];

    constructor(trigger) { this.trigger = trigger; }

    /**
     * Counts an event that matches the trigger's query, and returns `{outcome, count}`: "counted" (so many now are within the period),
     * "acts" (because of so many), "heldBack" (the limit is reached) or "ownEvent" (the scenario is on because of the trigger).
     * `isOwn` is whether the event is of the scenario that the trigger acts on.
     */
    add(seconds, isOwn) {
        const { action, count, within, limit, per } = this.trigger;
        const last = this.#actions.at(-1);
        // What it turned on must not keep it on.
        if (isOwn && action.enable && last !== undefined && Math.abs(seconds - last) < action.enable.lease) return { outcome: "ownEvent", count: 0 };
        // In both directions, because the clock may have been set back.
        this.#counted = this.#counted.filter((time) => Math.abs(time - seconds) <= within);
        this.#counted.push(seconds);
        const found = this.#counted.length;
        if (found < count) return { outcome: "counted", count: found };
        this.#counted = [];
        this.#actions = this.#actions.filter((time) => Math.abs(time - seconds) < per);
        if (this.#actions.length >= limit) return { outcome: "heldBack", count: found };
        this.#actions.push(seconds);
        return { outcome: "acts", count: found };
    }
}

/** The seconds since 2001 of a date on the wire, with all its digits. */
export function secondsOf(text) {
    const [fraction = ""] = text.match(/\.\d+/) ?? [];
    return Date.parse(text.replace(fraction, "")) / 1000 - 978_307_200 + Number(`0${fraction}`);
}

/**
 * What clients would have done because of a trigger on a scenario. `events` are those that match its query, in any order:
 * `{client, session, seconds, scenario, name}`. Returns for each client of them
 * `{matched, actions: [{seconds, count}], heldBack, most: {count, seconds}}`; `most` is the largest number within the trigger's period
 * that caused no action, and when it was reached.
 */
export function replay(trigger, scenario, events) {
    const results = new Map();
    const counters = new Map();
    const counting = events.filter(({ name }) => !name.startsWith("telemetry.")).sort((a, b) => a.seconds - b.seconds);
    for (const event of counting) {
        const { client, session, seconds } = event;
        // What was counted ends with its session, as it ends with the process.
        const key = JSON.stringify([client, session]);
        if (!counters.has(key)) counters.set(key, new TriggerCounter(trigger));
        if (!results.has(client)) results.set(client, { matched: 0, actions: [], heldBack: 0, most: { count: 0, seconds } });
        const result = results.get(client);
        const { outcome, count } = counters.get(key).add(seconds, event.scenario === scenario);
        result.matched += 1;
        if (outcome === "acts") result.actions.push({ seconds, count });
        else if (outcome === "heldBack") result.heldBack += 1;
        else if (count > result.most.count) result.most = { count, seconds };
    }
    return results;
}
