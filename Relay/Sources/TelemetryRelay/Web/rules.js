import { format } from "./api.js";
import { button, choice, el, textField, visible } from "./dom.js";
import { confirm } from "./dialog.js";
import { emptyState } from "./help.js";
import { identifier, rule, ruleRecord } from "./records.js";
import { conditionText, knownAttributes, reach } from "./rule-match.js";
import { leaseControls } from "./scenarios.js";
import { agoText, countText, counted, durationText, now } from "./time.js";

const comparisons = [
    ["equals", "is"], ["oneOf", "is one of"], ["notOneOf", "is none of"], ["hasPrefix", "begins with"], ["atLeast", "is version or later"], ["below", "is a version before"],
];
const lists = new Set(["oneOf", "notOneOf"]);

/** The rules, and the form that adds one. */
export function rulesView({ store, relay, sync, canControl }) {
    let followers = new Map();
    let shown = "";
    let loads = 0;
    /** The cells that change while the rules stay. */
    let cells = [];
    const box = el("div", {}, "Loading…");
    const note = el("p", { class: "note", role: "status" });
    const form = canControl ? ruleForm({ store, relay, added(sent) {
        note.className = "note good";
        note.textContent = `Added the rule for ${visible(sent.scenario)}. Clients follow it at their next contact.`;
    } }) : null;
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Rules"),
        el("p", { class: "muted" }, "A rule turns on a scenario on every approved client that it applies to. What the app or a viewer decided on a client comes first."),
        note, box, form?.element);

    async function remove(item) {
        const isConfirmed = await confirm({
            title: "Remove this rule?", action: "Remove", text: `Clients that follow it turn off ${visible(item.scenario)}, unless another rule applies.`,
        });
        if (!isConfirmed) return;
        try {
            await relay.remove([item.recordName]);
            note.className = "note good";
            note.textContent = `Removed the rule for ${visible(item.scenario)}.`;
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
        const titles = ["Scenario", "Level", "Applies to", "Share", "Time left", "Following", "By", ...(canControl ? [""] : [])];
        const where = ({ conditions }) => (conditions === null ? "Nobody: its conditions cannot be read"
            : conditions.length === 0 ? "All approved clients" : conditions.map(conditionText).join(" and "));
        box.replaceChildren(el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Rules" }, el("table", {},
            el("thead", {}, el("tr", {}, titles.map((title) => (title ? el("th", { scope: "col" }, title) : el("td", {}))))),
            el("tbody", {}, cells.map(({ item, time, following }) => el("tr", {},
                el("th", { scope: "row" }, visible(item.scenario)), el("td", {}, visible(item.level)), el("td", {}, visible(where(item))),
                el("td", {}, `${item.percentage} %`), time, following,
                el("td", { title: agoText(item.created) }, visible(item.issuer ?? "–")),
                canControl && el("td", {}, button("Remove…", () => remove(item), { "aria-label": `Remove the rule for ${visible(item.scenario)}` }))))))));
        return update();
    }

    async function load() {
        const turn = (loads += 1);
        const rules = (await relay.records("TelemetryRule", {}, { sortField: "created", ascending: false })).map(rule);
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

function ruleForm({ store, relay, added }) {
    // The identifier decides which clients are in the share, so the preview is exact.
    let id = identifier();
    const rows = [];
    const scenario = textField("Scenario", { required: true, list: "rule-scenarios", placeholder: "NetworkRequests" });
    const share = textField("Share of the clients, in percent", { type: "number", min: "0.001", max: "100", step: "any", value: "100", required: true });
    const lease = leaseControls();
    const conditionBox = el("div", { class: "conditions" });
    const preview = el("p", { class: "summary", role: "status" });
    const note = el("p", { class: "note problem", role: "alert" });

    function addCondition() {
        const attribute = textField("Attribute", { required: true, list: "rule-attributes", value: "appVersion" });
        const comparison = choice("Comparison", comparisons, "atLeast", show);
        const value = textField("Value", { required: true, placeholder: "2.1" });
        const row = { get condition() {
            const text = value.input.value.trim();
            const values = lists.has(comparison.select.value) ? text.split(",").map((part) => part.trim()).filter(Boolean) : [text];
            return { attribute: attribute.input.value.trim(), comparison: comparison.select.value, values };
        } };
        const element = el("div", { class: "toolbar" }, attribute.element, comparison.element, value.element, button("Remove condition", () => {
            rows.splice(rows.indexOf(row), 1);
            element.remove();
            show();
        }, { class: "end" }));
        rows.push(row);
        conditionBox.append(element);
        attribute.input.focus();
        show();
    }

    const value = () => ({
        id, scenario: scenario.input.value.trim(), level: lease.level, lease: lease.lease, percentage: Number(share.input.value),
        conditions: rows.map((row) => row.condition),
    });

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

    const element = el("form", { class: "card", oninput: show, onsubmit: async (event) => {
        event.preventDefault();
        note.textContent = "";
        if (Number.isNaN(lease.lease)) { note.textContent = "The minutes must be a number above 0."; return; }
        try {
            await relay.insert(ruleRecord(value()));
            added(value());
            id = identifier();
            scenario.input.value = "";
            show();
        } catch (error) { note.textContent = `The rule was not added: ${error.message}`; }
    } },
    el("h2", {}, "Add a rule"),
    el("datalist", { id: "rule-scenarios" }, [...store.get("scenarioNames")].sort().map((name) => el("option", { value: name }))),
    el("datalist", { id: "rule-attributes" }, [...knownAttributes, "deviceType"].map((name) => el("option", { value: name }))),
    el("div", { class: "toolbar" }, scenario.element, share.element, lease.elements), conditionBox,
    el("div", { class: "actions" }, button("Add a condition", addCondition)), preview, note,
    el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Add the rule")));
    const stop = store.watch(["clients"], show);
    return { element, close: stop };
}
