import { choice, el, textField } from "./dom.js";
import { durationField, numberField } from "./fields.js";
import { queryProblem } from "./query-box.js";
import { isoNow } from "./time.js";
import { checkQuery, maximumCount } from "./trigger.js";

/** The controls for what clients do because of a rule: they turn the scenario on, or a trigger decides. */
export function triggerForm(relay) {
    const mode = choice("What clients do", [["enable", "Turn the scenario on"], ["trigger", "When events match …"]], "enable", show);
    const query = textField("Query", { class: "query", placeholder: "severity:>=error" });
    const problem = queryProblem(query.input, "trigger-problem");
    const count = numberField("Number of events", maximumCount);
    const within = durationField("Within", "1m");
    const action = choice("Then", [["capture", "Capture what the flight recorder kept"], ["enable", "Turn the scenario on"]], "capture", show);
    const lookback = durationField("Up to this age (or all)", "5m", "all");
    const lease = durationField("For", "10m");
    const limit = numberField("At most this many times", maximumCount);
    const per = durationField("Per", "1h");
    // What is disabled does not keep the form from being sent.
    const fields = el("fieldset", { class: "trigger" }, el("legend", {}, "When events match"),
        query.element, problem.element,
        el("div", { class: "toolbar" }, count.element, within.element),
        el("div", { class: "toolbar" }, action.element, lookback.element, lease.element),
        el("div", { class: "toolbar" }, limit.element, per.element));
    query.input.addEventListener("input", problem.accept);

    const isTrigger = () => mode.select.value === "trigger";

    function show() {
        fields.hidden = fields.disabled = !isTrigger();
        const isCapture = action.select.value === "capture";
        for (const [field, isShown] of [[lookback, isCapture], [lease, !isCapture]]) {
            field.element.hidden = field.input.disabled = !isShown;
        }
    }

    function trigger() {
        const chosen = action.select.value === "enable" ? { enable: { lease: lease.seconds } }
            : { capture: lookback.seconds === null ? {} : { lookback: lookback.seconds } };
        return {
            action: chosen, count: Number(count.input.value), limit: Number(limit.input.value), per: per.seconds,
            when: query.input.value.trim(), within: within.seconds,
        };
    }

    /** Whether the relay reads the query. Otherwise the place of the error is shown. */
    async function check(signal) {
        if (!isTrigger()) return true;
        const text = query.input.value.trim();
        try {
            await checkQuery(relay, text, isoNow(), signal);
            problem.accept();
            return true;
        } catch (error) {
            signal?.throwIfAborted();
            problem.fail(text, error);
            query.input.focus();
            return false;
        }
    }

    show();
    return { choice: mode.element, element: fields, check, isTrigger, get trigger() { return isTrigger() ? trigger() : null; } };
}
