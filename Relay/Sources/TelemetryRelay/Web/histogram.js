import { button, el, svg, visible } from "./dom.js";
import { adding, hasTime } from "./query-text.js";
import { pause, persist } from "./stream.js";
import { axisText, countText, counted, dateText, durationText, now } from "./time.js";

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const widths = "1s 2s 5s 10s 20s 30s 1m 2m 5m 10m 20m 30m 1h 2h 4h 8h 12h 1d 2d 5d 10d 20d 40d 80d 160d 320d 640d"
    .split(" ").map((text) => ({ text, length: Number(text.slice(0, -1)) * units[text.at(-1)] }));
const barLimit = 80;
const refreshInterval = 10_000;
/** An event from later than this has a wrong time, which would stretch the histogram. */
const futureLimit = 3_600_000;

/** What a bar is made of, from below. */
const parts = [
    { title: "Error", names: ["error", "critical", "alert", "emergency"] }, { title: "Warning", names: ["warning"] },
    { title: "Info", names: ["info", "notice"] }, { title: "Debug", names: ["trace", "debug"] },
];

/** The width of a bar with which a span takes at most 80 bars. */
export function barWidth(first, last) {
    return widths.find(({ length }) => Math.floor(last / length) - Math.floor(first / length) < barLimit) ?? widths.at(-1);
}

/**
 * The number of a query's events over time by severity. `choose(since, until)` is called for a span that is chosen by dragging or with
 * the keys, `showAll()` to show all times again, and `ask(query)` for a chart of more.
 */
export function histogram({ relay, choose, showAll, ask }) {
    let asking = new AbortController();
    let filter = "";
    let bars = [];
    let width = widths[0];
    /** The bars of the chosen span: where it began, and where it ends now. */
    let [anchor, active] = [null, 0];
    /** Shows an answer that came while a span was being chosen. */
    let showHeld = null;
    let loading = Promise.resolve();
    let isRefreshing = false;
    const caption = el("span", {});
    const note = el("span", { class: "muted note-line" });
    const all = button("All times", showAll, { class: "small", hidden: true });
    const chart = button("Chart", () => ask(`${filter} | stats count() by scenario, time:${width.text}`.trim()), {
        class: "small", "aria-label": "Chart by scenario", hidden: true,
    });
    const drawing = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    const plot = el("div", {
        class: "plot", role: "slider", tabindex: "0", "aria-label": "Time: drag, or use the arrow keys with Shift and Enter, to choose a span",
        "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0", "aria-valuetext": "No events",
        onpointerdown: (event) => {
            if (event.button !== 0 || bars.length === 0) return;
            plot.setPointerCapture(event.pointerId);
            anchor = barAt(event);
            move(anchor);
        },
        onpointermove: (event) => move(barAt(event)),
        onpointerup: () => { if (anchor !== null) choosePart(); },
        onpointercancel: clear, onpointerleave: () => { if (anchor === null) note.textContent = ""; }, onkeydown: key, onblur: clear,
    }, drawing);
    const legend = el("ul", { class: "legend" }, parts.map(({ title }) => el("li", { class: `part-${title.toLowerCase()}` }, title)));
    const axis = el("div", { class: "axis-labels", "aria-hidden": "true" });
    const element = el("figure", { class: "histogram" },
        el("figcaption", {}, caption, chart, all, note, legend), plot, axis);

    const barAt = (event) => {
        const { left, width: pixels } = plot.getBoundingClientRect();
        return Math.max(0, Math.min(bars.length - 1, Math.floor((event.clientX - left) / pixels * bars.length)));
    };

    function move(index) {
        if (bars.length === 0) return;
        active = index;
        const { start, counts } = bars[active];
        const shown = counts.map((count, part) => count > 0 && `${parts[part].title.toLowerCase()} ${countText(count)}`).filter(Boolean);
        note.textContent = anchor === null || anchor === active ? `${dateText(start)}: ${shown.join(", ") || "no events"}`
            : `${dateText(bars[Math.min(anchor, active)].start)} to ${dateText(bars[Math.max(anchor, active)].start + width.length)}`;
        plot.setAttribute("aria-valuenow", String(active));
        plot.setAttribute("aria-valuetext", note.textContent);
        draw();
    }

    function clear() {
        anchor = null;
        showHeld?.();
        showHeld = null;
        draw();
    }

    function choosePart() {
        const [first, last] = [Math.min(anchor ?? active, active), Math.max(anchor ?? active, active)];
        const [since, until] = [bars[first].start, bars[last].start + width.length];
        clear();
        choose(since, until);
    }

    function key(event) {
        const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -bars.length, End: bars.length };
        if (event.altKey || event.ctrlKey || event.metaKey || bars.length === 0) return;
        if (event.key in steps) {
            if (event.shiftKey) anchor ??= active;
            else clear();
            move(Math.max(0, Math.min(bars.length - 1, active + steps[event.key])));
        } else if (event.key === "Enter") choosePart();
        else if (event.key === "Escape" && anchor !== null) clear();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    function draw() {
        const highest = Math.max(1, ...bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0)));
        const rects = bars.flatMap(({ counts }, index) => {
            let y = 100;
            return counts.map((count, part) => {
                if (count === 0) return null;
                const height = Math.min(y, Math.max(2, count / highest * 100));
                y -= height;
                return svg("rect", { class: `part-${parts[part].title.toLowerCase()}`, x: index + 0.07, y, width: 0.86, height });
            }).filter(Boolean);
        });
        drawing.setAttribute("viewBox", `0 0 ${Math.max(1, bars.length)} 100`);
        const chosen = anchor !== null && svg("rect", { class: "chosen", x: Math.min(anchor, active), y: 0, width: Math.abs(anchor - active) + 1, height: 100 });
        drawing.replaceChildren(...rects, ...(chosen ? [chosen] : []));
    }

    /** Counts a filter's events. Until then the bars of the one before stay. */
    async function show(next) {
        asking.abort();
        asking = new AbortController();
        filter = next;
        [anchor, showHeld] = [null, null];
        all.hidden = !hasTime(filter);
        loading = load(asking.signal);
        await loading;
    }

    async function load(signal) {
        try {
            const rowsOf = async (text, pipe) => (await persist(() => relay.ask(`${text} | ${pipe}`, signal), signal, fail)).rows;
            const span = async (text) => (await rowsOf(text, "stats min(time), max(time)"))[0].map((value) => Date.parse(value?.date));
            let text = filter;
            let [first, last] = await span(text);
            const limit = now() + futureLimit;
            if (last > limit) {
                text = adding(`time:<${new Date(limit).toISOString()}`, filter);
                [first, last] = await span(text);
            }
            const isEmpty = Number.isNaN(first);
            const nextWidth = isEmpty ? width : barWidth(first, last);
            const rows = isEmpty ? [] : await rowsOf(text, `stats count() by severity, time:${nextWidth.text}`);
            const showBars = () => {
                width = nextWidth;
                bars = filled(rows, width.length);
                describe();
            };
            if (anchor === null) showBars();
            else showHeld = showBars;
        } catch (error) {
            if (!signal.aborted) fail(error);
        }
    }

    function fail(error) { caption.textContent = `The events cannot be counted: ${visible(error.message)}`; }

    function describe() {
        const total = bars.reduce((sum, { counts }) => sum + counts.reduce((part, count) => part + count, 0), 0);
        caption.textContent = bars.length === 0 ? "No events" : `${counted(total, "event")}, ${durationText(width.length)} a bar`;
        chart.hidden = bars.length === 0;
        active = Math.min(active, Math.max(0, bars.length - 1));
        plot.setAttribute("aria-valuemax", String(Math.max(0, bars.length - 1)));
        plot.setAttribute("aria-valuenow", String(active));
        plot.setAttribute("aria-valuetext", bars.length === 0 ? "No events" : dateText(bars[active].start));
        const span = bars.length * width.length;
        axis.replaceChildren(...[0, 0.5, 1].map((part) => el("span", {}, bars.length === 0 ? "" : axisText(bars[0].start + part * span, span))));
        draw();
    }

    /** Counts again after new events, at most every ten seconds, and less often if that takes long. */
    async function refresh() {
        if (isRefreshing) return;
        isRefreshing = true;
        const { signal } = asking;
        await pause(refreshInterval, signal);
        await loading;
        const start = performance.now();
        if (!signal.aborted) {
            loading = load(signal);
            await loading;
        }
        await pause((performance.now() - start) * 10, signal);
        isRefreshing = false;
    }

    return { element, show, refresh, stop() { asking.abort(); } };
}

/** The rows of `stats count() by severity, time:…` as bars. Times without events have an empty bar. */
function filled(rows, length) {
    const bars = new Map();
    for (const [severity, time, count] of rows) {
        const start = Date.parse(time.date);
        if (!bars.has(start)) bars.set(start, { start, counts: parts.map(() => 0) });
        bars.get(start).counts[parts.findIndex(({ names }) => names.includes(severity))] += Number(count);
    }
    const starts = [...bars.keys()].sort((a, b) => a - b);
    const all = [];
    for (let start = starts[0]; start <= starts.at(-1); start += length) all.push(bars.get(start) ?? { start, counts: parts.map(() => 0) });
    return all;
}
