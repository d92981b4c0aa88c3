import { barChart, lineChart } from "./chart-draw.js";
import { el, visible } from "./dom.js";
import { keyText, rowSummary, severity, valueText } from "./event-row.js";
import { adding, address, fieldName, pipeNames, split, term } from "./query-text.js";
import { countText, counted, dateText } from "./time.js";

/** The most rows of a result that the page reads. */
export const resultLimit = 10_000;
const [tableLimit, chartLimit, seriesLimit, barLimit] = [500, 4, 6, 30];

const isNumber = (value) => ["number", "bigint"].includes(typeof value) || value?.double !== undefined;
const number = (value) => Number(value?.double ?? value);
const groupName = (values) => values.map(keyText).join(" · ");

/** What the columns of `stats` and `top` are: the bucket of the time, groups, whose keys are strings or null, or numbers. */
function roles({ columns, rows }) {
    const indices = (matches) => columns.map((_, index) => index).filter(matches);
    const time = columns.findIndex((name) => /^time:\d/.test(name));
    const values = indices((index) => index !== time && rows.some((row) => isNumber(row[index])));
    const groups = indices((index) => index !== time && !values.includes(index) && rows.some((row) => typeof row[index] === "string"));
    return { time, values, groups };
}

/** The numbers of a column as series over time, by the keys of their groups. Different keys may look alike. */
function timeSeries({ rows }, { time, groups }, value) {
    const series = new Map();
    for (const row of rows) {
        const point = [Date.parse(row[time]?.date), number(row[value])];
        if (!isNumber(row[value]) || !point.every(Number.isFinite)) continue;
        const values = groups.map((group) => row[group]);
        const key = JSON.stringify(values);
        if (!series.has(key)) series.set(key, { name: groupName(values), points: [] });
        series.get(key).points.push(point);
    }
    for (const { points } of series.values()) points.sort(([a], [b]) => a - b);
    return series;
}

const sum = ({ points }) => points.reduce((total, [, value]) => total + value, 0);

/** A chart for each number, all with the same groups: those whose sum of the first number is greatest. */
function lineCharts(result, found) {
    const columns = found.values.slice(0, chartLimit).map((value) => ({ title: result.columns[value], series: timeSeries(result, found, value) }))
        .filter(({ series }) => series.size > 0);
    const greatest = [...columns[0]?.series ?? []].sort(([, a], [, b]) => sum(b) - sum(a));
    const note = greatest.length > seriesLimit && `The ${seriesLimit} greatest of ${countText(greatest.length)} groups; the table has the others.`;
    return columns.map(({ title, series }) => el("div", { class: "card" }, lineChart({
        title, series: greatest.slice(0, seriesLimit).map(([key, { name }]) => series.get(key) ?? { name, points: [] }),
    }), note && el("p", { class: "muted" }, note)));
}

function charts(result, found) {
    if (found.time >= 0) return lineCharts(result, found);
    return found.values.slice(0, chartLimit).flatMap((value) => {
        const title = result.columns[value];
        const bars = result.rows.filter((row) => Number.isFinite(number(row[value])) && isNumber(row[value])).slice(0, barLimit)
            .map((row) => ({ name: groupName(found.groups.map((group) => row[group])), value: number(row[value]) }));
        return found.groups.length === 0 || bars.length === 0 ? [] : [el("div", { class: "card" }, barChart({ title, bars }))];
    });
}

function cell(value, isCounted) {
    if (value === null) return "–";
    if (isCounted && isNumber(value)) return value.double ?? countText(value);
    return value.date ? dateText(Date.parse(value.date)) : visible(valueText(value));
}

/** A table of rows. The cell of a group leads to its events, unless pipes after the first one changed what a group is. */
function table({ columns, rows }, found, filter) {
    const link = (name, value) => el("a", { href: address("events", { query: adding(term(fieldName(name), value), filter) }) }, keyText(value));
    const style = (index) => ({ class: found.values.includes(index) ? "number" : null });
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Result" }, el("table", {},
        el("thead", {}, el("tr", {}, columns.map((name, index) => el("th", { scope: "col", ...style(index) }, visible(name))))),
        el("tbody", {}, rows.slice(0, tableLimit).map((row) => el("tr", {}, row.map((value, index) => el("td", style(index),
            found.hasLinks && found.groups.includes(index) ? link(columns[index], value) : cell(value, found.isCounted))))))));
}

/** The events that the table shows, for queries that sort or limit them. */
function eventRows(events) {
    return {
        columns: ["time", "severity", "client", "scenario", "name", "text and attributes"],
        rows: events.slice(0, tableLimit).map((event) => {
            const { text, attributes } = rowSummary(event);
            const summary = [text, ...attributes.map(([key, value]) => `${key}=${value}`)].join("  ");
            return [{ date: event.eventTimestamp }, severity(event), event.clientid ?? null, event.scenario ?? null, event.eventName, summary];
        }),
    };
}

/** The result of a query with pipes: charts of its numbers, and a table. */
export function queryResult(query, result) {
    const { filter } = split(query);
    const pipes = pipeNames(query);
    const isCounting = (name) => ["stats", "top"].includes(name);
    const count = (result.events ?? result.rows).length;
    const shown = result.events ? eventRows(result.events) : result;
    const isCounted = isCounting(pipes[0]);
    const hasLinks = pipes.filter(isCounting).length === 1;
    const found = isCounted ? { ...roles(shown), isCounted, hasLinks } : { time: -1, values: [], groups: [], isCounted, hasLinks };
    const parts = [
        `${counted(count, "row")} from ${counted(result.matched, "event")}`,
        result.hasMore && "there are more rows", count > tableLimit && `the table has the first ${countText(tableLimit)}`,
    ];
    return [el("p", { class: "summary" }, parts.filter(Boolean).join("; ")), el("div", { class: "charts" }, charts(shown, found)), table(shown, found, filter)];
}
