const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;

/** Text from outside with its invisible and direction-changing characters replaced by their escapes. */
export function visible(text) {
    return String(text ?? "").replace(hidden, (character) =>
        character === "\n" || character === "\t" ? " " : `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** Like `visible`, but keeps line breaks, for elements that show several lines. */
export function visibleLines(text) { return String(text ?? "").split("\n").map(visible).join("\n"); }

function fill(element, properties, children) {
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "value") element.value = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
    // A child that is not a node becomes a text node, never markup.
    element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

/** Creates an HTML element. Properties that begin with "on" are listeners, the others attributes. */
export function el(tag, properties = {}, ...children) {
    return fill(document.createElement(tag), properties, children);
}

/** Creates an SVG element. */
export function svg(tag, properties = {}, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

export function button(title, act, properties = {}) {
    return el("button", { type: "button", onclick: act, ...properties }, title);
}

/** A row of a table; each cell is its content. */
export function row(cells) { return el("tr", {}, cells.map((cell) => el("td", {}, cell))); }

/** A table that scrolls in its own region. */
export function table(label, titles, rows) {
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": label }, el("table", {},
        el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", {}, rows.map(row))));
}

/** A labelled `select`. Each choice is a value and its title. */
export function choice(label, choices, value, change) {
    const select = el("select", { onchange: () => change?.(select.value) },
        choices.map(([id, title]) => el("option", { value: id }, title)));
    select.value = value;
    return { select, element: el("label", { class: "field" }, el("span", {}, label), select) };
}

/** A labelled text field. */
export function textField(label, properties = {}) {
    const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", ...properties });
    return { input, element: el("label", { class: "field" }, el("span", {}, label), input) };
}

/** Reads a message to users of screen readers. */
export function announce(text) { document.getElementById("announcer").textContent = text; }

/** Copies text to the clipboard, also over plain HTTP, where the browser offers no clipboard. */
export async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = el("textarea", { class: "offscreen", value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) throw new Error("The browser does not allow copying.");
}
