import { el, svg, visible } from "./dom.js";
import { axisText, countText, dateText } from "./time.js";

const [width, height, left, bottom, top] = [720, 180, 56, 22, 8];

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The smallest of 1, 2 and 5 times a power of ten that is not below a number. */
function niceMaximum(value) {
    if (value <= 0) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].find((factor) => factor * power >= value) * power;
}

/**
 * A chart of stacked bars. `rows`: `{start, values}`; `series`: the names of the values; `format(value)` writes a value, and
 * `combine(values)` makes one of those of a series, for the description.
 */
export function barChart({ title, series, rows, format = countText, combine = sum, span }) {
    const maximum = niceMaximum(Math.max(0, ...rows.map(({ values }) => sum(values))));
    const [plotWidth, plotHeight] = [width - left - 4, height - top - bottom];
    const step = plotWidth / Math.max(1, rows.length);
    const y = (value) => top + plotHeight * (1 - value / maximum);
    const bars = rows.flatMap(({ values }, index) => {
        let base = 0;
        return values.map((value, number) => {
            if (value === 0) return null;
            base += value;
            return svg("rect", {
                class: `series-${number}`, x: left + index * step + 0.5, width: Math.max(1, step - 1), y: y(base), height: Math.max(0.5, y(base - value) - y(base)),
            });
        }).filter(Boolean);
    });
    const marks = [0, 0.5, 1].map((part) => [
        svg("line", { class: "axis", x1: left, x2: width - 4, y1: y(maximum * part), y2: y(maximum * part) }),
        svg("text", { x: left - 6, y: y(maximum * part) + 4, "text-anchor": "end" }, format(maximum * part)),
    ]);
    const times = [0, 0.5, 1].map((part) => {
        const row = rows[Math.min(rows.length - 1, Math.floor(part * rows.length))];
        return row && svg("text", { x: left + plotWidth * part, y: height - 6, "text-anchor": part === 0 ? "start" : part === 1 ? "end" : "middle" }, axisText(row.start, span));
    });
    const totals = series.map((name, number) => `${visible(name)}: ${format(combine(rows.map(({ values }) => values[number])))}`);
    const description = `${title}. ${totals.join(", ")}. The table below has the values.`;
    return el("figure", {},
        el("figcaption", {}, title),
        svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description }, marks.flat(), bars, times.filter(Boolean)),
        series.length > 1 && el("ul", { class: "legend" }, series.map((name, number) => el("li", {},
            svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: `series-${number}`, width: 10, height: 10 })), visible(name)))));
}

/** The table of a chart; the newest rows first, those without a value left out. */
export function chartTable({ title, series, rows, format = countText }) {
    const full = rows.filter(({ values }) => values.some((value) => value > 0)).reverse();
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": `${title}, table` }, el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "From"), series.map((name) => el("th", { scope: "col" }, visible(name))))),
        el("tbody", {}, full.length === 0 ? el("tr", {}, el("td", { colspan: String(series.length + 1) }, "No values in this span"))
            : full.map(({ start, values }) => el("tr", {}, el("th", { scope: "row" }, dateText(start)), values.map((value) => el("td", {}, format(value))))))));
}
