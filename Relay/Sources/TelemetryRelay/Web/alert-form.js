import { confirm } from "./dialog.js";
import { choice, el, textField, visible } from "./dom.js";
import { durationField, numberField } from "./fields.js";
import { queryProblem } from "./query-box.js";

const maximumCount = 1_000;

/**
 * The form that saves an alert. `query` is what it begins with, null for none; `names()` are those of the stored alerts; `added(name)` is
 * called after it was stored.
 */
export function alertForm({ relay, query: initial, names, added }) {
    const name = textField("Name", { required: true, maxlength: "200" });
    const kind = choice("Fires when", [["events", "Events match"], ["silence", "A client is not seen"]], "events", show);
    const query = textField("Query", { class: "query", placeholder: "severity:>=error", value: initial ?? "" });
    const problem = queryProblem(query.input, "alert-problem");
    const count = numberField("Number of events", maximumCount);
    const within = durationField("Within", "1m");
    const silence = durationField("Not seen for", "10m");
    const clients = textField("Clients", { required: true, value: "*", title: "Identifiers; * stands for any characters." });
    const quiet = durationField("Then quiet for", "1h");
    const webhook = choice("Webhook", [], "");
    const missing = el("p", { class: "problem" }, "The relay has no webhook. Its operator adds one: ", el("code", {}, "telemetry-relay webhook add NAME URL"));
    const note = el("p", { class: "note problem", role: "alert" });
    const submit = el("button", { type: "submit", class: "primary" }, "Save the alert");
    const events = el("fieldset", { class: "trigger" }, el("legend", {}, "When events match"), query.element, problem.element,
        el("div", { class: "toolbar" }, count.element, within.element));
    const silent = el("fieldset", { class: "trigger" }, el("legend", {}, "When an approved client is not seen"),
        el("div", { class: "toolbar" }, silence.element, clients.element));
    query.input.addEventListener("input", problem.accept);

    const isSilence = () => kind.select.value === "silence";

    // What is disabled does not keep the form from being sent.
    function show() {
        events.hidden = events.disabled = isSilence();
        silent.hidden = silent.disabled = !isSilence();
    }

    function alert() {
        const condition = isSilence() ? { silence: Math.round(silence.seconds), clients: clients.input.value.trim() }
            : { query: query.input.value.trim(), count: Number(count.input.value), within: Math.round(within.seconds) };
        return { ...condition, webhook: webhook.select.value, quiet: Math.round(quiet.seconds), isEnabled: true };
    }

    async function save() {
        note.textContent = "";
        const title = name.input.value.trim();
        const isKnown = names().includes(title);
        if (isKnown && !await confirm({ title: "Replace the alert?", text: `There is an alert ${visible(title)}.`, action: "Replace" })) return;
        try {
            await relay.saveAlert(title, alert());
        } catch (error) {
            if (error.offset === undefined) note.textContent = visible(`The alert was not saved: ${error.message}`);
            else problem.fail(query.input.value.trim(), error);
            return;
        }
        name.input.value = query.input.value = "";
        await added(title);
    }

    let isSaving = false;
    const element = el("form", { class: "card", onsubmit: async (event) => {
        event.preventDefault();
        if (isSaving) return;
        isSaving = true;
        await save();
        isSaving = false;
    } },
    el("h2", {}, "Add an alert"),
    el("div", { class: "toolbar" }, name.element, kind.element), events, silent,
    el("div", { class: "toolbar" }, webhook.element, quiet.element), missing, note,
    el("div", { class: "actions" }, submit));

    /** Offers the webhooks with these names. */
    function setWebhooks(webhooks) {
        const chosen = webhook.select.value;
        webhook.select.replaceChildren(...webhooks.map((item) => el("option", { value: item }, visible(item))));
        if (webhooks.includes(chosen)) webhook.select.value = chosen;
        missing.hidden = webhooks.length > 0;
        submit.disabled = webhooks.length === 0;
    }

    show();
    setWebhooks([]);
    missing.hidden = true;
    if (initial !== null) queueMicrotask(() => name.input.focus());
    return { element, setWebhooks };
}
