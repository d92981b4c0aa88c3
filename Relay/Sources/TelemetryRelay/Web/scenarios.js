import { button, choice, el, textField, visible } from "./dom.js";
import { address, term } from "./query-text.js";
import { sourceText } from "./records.js";
import { conditionsIn, contextText } from "./rule-match.js";
import { countText, durationText, now } from "./time.js";

const leases = [["600", "10 minutes"], ["3600", "1 hour"], ["14400", "4 hours"], ["86400", "24 hours"], ["other", "Other…"], ["", "No end"]];

/** The controls with which scenarios are turned on: how much and for how long, which `label` names. */
export function leaseControls(label = "For") {
    const minutes = textField("Minutes", { type: "number", min: "1", max: "525600", step: "any", value: "30" });
    minutes.element.hidden = true;
    const lease = choice(label, leases, "600", (value) => { minutes.element.hidden = value !== "other"; });
    const level = choice("Level", [["diagnostic", "Diagnostic (all events)"], ["info", "Info (fewer events)"]], "diagnostic");
    return {
        elements: [lease.element, minutes.element, level.element],
        get level() { return level.select.value; },
        /** Seconds; null for no end, NaN if the minutes are not a number above 0. */
        get lease() {
            if (lease.select.value !== "other") return lease.select.value === "" ? null : Number(lease.select.value);
            const seconds = Number(minutes.input.value) * 60;
            return seconds > 0 ? seconds : NaN;
        },
    };
}

/** The field that limits a scenario to what the app works on. */
export function contextField() {
    const { element, input } = textField("Only for", { placeholder: "user=4711", title: "Record only where the app works on this: one user, one request." });
    return { element, /** The conditions; null if they cannot be read. */ get conditions() { return conditionsIn(input.value); } };
}

/** What is said where the field's text cannot be read. */
export const contextProblem = "Only for: write a condition such as user=4711, several with \"and\" between them.";

/** How a scenario is now, in words. */
export function stateText(scenario) {
    if (!scenario.isEnabled) return "Off";
    const where = visible(contextText(scenario.context));
    if (scenario.expires === null) return `On${where}, no end`;
    const left = scenario.expires - now();
    return left > 0 ? `On${where}, ${durationText(left)} left` : `On${where}, time is over`;
}

/** The table of the scenarios of a client, each with a link to its events. `act(name, action)` is called for a button; null shows no buttons. */
export function scenarioTable(scenarios, act) {
    const titles = ["Scenario", "State", "Level", "Decided by", ...(act ? ["Actions"] : [])];
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Scenarios" }, el("table", { class: "scenarios" },
        el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", {}, scenarios.map((scenario) => {
            const name = visible(scenario.name);
            const control = (title, action, properties = {}) =>
                button(title, () => act(scenario.name, action), { "aria-label": `${title}: ${name}`, "data-scenario": scenario.name, "data-action": action, ...properties });
            return el("tr", { class: scenario.isEnabled ? "on" : "off" },
                el("th", { scope: "row" }, el("a", { href: address("events", { query: `${term("client", scenario.clientId)} ${term("scenario", scenario.name)}` }) }, name)), el("td", {}, stateText(scenario)),
                el("td", {}, scenario.isEnabled ? visible(scenario.level) : "–"), el("td", {}, visible(sourceText(scenario.source))),
                act && el("td", { class: "actions" },
                    control(scenario.isEnabled ? "Extend" : "Turn on", "enableScenario", { class: "primary" }),
                    scenario.isEnabled && control("Turn off", "disableScenario"),
                    ["host", "viewer"].includes(scenario.source) && control("Reset", "resetScenario", { title: "Discard the decision: rules apply, otherwise the scenario is off" }),
                    control("Send recent", "captureScenario", { title: "Send what the app's flight recorder holds of this scenario" })));
        }))));
}

/**
 * How long the relay keeps the events of a scenario, null for those without one, in words; null if it has no rules for scenarios.
 * `retention` has the rules, of which the first that matches holds, and the age in seconds of other events.
 */
export function keptText({ rules, age }, name) {
    if (rules.length === 0) return null;
    const rule = name === null ? undefined : rules.find(({ scenario }) => matchesPattern(scenario, name.normalize("NFC")));
    const limits = [durationText((rule ?? { age }).age * 1000), rule?.bytes !== undefined && `${countText(Math.round(rule.bytes / 1_048_576))} MB for ${rule.scenario}`];
    return limits.filter(Boolean).join(", ");
}

/** Whether a name matches a pattern in which `*` stands for any characters. */
function matchesPattern(pattern, name) {
    const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "su").test(name);
}
