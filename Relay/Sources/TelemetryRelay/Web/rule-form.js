import { button, choice, el, textField, visible } from "./dom.js";
import { identifier, isWithoutEffect, ruleRecord } from "./records.js";
import { comparisons, knownAttributes, reach } from "./rule-match.js";
import { contextField, contextProblem, leaseControls } from "./scenarios.js";
import { countText, counted } from "./time.js";
import { triggerForm } from "./trigger-form.js";
import { triggerTrial } from "./trigger-trial.js";

const lists = new Set(["oneOf", "notOneOf"]);

/** The form that adds a rule. `added(rule)` is called after it was stored. */
export function ruleForm({ store, relay, added }) {
    // The identifier decides which clients are in the share, so the preview is exact.
    let id = identifier();
    const rows = [];
    const scenario = textField("Scenario", { required: true, list: "rule-scenarios", placeholder: "NetworkRequests" });
    const share = textField("Share of the clients, in percent", { type: "number", min: "0.001", max: "100", step: "any", value: "100", required: true });
    const lease = leaseControls("The rule lasts");
    const limit = contextField();
    const trigger = triggerForm(relay);
    const conditionBox = el("div", { class: "conditions" });
    const preview = el("p", { class: "summary", role: "status" });
    const note = el("p", { class: "note problem", role: "alert" });

    function addCondition() {
        const attribute = textField("Attribute", { required: true, list: "rule-attributes", value: "appVersion" });
        const comparison = choice("Comparison", comparisons, "atLeast", change);
        const value = textField("Value", { required: true, placeholder: "2.1" });
        const row = { get condition() {
            const text = value.input.value.trim();
            const values = lists.has(comparison.select.value) ? text.split(",").map((part) => part.trim()).filter(Boolean) : [text];
            return { attribute: attribute.input.value.trim(), comparison: comparison.select.value, values };
        } };
        const element = el("div", { class: "toolbar" }, attribute.element, comparison.element, value.element, button("Remove condition", () => {
            rows.splice(rows.indexOf(row), 1);
            element.remove();
            change();
        }, { class: "end" }));
        rows.push(row);
        conditionBox.append(element);
        attribute.input.focus();
        change();
    }

    const value = () => ({
        id, scenario: scenario.input.value.trim(), level: lease.level, lease: lease.lease, percentage: Number(share.input.value),
        conditions: rows.map((row) => row.condition), contextConditions: limit.conditions ?? [], trigger: trigger.trigger,
    });

    // A rule is tried as it would be added, so that the browser checks all fields.
    const trial = triggerTrial({ store, relay, prepare: async (signal) => {
        if (!element.reportValidity()) return null;
        const tried = value();
        return (await trigger.check(signal)) ? tried : null;
    } });

    function change() {
        trial.element.hidden = !trigger.isTrigger();
        trial.outdate();
        show();
    }

    let latest = 0;
    async function show() {
        latest += 1;
        const turn = latest;
        const { count, total, isEstimate, unknown } = await reach(value(), [...store.get("clients").values()]);
        // A later change has its own result.
        if (turn !== latest) return;
        const bound = unknown.length > 0 ? "at most " : isEstimate ? "about " : "";
        preview.textContent = `Reaches ${bound}${countText(count)} of ${counted(total, "approved client")} now.`
            + (unknown.length > 0 ? ` Only the clients know their ${unknown.map(visible).join(", ")}.` : "");
    }

    async function add() {
        note.textContent = "";
        if (Number.isNaN(lease.lease)) { note.textContent = "The minutes must be a number above 0."; return; }
        if (limit.conditions === null) { note.textContent = contextProblem; return; }
        const rule = value();
        if (isWithoutEffect(rule)) { note.textContent = "Only for: what the flight recorder kept has no context, so that a rule cannot send it for some."; return; }
        if (!await trigger.check()) return;
        try {
            await relay.insert(ruleRecord(rule));
            added(rule);
            id = identifier();
            scenario.input.value = "";
            change();
        } catch (error) { note.textContent = `The rule was not added: ${error.message}`; }
    }

    trial.element.hidden = true;
    let isAdding = false;
    const element = el("form", { class: "card", oninput: change, onsubmit: async (event) => {
        event.preventDefault();
        if (isAdding) return;
        isAdding = true;
        await add();
        isAdding = false;
    } },
    el("h2", {}, "Add a rule"),
    el("datalist", { id: "rule-scenarios" }, [...store.get("scenarioNames")].sort().map((name) => el("option", { value: name }))),
    el("datalist", { id: "rule-attributes" }, [...knownAttributes, "deviceType"].map((name) => el("option", { value: name }))),
    el("div", { class: "toolbar" }, scenario.element, share.element, lease.elements, limit.element), conditionBox,
    el("div", { class: "actions" }, button("Add a condition", addCondition)), el("div", { class: "toolbar" }, trigger.choice), trigger.element, preview, trial.element, note,
    el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Add the rule")));
    const stop = store.watch(["clients"], show);
    return { element, close() {
        stop();
        trial.outdate();
    } };
}
