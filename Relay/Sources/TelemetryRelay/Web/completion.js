import { severities } from "./event-row.js";
import { attributeField, exactly, fields, lastToken, split } from "./query-text.js";

const choiceLimit = 12;
const pipes = ["stats ", "top ", "sort by ", "limit ", "fields "];
const functions = ["count()", "count(", "count_distinct(", "sum(", "avg(", "min(", "max(", "quantile(0.95, "];
const buckets = ["time:1m", "time:10m", "time:1h", "time:1d"];
const spans = ["15m", "1h", "6h", "24h", "7d"];
/** Their values differ from event to event. */
const unlisted = ["text", "sequence", "id"];

/**
 * What can stand at the end of the beginning of a query: `{start, choices}`. The choices are the strings that replace what follows `start`.
 * `attributes` are the known keys, and `valuesOf(field)` resolves to the values that most events have in a field.
 */
export async function completions(text, { attributes, valuesOf }) {
    const names = [...fields, ...[...attributes].sort().map(attributeField)];
    const piped = split(text).pipes;
    const { typed, choices } = piped === "" ? await inFilter(text, names, valuesOf) : inPipe(piped.slice(piped.lastIndexOf("|") + 1), text, names);
    // A value is chosen by what it begins with, whether or not its sign and its quote are typed.
    const plain = (choice) => choice.replace(/^="?|^~"\^/, "").toLowerCase();
    const matching = choices.filter((choice) => choice !== typed && plain(choice).startsWith(plain(typed)));
    return { start: text.length - typed.length, choices: matching.slice(0, choiceLimit) };
}

async function inFilter(text, names, valuesOf) {
    const word = lastToken(text, false).replace(/^[-!]/, "");
    const [, field, typed] = word.match(/^("(?:\\["\\]|[^"])*"|[^":]+):(.*)$/s) ?? [];
    if (field === undefined) return { typed: word, choices: word === "" ? [] : names.map((name) => `${name}:`) };
    if (field === "time") return { typed, choices: spans };
    const ordered = field === "severity" ? severities.map((name) => `>=${name}`) : [];
    if (/^[<>]/.test(typed) || unlisted.includes(field) || !names.includes(field)) return { typed, choices: ordered };
    return { typed, choices: [...(await valuesOf(field)).map((value) => exactly(value)), ...ordered] };
}

function inPipe(stage, text, names) {
    const typed = lastToken(text, true);
    const before = stage.slice(0, stage.length - typed.length);
    if (before.trim() === "") return { typed, choices: pipes };
    const [, pipe, rest] = before.match(/^\s*(\w+)(.*)$/s) ?? [];
    if (pipe === "limit") return { typed, choices: [] };
    if (pipe === "sort" && rest.trim() === "") return { typed, choices: ["by "] };
    if (pipe !== "stats") return { typed, choices: [...names, ...(pipe === "sort" ? ["desc"] : [])] };
    if (/\bby\b/.test(rest)) return { typed, choices: [...names, ...buckets] };
    const isArgument = rest.lastIndexOf("(") > rest.lastIndexOf(")");
    return { typed, choices: isArgument ? names : [...functions, "by "] };
}
