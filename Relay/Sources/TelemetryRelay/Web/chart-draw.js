import { el, svg, visible } from "./dom.js";
import { axisText, countText } from "./time.js";

const [width, height, left, right, bottom, top] = [720, 200, 64, 8, 22, 8];

/** The smallest of some round numbers that is not below a number. */
function niceMaximum(value) {
    if (value <= 0) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= value) * power;
}

function legend(series) {
    return el("ul", { class: "legend" }, series.map(({ name }, number) => el("li", {},
        svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: `series-${number}`, width: 10, height: 10 })), visible(name))));
}

/** A chart of numbers over time, a line for each of the series `{name, points: [[milliseconds, number]]}`. */
export function lineChart({ title, series }) {
    const points = series.flatMap((item) => item.points);
    const [times, values] = [points.map(([time]) => time), points.map(([, value]) => value)];
    const [first, last] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), -Infinity)];
    const least = Math.min(0, values.reduce((a, b) => Math.min(a, b), 0));
    const [low, high] = [least < 0 ? -niceMaximum(-least) : 0, niceMaximum(values.reduce((a, b) => Math.max(a, b), 0))];
    const x = (time) => left + (first === last ? 0.5 : (time - first) / (last - first)) * (width - left - right);
    const y = (value) => top + (1 - (value - low) / (high - low)) * (height - top - bottom);
    const marks = [0, 0.5, 1].map((part) => low + part * (high - low)).map((value) => [
        svg("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, countText(value)),
    ]);
    const labels = [0, 0.5, 1].map((part) => svg("text", {
        x: left + part * (width - left - right), y: height - 6, "text-anchor": ["start", "middle", "end"][part * 2],
    }, axisText(first + part * (last - first), last - first)));
    const lines = series.map((item, number) => [
        svg("polyline", { class: `line-${number}`, points: item.points.map(([time, value]) => `${x(time)},${y(value)}`).join(" ") }),
        item.points.length === 1 && svg("circle", { class: `series-${number}`, cx: x(item.points[0][0]), cy: y(item.points[0][1]), r: 3 }),
    ]);
    const description = `${visible(title)} over time: ${series.map(({ name }) => visible(name)).join(", ")}. The table has the values.`;
    return el("figure", {}, el("figcaption", {}, visible(title)),
        svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description },
            marks.flat(), labels, lines.flat()),
        series.length > 1 && legend(series));
}

/** A chart of bars `{name, value}`, the widest of which is that of the greatest value. */
export function barChart({ title, bars }) {
    const greatest = Math.max(...bars.map(({ value }) => Math.abs(value))) || 1;
    return el("figure", {}, el("figcaption", {}, visible(title)),
        el("ul", { class: "bars", "aria-label": visible(title) }, bars.map(({ name, value }) => el("li", {},
            el("span", { class: "name", title: visible(name) }, visible(name)),
            svg("svg", { preserveAspectRatio: "none", viewBox: "0 0 100 10", "aria-hidden": "true" },
                svg("rect", { class: "series-0", width: Math.abs(value) / greatest * 100, height: 10 })),
            el("span", {}, countText(value))))));
}
