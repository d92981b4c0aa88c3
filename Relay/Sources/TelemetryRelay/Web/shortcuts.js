import { button, el } from "./dom.js";

const keys = [
    ["/", "Go to the query, or to the search"], ["j, k", "Next or previous row"], ["Enter", "Run the query, or open the row"], ["Esc", "Close what is open, or leave the query"],
    ["?", "Show this help"],
];
const examples = [
    ["severity:>=error time:1h", "errors of the last hour"], ["\"card declined\" -name:retry", "a phrase, without a name"],
    ["status:>=500 user:=4711", "numbers and exact values of attributes"], ["retry:* (app:2.1* or -app:*)", "with a field; one that begins so, or is missing"],
    ["| top 10 app", "the most frequent values"], ["| stats count(), avg(duration) by scenario, time:1m", "numbers by group and time"],
];

/** Calls the shown view's function for a key, unless something is typed into a field. `keysOf()` returns the functions by key. */
export function followShortcuts(keysOf) {
    addEventListener("keydown", (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
        if (event.target.closest("input, select, textarea")) return;
        const act = event.key === "?" ? showHelp : keysOf()?.[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    });
}

/** Shows the keys, and examples of queries. */
export function showHelp() {
    const table = (rows, title) => el("table", { "aria-label": title }, el("tbody", {}, rows.map(([key, text]) =>
        el("tr", {}, el("th", { scope: "row" }, el("code", {}, key)), el("td", {}, text)))));
    const dialog = el("dialog", { class: "help", "aria-labelledby": "help-title", onclose: () => dialog.remove() },
        el("h2", { id: "help-title" }, "Keys"), table(keys, "Keys"), el("h2", {}, "Queries"), table(examples, "Queries"),
        el("div", { class: "actions" }, button("Close", () => dialog.close(), { autofocus: true })));
    document.body.append(dialog);
    dialog.showModal();
}
