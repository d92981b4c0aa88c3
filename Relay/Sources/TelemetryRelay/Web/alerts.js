import { alertForm } from "./alert-form.js";
import { format } from "./api.js";
import { confirm } from "./dialog.js";
import { button, el, visible } from "./dom.js";
import { emptyState } from "./help.js";
import { address } from "./query-text.js";
import { compact } from "./trigger.js";

/** When an alert fires: the cell's content. */
function condition({ query, count, within, silence, clients }) {
    if (silence !== undefined) {
        const which = clients === "*" ? "An approved client" : ["A client ", el("code", {}, visible(clients))];
        return [which, ` is not seen for ${compact(silence)}`];
    }
    return [`${count === 1 ? "1 event" : `${count} events within ${compact(within)}`}: `,
        el("a", { href: address("events", { query }) }, el("code", {}, visible(query || "*")))];
}

const gone = "The alert was removed meanwhile.";

/** What is saved of an alert that the relay listed. */
function saved({ name: _name, owner: _owner, ...alert }) { return alert; }

/** The alerts, and the form that adds one, with the query of the address if it has one. */
export function alertsView({ relay, canControl, parameters }) {
    let shown = "";
    let alerts = [];
    const ending = new AbortController();
    const box = el("div", {}, "Loading…");
    const note = el("p", { class: "note", role: "status" });
    const form = canControl ? alertForm({ relay, query: parameters.get("query"), names: () => alerts.map(({ name }) => name), async added(name) {
        report(`Saved the alert ${visible(name)}.`);
        await load();
    } }) : null;
    const heading = el("h1", { tabindex: "-1" }, "Alerts");
    const element = el("section", {}, heading,
        el("p", { class: "muted" }, "The relay sends a message to a webhook when events match, or when an approved client is not seen. Webhooks are added by the relay’s operator."),
        note, box, form?.element);

    function report(text, isGood = true) {
        note.className = `note ${isGood ? "good" : "problem"}`;
        note.textContent = text;
    }

    async function act(done, request) {
        try {
            await request();
            report(done);
        } catch (error) { report(error.status === 404 ? gone : `Not done: ${error.message}`, false); }
        await load();
    }

    /** Turns an alert on or off, as it is stored now. */
    async function toggle({ name, isEnabled }) {
        const alert = (await relay.alerts(ending.signal)).alerts.find((item) => item.name === name);
        if (!alert) throw new Error(gone);
        await relay.saveAlert(name, { ...saved(alert), isEnabled: !isEnabled });
    }

    async function remove({ name }) {
        if (!await confirm({ title: "Remove this alert?", action: "Remove", text: `${visible(name)} fires no more. Messages that wait are still sent.` })) return;
        await act(`Removed the alert ${visible(name)}.`, () => relay.removeAlert(name));
        // The button that was pressed is gone.
        heading.focus();
    }

    function actions(alert) {
        const name = visible(alert.name);
        const [title, verb] = alert.isEnabled ? ["Turn off", "Turned off"] : ["Turn on", "Turned on"];
        return el("div", { class: "actions" },
            button(title, () => act(`${verb} ${name}.`, () => toggle(alert)),
                { "aria-label": `${title} ${name}` }),
            button("Test", () => act(`The relay sends a message of ${name}.`, () => relay.testAlert(alert.name)), { "aria-label": `Test ${name}` }),
            button("Remove…", () => remove(alert), { "aria-label": `Remove ${name}` }));
    }

    function draw() {
        // The buttons of a table that is drawn again lose the focus.
        if (shown === format(alerts)) return;
        shown = format(alerts);
        if (alerts.length === 0) {
            box.replaceChildren(emptyState("No alerts", el("p", {}, canControl ? "Add one below." : "A token of the role viewer can add one.")));
            return;
        }
        const titles = ["Alert", "State", "Fires when", "Then quiet for", "Webhook", "By", ...(canControl ? [""] : [])];
        const label = document.activeElement?.getAttribute("aria-label");
        box.replaceChildren(el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Alerts" }, el("table", { class: "rules" },
            el("thead", {}, el("tr", {}, titles.map((title) => (title ? el("th", { scope: "col" }, title) : el("td", {}))))),
            el("tbody", {}, alerts.map((alert) => el("tr", {},
                el("th", { scope: "row" }, visible(alert.name)), el("td", {}, alert.isEnabled ? "On" : "Off"), el("td", {}, el("div", { class: "effect" }, condition(alert))),
                el("td", {}, compact(alert.quiet)), el("td", {}, visible(alert.webhook)), el("td", {}, visible(alert.owner ?? "–")),
                canControl && el("td", {}, actions(alert))))))));
        // The button that turned an alert on is now the one that turns it off.
        const labels = [label, label?.replace(/^Turn on /, "Turn off "), label?.replace(/^Turn off /, "Turn on ")];
        if (label) [...box.querySelectorAll("button")].find((item) => labels.includes(item.getAttribute("aria-label")))?.focus();
    }

    async function load() {
        try {
            const list = await relay.alerts(ending.signal);
            ({ alerts } = list);
            form?.setWebhooks(list.webhooks ?? []);
            draw();
        } catch (error) {
            if (ending.signal.aborted) return;
            shown = "";
            box.replaceChildren(el("p", { class: "problem" }, `The alerts cannot be read: ${error.message}`));
        }
    }

    load();
    return { title: "Alerts", element, close: () => ending.abort() };
}
