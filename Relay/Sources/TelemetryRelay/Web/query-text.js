/** The built-in fields of the query language; any other name is that of an attribute. */
export const fields = ["client", "session", "scenario", "level", "severity", "name", "text", "time", "sequence", "id", "thread", "device", "app"];

const token = /(?:"(?:\\["\\]|[^"])*"?|[^\s"|()])+|[|()]/gu;
const bareName = /^(?!(?:and|or|not)$)[\p{L}_][\p{L}\p{N}_.]*$/iu;

export function quoted(text) { return `"${text.replaceAll(/["\\]/g, "\\$&")}"`; }

/** How a query refers to a field, such as a column of its result. */
export function fieldName(name) { return bareName.test(name) ? name : quoted(name); }

/** How a query refers to the attribute with a key. */
export function attributeField(key) {
    const name = fields.includes(key) || key.startsWith("attributes.") ? `attributes.${key}` : key;
    return fieldName(name);
}

/** The term for the events whose field has exactly this value, or lacks the field if the value is null. */
export function term(field, value) { return value === null ? `-${field}:*` : `${field}:=${quoted(value)}`; }

/** The term for all other events. */
export function exclusion(field, value) { return value === null ? `${field}:*` : `-${term(field, value)}`; }

/** The address of the events of a query. */
export function address(query) { return `#/events${query ? `?${new URLSearchParams({ query })}` : ""}`; }

/** A query's filter, and its pipes with the bar before them; empty if there are none. */
export function split(query) {
    const bar = [...query.matchAll(token)].find(([text]) => text === "|");
    const end = bar?.index ?? query.length;
    return { filter: query.slice(0, end).trim(), pipes: query.slice(end).trim() };
}

/** The tokens of a filter that are not in parentheses. */
function outerTokens(filter) {
    let depth = 0;
    return [...filter.matchAll(token)].filter(([text]) => {
        if (text === ")") depth -= 1;
        const isOuter = depth === 0;
        if (text === "(") depth += 1;
        return isOuter;
    });
}

const hasAlternatives = (tokens) => tokens.some(([text]) => text.toLowerCase() === "or");

/** The query with one more condition, which all its events meet. */
export function adding(condition, query) {
    const { filter, pipes } = split(query);
    const tokens = outerTokens(filter);
    if (tokens.some(([text]) => text === condition) && !hasAlternatives(tokens)) return query;
    return [hasAlternatives(tokens) ? `(${filter})` : filter, condition, pipes].filter(Boolean).join(" ");
}

/** Whether one of the conditions that all events of a query meet is about the time. */
export function hasTime(query) {
    const tokens = outerTokens(split(query).filter);
    return !hasAlternatives(tokens) && tokens.some(([text]) => text.startsWith("time:"));
}

/** The query without those conditions. */
export function withoutTime(query) {
    if (!hasTime(query)) return query;
    const { filter, pipes } = split(query);
    const times = outerTokens(filter).filter(([text]) => text.startsWith("time:"));
    const rest = times.reduceRight((text, { 0: time, index }) => text.slice(0, index) + text.slice(index + time.length).trimStart(), filter);
    return [rest.trim(), pipes].filter(Boolean).join(" ");
}

/** The query within a span of time, in milliseconds since 1970, instead of the span that it has. */
export function within(since, until, query) {
    const text = (time) => new Date(time).toISOString().replace(/\.000Z$/, "Z");
    return adding(`time:>=${text(since)} time:<${text(until)}`, withoutTime(query));
}

/** Whether a query hides no event of a session, so that a missing sequence number is a gap. */
export function showsWholeSessions(query) {
    const { filter, pipes } = split(query);
    return pipes === "" && [...filter.matchAll(token)].every(([text]) => /^(?:(?:client|session):=|time:)/.test(text));
}

/** The text around an offset in UTF-8 bytes, as an error has it: what is before, the character there, and what is after. */
export function around(query, offset) {
    const before = new TextDecoder().decode(new TextEncoder().encode(query).slice(0, offset));
    const [at = ""] = query.slice(before.length);
    return { before, at, after: query.slice(before.length + at.length) };
}
