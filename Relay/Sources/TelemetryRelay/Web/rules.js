import { format } from "./api.js";
import { button, el, visible } from "./dom.js";
import { confirm } from "./dialog.js";
import { emptyState } from "./help.js";
import { isWithoutEffect, rule } from "./records.js";
import { ruleForm } from "./rule-form.js";
import { conditionText, contextText } from "./rule-match.js";
import { agoText, countText, durationText, isoNow, now } from "./time.js";
import { actionText, checkQuery, countWords, limitText } from "./trigger.js";

/** Whether the relay's parser reads a query; undefined if the relay does not answer. */
async function isQuery(relay, text) {
    try {
        await checkQuery(relay, text, isoNow());
        return true;
    } catch (error) { return error.offset === undefined ? undefined : false; }
}

/** What clients do because of a rule: the cell's content. */
function effect(item) {
    const { trigger, contextConditions, unreadable } = item;
    if (unreadable.length > 0) return "Nothing";
    if (isWithoutEffect(item)) return "Nothing: what the flight recorder kept has no context";
    const only = contextConditions.length === 0 ? "" : `, only${contextText(contextConditions)}`;
    if (trigger === null) return visible(`Turns on${only}`);
    const count = countWords(trigger);
    return ["When ", el("code", {}, visible(trigger.when || "*")), visible(`${count && `, ${count}`}: ${actionText(trigger)}${only}; ${limitText(trigger)}`)];
}

/** The clients that a rule applies to, in words. */
function where({ conditions, unreadable }) {
    if (unreadable.length > 0) return `Nobody: ${unreadable.join(" and ")} cannot be read`;
    return conditions.length === 0 ? "All approved clients" : conditions.map(conditionText).join(" and ");
}

/** The rules, and the form that adds one. */
export function rulesView({ store, relay, sync, canControl }) {
    let followers = new Map();
    let shown = "";
    let loads = 0;
    /** By a trigger's query, whether the relay can read it. */
    const queries = new Map();
    /** The cells that change while the rules stay. */
    let cells = [];
    const box = el("div", {}, "Loading…");
    const note = el("p", { class: "note", role: "status" });
    const form = canControl ? ruleForm({ store, relay, added(sent) {
        note.className = "note good";
        note.textContent = `Added the rule for ${visible(sent.scenario)}. Clients follow it at their next contact.`;
    } }) : null;
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Rules"),
        el("p", { class: "muted" }, "A rule turns on a scenario on every approved client that it applies to, or makes these clients act by themselves when events match. What the app or a viewer decided on a client comes first."),
        note, box, form?.element);

    async function remove(item) {
        const name = visible(item.scenario);
        const consequence = item.trigger ? `Clients no longer act because of it. Those on which it turned on ${name} turn it off` : `Clients that follow it turn off ${name}`;
        const isConfirmed = await confirm({ title: "Remove this rule?", action: "Remove", text: `${consequence}, unless another rule applies.` });
        if (!isConfirmed) return;
        try {
            await relay.remove([item.recordName]);
            note.className = "note good";
            note.textContent = `Removed the rule for ${name}.`;
        } catch (error) {
            note.className = "note problem";
            note.textContent = `The rule was not removed: ${error.message}`;
        }
    }

    const left = ({ expires, isEnabled }) => (!isEnabled ? "Off" : expires === null ? "No end" : expires > now() ? durationText(expires - now()) : "Over");

    function update() {
        for (const { item, time, following } of cells) {
            time.textContent = left(item);
            following.textContent = countText(followers.get(item.id) ?? 0);
        }
    }

    function draw(rules) {
        // The buttons of a table that is drawn again lose the focus.
        if (shown === format(rules)) return update();
        shown = format(rules);
        cells = rules.map((item) => ({ item, time: el("td", {}), following: el("td", {}) }));
        if (rules.length === 0) {
            box.replaceChildren(emptyState("No rules", el("p", {}, canControl ? "Add one below." : "A token of the role viewer can add one.")));
            return;
        }
        const titles = ["Scenario", "What it does", "Level", "Applies to", "Share", "Time left", "Following", "By", ...(canControl ? [""] : [])];
        box.replaceChildren(el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Rules" }, el("table", { class: "rules" },
            el("thead", {}, el("tr", {}, titles.map((title) => (title ? el("th", { scope: "col" }, title) : el("td", {}))))),
            el("tbody", {}, cells.map(({ item, time, following }) => el("tr", {},
                el("th", { scope: "row" }, visible(item.scenario)), el("td", {}, el("div", { class: "effect" }, effect(item))), el("td", {}, visible(item.level)), el("td", {}, visible(where(item))),
                el("td", {}, `${item.percentage} %`), time, following,
                el("td", { title: agoText(item.created) }, visible(item.issuer ?? "–")),
                canControl && el("td", {}, button("Remove…", () => remove(item), { "aria-label": `Remove the rule for ${visible(item.scenario)}` }))))))));
        return update();
    }

    /** Marks the rules whose trigger has a query that the relay cannot read. */
    async function checkTriggers(rules) {
        // One at a time, because the relay limits how many queries it answers at once.
        for (const item of rules) {
            if (item.trigger === null) continue;
            const { when } = item.trigger;
            if (!queries.has(when)) queries.set(when, await isQuery(relay, when));
            if (queries.get(when) === false) item.unreadable.push("its trigger");
            if (queries.get(when) === undefined) queries.delete(when);
        }
    }

    async function load() {
        const turn = (loads += 1);
        const rules = (await relay.records("TelemetryRule", {}, { sortField: "created", ascending: false })).map(rule);
        await checkTriggers(rules);
        const counts = await Promise.all(rules.map(async ({ id }) =>
            [id, (await relay.records("TelemetryScenario", { source: `rule:${id}` })).filter(({ fields }) => fields.isEnabled === 1 || fields.isEnabled === true).length]));
        // The loads of the two topics may overlap. The result of the one that began last is the newest.
        if (turn !== loads) return;
        followers = new Map(counts);
        draw(rules);
    }

    function failed(error) {
        shown = "";
        box.replaceChildren(el("p", { class: "problem" }, `The rules cannot be read: ${error.message}`));
    }

    // A client that follows a rule changes its scenario, not the rule.
    const topics = ["TelemetryRule", "TelemetryScenario"].map((type) => sync.on(type, load, failed));
    const timer = setInterval(update, 1_000);
    return {
        title: "Rules", element,
        close() {
            clearInterval(timer);
            for (const stop of topics) stop();
            form?.close();
        },
    };
}
