/** The built-in fields of the query language; any other name is that of an attribute. */
export const fields = ["client", "session", "scenario", "level", "severity", "name", "text", "time", "sequence", "id", "thread", "device", "app"];

const termToken = /(?:"(?:\\["\\]|[^"])*"?|[^\s"|()])+/gu;
const nameToken = /(?:"(?:\\["\\]|[^"])*"?|[^\s"|(),])+/gu;
const token = new RegExp(`${termToken.source}|[|()]`, "gu");
/** A condition about the time that can be removed as a whole. */
const timeTerm = /^time:(?:\d+[smhd]|[<>]=?[^\s"(=][^\s"(]*)$/;
const negation = /^[-!]*(?:not)?$/i;
const bareName = /^(?!(?:and|or|not)$)[\p{L}_][\p{L}\p{N}_.]*$/iu;

export function quoted(text) { return `"${text.replaceAll(/["\\]/g, "\\$&")}"`; }

/** How a query refers to a field, such as a column of its result. */
export function fieldName(name) { return bareName.test(name) ? name : quoted(name); }

/** How a query refers to the attribute with a key. */
export function attributeField(key) {
    // `top` has a column of its own with the name "count".
    const name = fields.includes(key) || key === "count" || key.startsWith("attributes.") ? `attributes.${key}` : key;
    return fieldName(name);
}

/** The operator and operand for exactly this value. A query has one line, so that line breaks are escaped in a regular expression. */
export function exactly(value) {
    if (!/[\r\n]/.test(value)) return `=${quoted(value)}`;
    const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
    return `~${quoted(`^${escaped}$`)}`;
}

/** The term for the events whose field has exactly this value, or lacks the field if the value is null. */
export function term(field, value) { return value === null ? `-${field}:*` : `${field}:${exactly(value)}`; }

/** The term for all other events. */
export function exclusion(field, value) { return value === null ? `${field}:*` : `-${term(field, value)}`; }

/** The query in one line, as the field of the page shows it. */
export function inOneLine(query) { return query.replaceAll(/[\r\n]+/g, " "); }

/** The address of a view. It contains queries, never a token. */
export function address(view, values = {}) {
    const parameters = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
    return `#/${view}${parameters ? `?${parameters}` : ""}`;
}

/** The term with which the beginning of a query ends, or the name if it is in a pipe; empty if it ends otherwise. */
export function lastToken(text, isInPipe) {
    const last = [...text.matchAll(isInPipe ? nameToken : termToken)].at(-1);
    return last && last.index + last[0].length === text.length ? last[0] : "";
}

/** A query's filter, and its pipes with the bar before them; empty if there are none. */
export function split(query) {
    const bar = [...query.matchAll(token)].find(([text]) => text === "|");
    const end = bar?.index ?? query.length;
    return { filter: query.slice(0, end).trim(), pipes: query.slice(end).trim() };
}

/** The names of a query's pipes, such as "stats". */
export function pipeNames(query) {
    const tokens = [...query.matchAll(token)].map(([text]) => text);
    return tokens.filter((_, index) => tokens[index - 1] === "|");
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

const isNegated = (tokens, index) => index > 0 && negation.test(tokens[index - 1][0]);
const hasAlternatives = (tokens) => tokens.some(([text]) => text.toLowerCase() === "or");

/** The query with one more condition, which all its events meet. */
export function adding(condition, query) {
    const { filter, pipes } = split(query);
    const tokens = outerTokens(filter);
    const isPresent = tokens.some(([text], index) => text === condition && !isNegated(tokens, index));
    if (isPresent && !hasAlternatives(tokens)) return query;
    return [hasAlternatives(tokens) ? `(${filter})` : filter, condition, pipes].filter(Boolean).join(" ");
}

/** The tokens of a filter's conditions about the time that all events meet, each with an `and` beside it. */
function timeTokens(filter) {
    const tokens = outerTokens(filter);
    const found = new Set();
    if (hasAlternatives(tokens)) return found;
    for (const [index, item] of tokens.entries()) {
        if (!timeTerm.test(item[0]) || isNegated(tokens, index)) continue;
        found.add(item);
        const and = [tokens[index - 1], tokens[index + 1]].find((other) => other?.[0].toLowerCase() === "and" && !found.has(other));
        if (and) found.add(and);
    }
    return found;
}

/** Whether the query has conditions that `withoutTime` removes. */
export function hasTime(query) { return timeTokens(split(query).filter).size > 0; }

/** The query without the conditions about the time that all its events meet. */
export function withoutTime(query) {
    const { filter, pipes } = split(query);
    const found = [...timeTokens(filter)].sort((a, b) => b.index - a.index);
    if (found.length === 0) return query;
    const rest = found.reduce((text, { 0: part, index }) => text.slice(0, index) + text.slice(index + part.length).trimStart(), filter);
    return [rest.trim(), pipes].filter(Boolean).join(" ");
}

/** The query within a span of time, in milliseconds since 1970, instead of the span that it has. */
export function within(since, until, query) {
    const text = (time) => new Date(time).toISOString().replace(/\.000Z$/, "Z");
    return adding(`time:>=${text(since)} time:<${text(until)}`, withoutTime(query));
}

/** The conditions that all events of a filter meet, as its tokens show them; the filter itself if it has alternatives. The relay's parser decides. */
export function conditions(filter) {
    const tokens = outerTokens(filter);
    if (tokens.length === 0 || hasAlternatives(tokens)) return [filter];
    const isAnd = ([text]) => text.toLowerCase() === "and";
    const isJoined = (token, index) => token[0] === "(" && index > 0 && filter[token.index - 1].trim() !== "";
    const starts = tokens.filter((token, index) =>
        !isAnd(token) && token[0] !== ")" && !isNegated(tokens, index) && !isJoined(token, index));
    const ends = starts.map((_, index) => starts[index + 1]?.index ?? filter.length);
    return starts.map(({ index }, number) => filter.slice(index, ends[number]).replace(/\sand\s*$/i, "").trim());
}

/** Whether a query hides no event of a session, so that a missing sequence number is a gap. */
export function showsWholeSessions(query) {
    const { filter, pipes } = split(withoutTime(query));
    return pipes === "" && [...filter.matchAll(token)].every(([text]) => /^(?:client|session):=/.test(text));
}

/** The text around an offset in UTF-8 bytes, as an error has it: what is before, the character there, and what is after. */
export function around(query, offset) {
    const before = new TextDecoder().decode(new TextEncoder().encode(query).slice(0, offset));
    const [at = ""] = query.slice(before.length);
    return { before, at, after: query.slice(before.length + at.length) };
}
