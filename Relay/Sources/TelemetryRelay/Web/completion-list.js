import { el, visible } from "./dom.js";

/**
 * Completes what is typed into a field, as a combobox. `complete(text)` resolves to `{start, choices}` for the text before the caret;
 * a choice replaces what is after `start`. Returns the list of choices.
 */
export function completionList(input, complete) {
    let shown = { start: 0, choices: [] };
    let active = -1;
    let latest = 0;
    const list = el("ul", { role: "listbox", id: "completions", "aria-label": "Completions", class: "completions", hidden: true, onmousedown: (event) => {
        // The field keeps the focus.
        event.preventDefault();
        const index = [...list.children].indexOf(event.target.closest("li"));
        if (index >= 0) accept(index);
    } });
    const roles = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" };
    for (const [name, value] of Object.entries(roles)) input.setAttribute(name, value);
    input.addEventListener("input", update);
    input.addEventListener("blur", close);
    input.addEventListener("keydown", key);

    async function update() {
        const turn = (latest += 1);
        const caret = input.selectionStart;
        const found = await complete(input.value.slice(0, caret));
        if (turn !== latest || input.selectionStart !== caret || document.activeElement !== input) return;
        if (found.choices.length === 0) return close();
        shown = found;
        list.replaceChildren(...found.choices.map((choice, index) =>
            el("li", { role: "option", id: `completion-${index}`, "aria-selected": "false" }, visible(choice.trim()))));
        list.hidden = false;
        input.setAttribute("aria-expanded", "true");
        return activate(-1);
    }

    function close() {
        latest += 1;
        list.hidden = true;
        input.setAttribute("aria-expanded", "false");
        input.removeAttribute("aria-activedescendant");
    }

    function activate(index) {
        active = index;
        for (const [number, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(number === index));
        if (index < 0) return input.removeAttribute("aria-activedescendant");
        list.children[index].scrollIntoView({ block: "nearest" });
        return input.setAttribute("aria-activedescendant", list.children[index].id);
    }

    function accept(index) {
        input.setRangeText(shown.choices[index], shown.start, input.selectionStart, "end");
        update();
    }

    function key(event) {
        if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
        const count = list.children.length;
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            if (list.hidden) update();
            else activate(event.key === "ArrowDown" ? (active + 1) % count : (active <= 0 ? count : active) - 1);
        } else if (event.key === "Enter" && !list.hidden && active >= 0) accept(active);
        else if (event.key === "Escape" && !list.hidden) close();
        else {
            // Enter runs the query; what is not answered yet must not open the list afterwards.
            if (event.key === "Enter") close();
            return;
        }
        event.preventDefault();
    }

    return list;
}
