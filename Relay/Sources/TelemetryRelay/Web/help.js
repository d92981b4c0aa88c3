import { el } from "./dom.js";

/** A message in place of a list that is empty. */
export function emptyState(title, ...children) {
    return el("div", { class: "empty" }, el("h2", {}, title), ...children);
}

/** What to do if no client ever asked for telemetry. */
export function firstClient() {
    const url = location.origin;
    return emptyState("No client yet",
        el("p", {}, "A client appears here when a user of an app turns telemetry on. Try it with an example:"),
        el("ol", {},
            el("li", {}, "If this relay has tokens, create one for hosts:",
                el("pre", { tabindex: "0" }, "telemetry-relay token create --role host --name my-app > host-token")),
            el("li", {}, "Start the example app and type ", el("code", {}, "agree"), ":",
                el("pre", { tabindex: "0" }, `swift run --package-path Examples notes-host --relay ${url} --token-file host-token`)),
            el("li", {}, "Or send a program's output:",
                el("pre", { tabindex: "0" }, `ping localhost | telemetry pipe --scenario Ping --relay ${url} --token-file host-token`))),
        el("p", {}, "This page shows the client as soon as it is there. Approve it, turn on a scenario, and its events arrive."));
}
