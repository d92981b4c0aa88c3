import { parse, query } from "./api.js";
import { ChartData, seriesValues } from "./chart-data.js";
import { barChart, chartTable } from "./chart-draw.js";
import { choice, el, textField, visible } from "./dom.js";
import { isOnline } from "./records.js";
import { follow, pause } from "./stream.js";
import { bytesText, countText, dateText, now } from "./time.js";

const spans = [["300", "5 minutes"], ["900", "15 minutes"], ["3600", "1 hour"], ["21600", "6 hours"], ["86400", "24 hours"], ["604800", "7 days"]];
const intervalCount = 60;
const pageLimit = 30;
const drawInterval = 1_000;
const tableInterval = 10_000;
const retryInterval = 2_000;

/** The length of an event as the relay stores it, approximately. */
function compactSize(event) {
    return JSON.stringify(event, (_, value) => (typeof value === "bigint" ? Number(value) : value)).length;
}

/** Charts of the events of a span, which go on with new events. */
export function chartsView({ store, relay, navigate, parameters }) {
    let run = null;
    const tableTimes = new Map();
    const spanChoice = choice("Span", spans, spans.some(([value]) => value === parameters.get("span")) ? parameters.get("span") : "900", restart);
    const client = textField("Client", { value: parameters.get("client") ?? "", placeholder: "All", onchange: restart });
    const summary = el("p", { class: "summary" });
    const charts = ["scenarios", "bytes", "dropped", "clients"].map((id) => {
        const figure = el("div", {});
        const table = el("div", {});
        const details = el("details", { ontoggle: () => draw() }, el("summary", {}, "Show as a table"), table);
        return { id, figure, table, details, element: el("div", { class: "card" }, figure, details) };
    });
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Charts"), el("div", { class: "toolbar" }, spanChoice.element, client.element), summary,
        el("div", { class: "charts" }, charts.map((chart) => chart.element)));

    function restart() {
        navigate("charts", { span: spanChoice.select.value, client: client.input.value.trim() }, "replace");
        run?.abort.abort();
        const span = Number(spanChoice.select.value) * 1000;
        run = { span, ...unread(span), abort: new AbortController(), message: "Loading…" };
        load(run, { client: client.input.value.trim() });
        draw();
    }

    const unread = (span) => ({ data: new ChartData(span / intervalCount), total: null, read: 0 });

    /** Reads the events of the span, from the start again if the relay was away. */
    async function load(current, filter) {
        const { signal } = current.abort;
        while (!signal.aborted) {
            try {
                return await read(current, filter, signal);
            } catch (error) {
                if (signal.aborted) return;
                current.message = `The events cannot be read: ${error.message}`;
                if (!error.isTemporary) return;
                await pause(retryInterval, signal);
                Object.assign(current, unread(current.span));
            }
        }
    }

    /** Reads the newest events of the span, then follows. */
    async function read(current, filter, signal) {
        const since = new Date(now() - current.span).toISOString();
        const newest = await relay.events(filter, { order: "desc", limit: 1 }, signal);
        current.total = await relay.count({ ...filter, since }, signal);
        let cursor = null;
        const seen = new Set();
        for (let page = 0; page < pageLimit; page += 1) {
            const answer = await relay.events({ ...filter, since }, { order: "desc", limit: 1000, after: cursor }, signal);
            for (const event of answer.events) current.data.add(event, compactSize(event));
            // Events that came between the first two reads are in this page and in the stream.
            if (page === 0) for (const event of answer.events) seen.add(`${event.clientid ?? ""}\u0000${event.eventId}`);
            current.read += answer.events.length;
            cursor = answer.cursor;
            draw();
            if (!answer.hasMore) break;
        }
        current.message = null;
        await follow(relay, `/v1/events/stream${query({ ...filter, after: newest.cursor })}`, {
            signal, onEvent: ({ name, data }) => {
                if (name !== "telemetry") return;
                const event = parse(data);
                if (!seen.delete(`${event.clientid ?? ""}\u0000${event.eventId}`)) current.data.add(event, data.length);
            },
        });
    }

    function draw() {
        if (run === null) return;
        const until = now();
        const since = until - run.span;
        run.data.trim(since - run.data.width);
        const intervals = run.data.intervals(since, until);
        const series = run.data.series;
        const clients = [...store.get("clients").values()];
        const shown = intervals.reduce((sum, { events }) => sum + events, 0);
        const isPart = run.total !== null && run.message === null && run.read < run.total;
        summary.textContent = run.message ?? `${countText(shown)} events since ${dateText(since)}${client.input.value ? ` of client ${visible(client.input.value)}` : ""}. `
            + `${countText(clients.filter(isOnline).length)} of ${countText(clients.length)} clients seen in the last 40 minutes.`
            + (isPart ? ` Only the newest ${countText(run.read)} of ${countText(run.total)} stored events are in the charts; choose a shorter span to see all.` : "");
        const one = (value) => intervals.map((interval) => ({ start: interval.start, values: [value(interval)] }));
        const values = {
            scenarios: { title: "Events per scenario", series: series.length > 0 ? series : ["Events"], rows: series.length > 0
                ? intervals.map((interval) => ({ start: interval.start, values: seriesValues(series, interval) })) : one(() => 0) },
            bytes: { title: "Size of the events", series: ["Size"], rows: one(({ bytes }) => bytes), format: bytesText },
            dropped: { title: "Events that clients dropped", series: ["Dropped"], rows: one(({ dropped }) => dropped) },
            clients: { title: "Clients that sent events", series: ["At most"], rows: one((interval) => interval.clients.size), combine: (values) => Math.max(0, ...values) },
        };
        for (const { id, figure, table, details } of charts) {
            figure.replaceChildren(barChart({ ...values[id], span: run.span }));
            // A table that changes every second cannot be read.
            const isDue = until - (tableTimes.get(id) ?? 0) >= tableInterval;
            if (!details.open) tableTimes.delete(id);
            else if (isDue) {
                tableTimes.set(id, until);
                table.replaceChildren(chartTable(values[id]));
            }
        }
    }

    restart();
    const timer = setInterval(draw, drawInterval);
    return {
        title: "Charts", element,
        close() {
            clearInterval(timer);
            run.abort.abort();
        },
    };
}
