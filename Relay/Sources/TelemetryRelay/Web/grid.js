import { el } from "./dom.js";

const overscan = 6;
const context = document.createElement("canvas").getContext("2d");

/**
 * A list of any length of which only the visible rows are elements. Rows have one height.
 * `columns`: `{title, className}` each. `render(cells, index, row)` fills the cells of a row; `open(index)` is called for Enter
 * and a click.
 */
export class Grid {
    count = 0;
    active = -1;
    #pool = [];
    #first = -1;
    #frame = 0;
    #textFit = null;
    #id = `grid-${Math.random().toString(36).slice(2, 8)}`;

    constructor({ label, className, rowHeight = 32, columns, render, open, onScroll = () => {} }) {
        Object.assign(this, { rowHeight, columns, render, open, onScroll });
        this.header = el("div", { role: "rowgroup", class: "grid-header" },
            el("div", { role: "row", class: "grid-row", "aria-rowindex": "1" }, columns.map(({ title, className }) =>
                el("div", { role: "columnheader", class: className }, title))));
        this.body = el("div", { role: "rowgroup", class: "grid-body" });
        this.element = el("div", {
            role: "grid", tabindex: "0", "aria-label": label, class: `grid ${className}`, onscroll: () => this.#scrolled(),
            onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
        }, this.header, this.body);
        this.observer = new ResizeObserver(() => {
            this.#textFit = null;
            this.refresh();
        });
        this.observer.observe(this.element);
    }

    close() {
        this.observer.disconnect();
        cancelAnimationFrame(this.#frame);
    }

    get #visibleRows() { return Math.max(1, Math.floor((this.element.clientHeight - this.header.offsetHeight) / this.rowHeight)); }

    /** Whether the last row is visible. */
    get isAtEnd() {
        const { scrollTop, clientHeight, scrollHeight } = this.element;
        return scrollTop + clientHeight >= scrollHeight - this.rowHeight;
    }

    /** What is needed to see how much text fits into the last cells: their width, and that of a text. */
    get textFit() {
        if (this.#textFit === null) {
            const cell = this.#pool[0].cells.at(-1);
            const style = getComputedStyle(cell);
            context.font = `${style.fontSize} ${style.fontFamily}`;
            this.#textFit = { width: cell.clientWidth, measure: (text) => context.measureText(text).width };
        }
        return this.#textFit;
    }

    /** Draws the rows again before the next frame; `count` rows exist from now on. */
    update(count, { stayAtEnd = false, shift = 0 } = {}) {
        this.count = count;
        if (this.active >= 0) this.active = Math.min(this.active + shift, count - 1);
        this.body.style.height = `${count * this.rowHeight}px`;
        this.element.setAttribute("aria-rowcount", String(count + 1));
        if (shift !== 0) this.element.scrollTop += shift * this.rowHeight;
        if (stayAtEnd) this.element.scrollTop = this.element.scrollHeight;
        this.refresh();
    }

    scrollToEnd() { this.element.scrollTop = this.element.scrollHeight; }

    refresh() {
        if (this.#frame !== 0) return;
        this.#frame = requestAnimationFrame(() => {
            this.#frame = 0;
            this.#draw();
        });
    }

    #draw() {
        const { scrollTop, clientHeight } = this.element;
        const first = Math.max(0, Math.floor(scrollTop / this.rowHeight) - overscan);
        const wanted = Math.min(this.count - first, Math.ceil(clientHeight / this.rowHeight) + 2 * overscan);
        while (this.#pool.length < wanted) this.#add();
        this.#first = first;
        for (const [offset, row] of this.#pool.entries()) {
            const isUsed = offset < wanted;
            row.element.hidden = !isUsed;
            if (!isUsed) continue;
            const index = first + offset;
            row.element.style.top = `${index * this.rowHeight}px`;
            row.element.setAttribute("aria-rowindex", String(index + 2));
            row.element.className = index === this.active ? "grid-row active" : "grid-row";
            row.element.setAttribute("aria-selected", String(index === this.active));
            this.render(row.cells, index, row.element);
        }
        const active = this.#pool[this.active - first];
        if (active && this.active >= 0) this.element.setAttribute("aria-activedescendant", active.element.id);
        else this.element.removeAttribute("aria-activedescendant");
    }

    #add() {
        const cells = this.columns.map(({ className }) => el("div", { role: "gridcell", class: className }));
        const element = el("div", { role: "row", class: "grid-row", id: `${this.#id}-${this.#pool.length}` }, cells);
        element.style.height = `${this.rowHeight}px`;
        this.body.append(element);
        this.#pool.push({ element, cells });
    }

    #scrolled() {
        this.refresh();
        this.onScroll();
    }

    #click(event) {
        const offset = this.#pool.findIndex(({ element }) => element.contains(event.target));
        if (offset < 0 || event.target.closest("button, a, input")) return;
        this.active = this.#first + offset;
        this.refresh();
        this.open(this.active);
    }

    #key(event) {
        if (event.target !== this.element || event.altKey || event.ctrlKey || event.metaKey) return;
        const steps = {
            ArrowDown: 1, ArrowUp: -1, PageDown: this.#visibleRows - 1, PageUp: 1 - this.#visibleRows,
            Home: -this.count, End: this.count,
        };
        if (event.key in steps && this.count > 0) {
            event.preventDefault();
            this.step(steps[event.key]);
        } else if ((event.key === "Enter" || event.key === " ") && this.active >= 0) {
            event.preventDefault();
            this.open(this.active);
        }
    }

    /** Goes some rows down or up, with the focus. */
    step(rows) {
        if (this.count === 0) return;
        const start = this.active >= 0 ? this.active : Math.floor(this.element.scrollTop / this.rowHeight) - 1;
        this.activate(Math.min(this.count - 1, Math.max(0, start + rows)));
        this.element.focus();
    }

    /** Makes a row the active one, and visible. */
    activate(index) {
        this.active = index;
        const top = index * this.rowHeight;
        const height = this.element.clientHeight - this.header.offsetHeight;
        if (top < this.element.scrollTop) this.element.scrollTop = top;
        else if (top + this.rowHeight > this.element.scrollTop + height) this.element.scrollTop = top + this.rowHeight - height;
        this.refresh();
    }
}
