import { split } from "./query-text.js";

/** The maximum of a trigger's count and of its limit. */
export const maximumCount = 10_000;

const units = [["ms", 0.001], ["s", 1], ["m", 60], ["h", 3_600], ["d", 86_400]];
const duration = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)?$/;

/** The seconds of a duration such as 90s, 5m, 2h or 1d, as the command-line viewer reads it; NaN for other text, and for 0. */
export function seconds(text) {
    const [, number, suffix = "s"] = text.trim().match(duration) ?? [];
    const value = Number(number);
    return value > 0 && value < 1e10 ? value * units.find(([name]) => name === suffix)[1] : NaN;
}

/** A duration as `seconds` reads it, in the largest unit of which it is a whole number. */
export function compact(value) {
    const [suffix, unit] = units.findLast(([, length]) => Number.isInteger(value / length)) ?? units[1];
    return `${value / unit}${suffix}`;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isDuration = (value) => typeof value === "number" && value > 0 && Number.isFinite(value);
const isCount = (value) => Number.isInteger(value) && value >= 1 && value <= maximumCount;

function isAction(action) {
    if (!isObject(action) || ("capture" in action) === ("enable" in action)) return false;
    if ("enable" in action) return isObject(action.enable) && isDuration(action.enable.lease);
    return isObject(action.capture) && isDuration(action.capture.lookback ?? 1);
}

/**
 * The trigger in the text of a rule's field: `{when, count, within, action, limit, per}`, all durations in seconds. Null if it cannot be
 * read; then the rule applies to no client. Whether `when` is a query is known to the relay only.
 */
export function readTrigger(json) {
    let stored;
    try { stored = JSON.parse(json); } catch { return null; }
    if (!isObject(stored)) return null;
    const { when, action } = stored;
    const trigger = { action, count: stored.count ?? 1, limit: stored.limit ?? 1, per: stored.per ?? 3_600, when, within: stored.within ?? 60 };
    const isValid = typeof when === "string" && split(when).pipes === "" && isAction(action) && isCount(trigger.count)
        && isCount(trigger.limit) && isDuration(trigger.within) && isDuration(trigger.per);
    return isValid ? trigger : null;
}

/** What the clients do, in words. */
export function actionText({ action }) {
    if (action.enable) return `turns on for ${compact(action.enable.lease)}`;
    const lookback = action.capture.lookback ?? null;
    return lookback === null ? "captures all that is kept" : `captures the last ${compact(lookback)}`;
}

/** How many events a trigger needs, and how often it acts at most, in words. */
export function countWords({ count, within }) { return count === 1 ? "" : `at least ${count} within ${compact(within)}`; }

export function limitText({ limit, per }) { return `at most ${limit} per ${compact(per)}`; }

/** Throws for a text that is no query of a trigger: an error with the place, as the relay's own parser has it. */
export async function checkQuery(relay, text, since, signal) {
    const { pipes } = split(text);
    if (pipes !== "") {
        const before = text.slice(0, text.length - pipes.length);
        throw Object.assign(new Error("A trigger's query has no pipes."), { offset: new TextEncoder().encode(before).length });
    }
    // Of events from now on, so that the relay reads none.
    await relay.ask(text, signal, 1, { since });
}
