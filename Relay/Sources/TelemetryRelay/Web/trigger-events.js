import { conditions as conditionsOf, term } from "./query-text.js";
import { replay, secondsOf } from "./trigger-replay.js";

/** The maximum number of rows that the relay returns for a query. */
const eventLimit = 10_000;
const conditionLimit = 16;
/** The library's own events never count. */
const countable = '-name:~"^telemetry\\."';

/**
 * How often one condition of the query alone was not met, most frequent first: `{condition, query, events, client, seconds}`, with the
 * newest such event. Empty if the relay does not read the conditions one by one, or if there are too few or too many.
 */
async function failuresOf(when, isReached, ask) {
    const conditions = conditionsOf(when);
    if (conditions.length < 2 || conditions.length > conditionLimit) return [];
    const failures = [];
    for (const [index, condition] of conditions.entries()) {
        const others = conditions.filter((_, other) => other !== index).map((text) => `(${text})`).join(" ");
        const query = `${others} -(${condition}) ${countable}`;
        const found = await ask(`${query} | stats count(), max(time) by client`).catch((error) => {
            // It is no condition, or the query is larger than the relay allows.
            if ([400, 413].includes(error.status)) return null;
            throw error;
        });
        if (found === null) return [];
        const rows = found.rows.filter(([client]) => isReached(client)).map(([client, events, time]) => ({ client, events, seconds: secondsOf(time.date) }));
        if (rows.length === 0) continue;
        const newest = rows.reduce((best, row) => (row.seconds > best.seconds ? row : best));
        failures.push({ ...newest, condition, query, events: rows.reduce((sum, row) => sum + row.events, 0) });
    }
    return failures.sort((a, b) => b.events - a.events);
}

/** What is stored of the clients that a rule reaches, and what they would have done. One client is asked about alone; otherwise the events of all are read. */
export async function storedResult(relay, { trigger, scenario }, clients, since, signal) {
    const filter = { since, client: clients.length === 1 ? clients[0] : undefined };
    const ids = new Set(clients);
    const isReached = (client) => ids.has(client);
    const ask = (text) => relay.ask(text, signal, eventLimit, filter);
    const fields = `sort by time desc | limit ${eventLimit} | fields client, session, time, name, scenario`;
    const found = await ask(`${trigger.when} | ${fields}`);
    const events = found.rows.map(([client, session, time, name, ofScenario]) => ({ client, session, seconds: secondsOf(time.date), name, scenario: ofScenario }));
    const totals = new Map((await ask(`${countable} | stats count() by client`)).rows);
    const results = replay(trigger, scenario, events.filter(({ client }) => isReached(client)));
    const hasActed = [...results.values()].some(({ actions }) => actions.length > 0);
    return {
        results, totals, matched: found.matched, read: events.length, oldest: events.at(-1)?.seconds,
        failures: hasActed ? [] : await failuresOf(trigger.when, isReached, ask),
        /** What narrows the query of a failure to these events. */
        narrowing: [`time:>=${since}`, ...(clients.length === 1 ? [term("client", clients[0])] : [])].join(" "),
    };
}
