/** Compares versions: dotted parts, numbers as numbers, a missing part as 0, a number before a text. */
export function compareVersions(left, right) {
    const [a, b] = [left.split("."), right.split(".")];
    for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
        const result = compareParts(a[index] ?? "", b[index] ?? "");
        if (result !== 0) return result;
    }
    return 0;
}

const digits = /^[0-9]*$/;

function compareParts(left, right) {
    const [isLeft, isRight] = [digits.test(left), digits.test(right)];
    if (isLeft !== isRight) return isLeft ? -1 : 1;
    if (isLeft) {
        const difference = BigInt(left || "0") - BigInt(right || "0");
        return difference < 0n ? -1 : difference > 0n ? 1 : 0;
    }
    return left === right ? 0 : left < right ? -1 : 1;
}

/** Whether a condition holds for a client's value of its attribute; undefined for a client without it. */
export function holds({ comparison, values }, value) {
    if (value === undefined || value === null) return comparison === "notOneOf";
    switch (comparison) {
    case "equals": case "oneOf": return values.includes(value);
    case "notOneOf": return !values.includes(value);
    case "hasPrefix": return values.some((prefix) => value.startsWith(prefix));
    case "atLeast": return values.some((version) => compareVersions(value, version) >= 0);
    case "below": return values.some((version) => compareVersions(value, version) < 0);
    default: return false;
    }
}

/** The attributes that a client's record contains. Those that an app adds are known to the client alone. */
const known = { clientId: "id", appVersion: "appVersion", osVersion: "osVersion", deviceModel: "deviceModel", libraryVersion: "libraryVersion" };

export const knownAttributes = Object.keys(known);

/** A client's position in a rule, from 0 up to 100; the rule applies to positions below its percentage. */
export async function position(clientId, ruleId) {
    const message = new TextEncoder().encode(`${ruleId.normalize("NFC")}\n${clientId.normalize("NFC")}`);
    const digest = new DataView(await crypto.subtle.digest("SHA-256", message));
    return Number(digest.getBigUint64(0)) / 2 ** 64 * 100;
}

/**
 * How many approved clients a rule reaches: `{count, total, isEstimate, unknown, clients}`. `unknown` has the attributes that only the
 * clients know; the number is then the most that can be. `clients` are the identifiers; of an estimate, those before the share is taken.
 */
export async function reach({ id, conditions, percentage }, clients) {
    const approved = clients.filter((client) => client.isEnabled);
    const unknown = conditions.map(({ attribute }) => attribute).filter((name) => !Object.hasOwn(known, name));
    const usable = conditions.filter(({ attribute }) => Object.hasOwn(known, attribute));
    const matching = approved.filter((client) => usable.every((condition) => holds(condition, client[known[condition.attribute]])));
    const ids = matching.map((client) => client.id);
    const result = { total: approved.length, unknown, isEstimate: false, clients: ids };
    if (percentage >= 100) return { ...result, count: ids.length };
    // Over plain HTTP from another machine, browsers offer no SHA-256.
    if (!crypto.subtle) return { ...result, count: Math.round(ids.length * percentage / 100), isEstimate: true };
    const positions = await Promise.all(ids.map((client) => position(client, id)));
    const sampled = ids.filter((_, index) => positions[index] < percentage);
    return { ...result, count: sampled.length, clients: sampled };
}

const symbols = [[">=", "atLeast"], ["!=", "notOneOf"], ["^=", "hasPrefix"], ["==", "equals"], ["<", "below"], ["=", "equals"]];

/** A condition as text: the form that `telemetry rule add --where` takes. */
export function conditionText({ attribute, comparison, values }) {
    const text = values.join(",");
    switch (comparison) {
    case "oneOf": return `${attribute} in ${text}`;
    case "notOneOf": return values.length === 1 ? `${attribute}!=${text}` : `${attribute} not in ${text}`;
    default: return `${attribute}${symbols.findLast(([, name]) => name === comparison)?.[0] ?? "?"}${text}`;
    }
}

/** The comparisons in words, as a form offers them. */
export const comparisons = [
    ["equals", "is"], ["oneOf", "is one of"], ["notOneOf", "is none of"], ["hasPrefix", "begins with"], ["atLeast", "is version or later"], ["below", "is a version before"],
];

/** The conditions NAME=VALUE (or with another of the symbols) that a text has, with "and" between them; null if it has another form. */
export function conditionsIn(text) {
    const parts = text.split(/\s+and\s+/iu).map((part) => part.trim()).filter(Boolean);
    // What looks like several conditions is not taken for one value, because it could hold for everybody.
    const found = parts.map((part) => (part.includes("&&") ? null : /^([^\s<>=!^]+)\s*(>=|!=|\^=|==|<|=)\s*([^<>=!^,]+)$/u.exec(part)));
    if (found.includes(null)) return null;
    return found.map(([, attribute, symbol, value]) => ({ attribute, comparison: symbols.find(([sign]) => sign === symbol)[1], values: [value] }));
}

/** The end of a phrase on what is on in a context only: " for user=4711"; empty without conditions. */
export function contextText(conditions) {
    if (conditions === null) return " for nobody, because its conditions cannot be read";
    return conditions.length === 0 ? "" : ` for ${conditions.map(conditionText).join(" and ")}`;
}
