import { el, visible } from "./dom.js";
import { contextText } from "./rule-match.js";
import { agoText, durationText, now } from "./time.js";

const titles = {
    enable: "Approve the client", disable: "End telemetry", deleteEvents: "Delete events", delete_events: "Delete events",
    pause: "Pause", resume: "Resume",
};

/** What a command does on the client. */
export function requestText(command) {
    const name = command.scenario ?? "a scenario";
    switch (command.action) {
    case "enableScenario": {
        const lease = command.lease === null ? "" : ` for ${durationText(command.lease * 1000)}`;
        return `Turn on ${name}${contextText(command.context)}${lease}${command.level === null ? "" : `, ${command.level}`}`;
    }
    case "disableScenario": return `Turn off ${name}`;
    case "resetScenario": return `Let the rules decide on ${name}`;
    case "captureScenario": return `Send recent events of ${name}`;
    default: return titles[command.action] ?? command.action;
    }
}

/** What became of a command. */
export function outcomeText(command) {
    const detail = [command.result, command.errorMessage].filter(Boolean).join("; ");
    const reason = detail ? `: ${detail}` : "";
    switch (command.status) {
    case "pending": {
        const age = now() - (command.created ?? now());
        return age > 15_000 ? `Sent ${durationText(age)} ago, no answer yet. Is the app running?` : "Sent, waiting for the client";
    }
    case "executed": return `Done${reason}`;
    case "failed": return `The client failed${reason}`;
    case "rejected": return `The client refused${reason}`;
    case "expired": return `Expired before the client received it${reason}`;
    case "superseded": return `Replaced by a later command${reason}`;
    default: return command.status + reason;
    }
}

/** The newest commands of a client, and what became of each. */
export function commandList(commands) {
    if (commands.length === 0) return el("p", { class: "muted" }, "No commands yet.");
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Commands" }, el("table", {},
        el("thead", {}, el("tr", {}, ["Command", "Outcome", "By", "Sent"].map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", {}, commands.map((command) => el("tr", { class: `status-${visible(command.status)}` },
            el("td", {}, visible(requestText(command))), el("td", {}, visible(outcomeText(command))),
            el("td", {}, visible(command.issuer ?? "–")), el("td", {}, agoText(command.created)))))));
}
