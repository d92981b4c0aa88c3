import { button, el, textField, visible } from "./dom.js";
import { confirm } from "./dialog.js";
import { savedQuery, savedQueryRecord } from "./records.js";

/** The menu of the queries that were saved for all viewers. `shown()` is the query to save, `run(query)` shows another one. */
export function savedQueries({ relay, sync, canControl, shown, run }) {
    let queries = [];
    /** By record name. */
    const rows = new Map();
    const list = el("ul", {});
    const note = el("p", { class: "note", role: "status" });
    const name = textField("Name", { required: true, maxlength: "100" });
    const form = el("form", { class: "toolbar", onsubmit: (event) => { event.preventDefault(); save(); } },
        name.element, el("button", { type: "submit" }, "Save this query"));
    const summary = el("summary", { class: "button" }, "Saved queries");
    const element = el("details", {
        class: "menu",
        onkeydown: (event) => { if (event.key === "Escape" && element.open) close(); },
        onfocusout: ({ relatedTarget }) => { if (relatedTarget && !element.contains(relatedTarget) && !relatedTarget.closest("dialog")) element.open = false; },
    }, summary, el("div", { class: "panel" }, list, canControl && form, note));

    function close() {
        element.open = false;
        summary.focus();
    }

    /** A row stays the same element when its query changes, so that a click on it is not lost. */
    function row(item) {
        if (!rows.has(item.recordName)) {
            const show = button(visible(item.name), () => { close(); run(rows.get(item.recordName).item.query); }, { class: "value" });
            const remover = canControl
                && button("Delete…", () => remove(rows.get(item.recordName).item), { class: "small", "aria-label": `Delete ${visible(item.name)}` });
            rows.set(item.recordName, { show, element: el("li", {}, show, remover) });
        }
        const known = rows.get(item.recordName);
        known.item = item;
        known.show.title = visible(item.query);
        return known.element;
    }

    function draw() {
        for (const name of rows.keys()) if (!queries.some(({ recordName }) => recordName === name)) rows.delete(name);
        const elements = queries.length === 0 ? [el("li", { class: "muted" }, "No saved queries")] : queries.map(row);
        if (elements.length === list.children.length && elements.every((element, index) => element === list.children[index])) return;
        const focused = document.activeElement;
        list.replaceChildren(...elements);
        if (list.contains(focused)) focused.focus();
    }

    async function act(done, request) {
        try {
            await request();
            note.className = "note good";
            note.textContent = done;
            return true;
        } catch (error) {
            fail(error.status === 403 ? "This token may read, but not save queries."
                : error.status === 409 ? "Another viewer has saved a query with this name. Save again to replace it." : `Not done: ${error.message}`);
            return false;
        }
    }

    function fail(text) {
        note.className = "note problem";
        note.textContent = visible(text);
    }

    async function save() {
        const value = name.input.value.trim();
        if (value === "") return fail("The query needs a name.");
        const record = savedQueryRecord(value, shown());
        const isNew = !queries.some(({ recordName }) => recordName === record.recordName);
        const text = visible(record.fields.name);
        if (!isNew && !await confirm({ title: "Replace the saved query?", text: `${text} is saved already. All viewers use the same queries.`, action: "Replace" })) return;
        if (await act(`Saved ${text}.`, () => (isNew ? relay.insert(record) : relay.overwrite(record)))) name.input.value = "";
    }

    async function remove(item) {
        const text = visible(item.name);
        if (!await confirm({ title: "Delete the saved query?", text: `${text} is deleted for all viewers.`, action: "Delete" })) return;
        await act(`Deleted ${text}.`, () => relay.remove([item.recordName]));
    }

    const stop = sync.on("TelemetrySavedQuery", async () => {
        queries = (await relay.records("TelemetrySavedQuery")).map(savedQuery).sort((a, b) => (a.name < b.name ? -1 : 1));
        draw();
    }, (error) => fail(`The saved queries cannot be read: ${error.message}`));
    return { element, close: stop };
}
