import { announce, button, el, visible } from "./dom.js";
import { commandList, outcomeText, requestText } from "./commands.js";
import { confirm } from "./dialog.js";
import { address, term } from "./query-text.js";
import { clientState, clientStates, command, commandRecord, scenario } from "./records.js";
import { contextField, contextProblem, leaseControls, scenarioTable } from "./scenarios.js";
import { agoText, countText, counted, dateText } from "./time.js";

const shownCommands = 50;

/** One client: what it is, its scenarios, and the commands that it was sent. */
export function clientView({ store, relay, sync, canControl, hasAudit, parameters }) {
    const id = parameters.get("id") ?? "";
    let scenarios = null;
    let commands = [];
    let events = null;
    /** The names of the commands whose answer was not shown yet. A load that began before one was sent may return its answer, or lack it. */
    const waiting = new Set();
    const lease = leaseControls();
    const limit = contextField();
    const head = el("div", {});
    const actions = el("div", { class: "actions" });
    const note = el("p", { class: "note", role: "status" });
    const scenarioBox = el("div", {}, "Loading…");
    const commandBox = el("div", {});
    const element = el("section", { class: "client" },
        el("p", {}, el("a", { href: "#/clients" }, "← All clients")),
        el("h1", { tabindex: "-1", class: "identifier" }, visible(id)), head, actions, note,
        el("h2", {}, "Scenarios"), canControl && el("div", { class: "toolbar" }, el("span", { class: "lead" }, "Turn on"), lease.elements, limit.element), scenarioBox,
        el("h2", {}, "Commands"), commandBox);

    /** Shows a command and what became of it, and reads an answer aloud. */
    function show(item) {
        const isPending = item.status === "pending";
        note.className = isPending ? "note" : item.status === "executed" ? "note good" : "note problem";
        note.textContent = `${visible(requestText(item))}: ${visible(outcomeText(item))}`;
        if (!isPending) announce(note.textContent);
    }

    async function send(action, more = {}) {
        note.className = "note";
        note.textContent = "Sending…";
        try {
            const sent = command(await relay.insert(commandRecord(id, action, more)));
            // The answer may have been faster than the end of this request.
            const known = commands.find((item) => item.recordName === sent.recordName) ?? sent;
            if (known === sent) commands = [sent, ...commands];
            if (known.status === "pending") waiting.add(known.recordName);
            show(known);
            drawCommands();
        } catch (error) {
            note.className = "note problem";
            note.textContent = error.status === 403 ? "This token may read, but not send commands." : `The command was not sent: ${error.message}`;
        }
    }

    async function end() {
        const total = await relay.count({ client: id }).catch(() => null);
        const data = `${counted(scenarios?.length ?? 0, "scenario")}${total === null ? "" : ` and ${counted(total, "event")}`}`;
        const isConfirmed = await confirm({
            title: "End this client's telemetry?", action: "End telemetry",
            text: `The client discards its approval and deletes its record, ${data}. Its user can opt in again.`,
        });
        if (isConfirmed) await send("disable");
    }

    function change(name, action) {
        if (action !== "enableScenario") return send(action, { scenario: name });
        if (Number.isNaN(lease.lease)) {
            note.className = "note problem";
            note.textContent = "The minutes must be a number above 0.";
            return undefined;
        }
        // A scenario that is extended stays limited to what it is on for.
        const current = scenarios.find((item) => item.name === name);
        const context = limit.conditions?.length === 0 && current?.isEnabled ? current.context : limit.conditions;
        if (context === null) {
            note.className = "note problem";
            note.textContent = contextProblem;
            return undefined;
        }
        return send(action, { scenario: name, level: lease.level, lease: lease.lease, context });
    }

    function drawHead() {
        const client = store.get("clients").get(id);
        const state = client && clientState(client);
        const facts = client ? [
            ["State", clientStates[state]], ["Last seen", agoText(client.lastSeen)], ["App", client.appVersion], ["System", client.osVersion],
            ["Device", client.deviceModel], ["Library", client.libraryVersion], ["Since", dateText(client.created ?? NaN)],
        ] : [["State", store.get("clientsLoaded") ? "Gone: its telemetry ended, or its record was deleted" : "Loading…"]];
        if (events !== null) facts.push(["Events", countText(events)]);
        head.replaceChildren(el("dl", { class: "facts" }, facts.map(([name, value]) =>
            el("div", {}, el("dt", {}, name), el("dd", { class: name === "State" ? `state-${state ?? "gone"}` : null }, visible(value ?? "–"))))));
        const focused = document.activeElement?.dataset.control;
        actions.replaceChildren(...[
            el("a", { class: "button primary", href: address("events", { query: term("client", id) }) }, "Show its events"),
            el("a", { class: "button", href: address("crashes", { client: id }) }, "Show its crashes"),
            hasAudit && el("a", { class: "button", href: address("audit", { client: id }) }, "Show its audit"),
            ...(canControl && client ? [
                !client.isEnabled && button("Approve", () => send("enable"), { class: "primary", "data-control": "approve" }),
                client.isEnabled && !client.isPaused && button("Pause", () => send("pause"), { "data-control": "pause", title: "Record and send nothing until resumed" }),
                client.isPaused && button("Resume", () => send("resume"), { "data-control": "resume" }),
                button("End telemetry…", end, { class: "danger", "data-control": "end" }),
            ] : []),
        ].filter(Boolean));
        if (focused) actions.querySelector(`[data-control="${focused}"]`)?.focus();
    }

    function drawScenarios() {
        if (scenarios === null) return;
        if (scenarios.length === 0) {
            scenarioBox.replaceChildren(el("p", { class: "muted" }, "This client has no scenarios. The app registers them when it starts."));
            return;
        }
        const focused = document.activeElement;
        const [name, action] = [focused?.dataset.scenario, focused?.dataset.action];
        scenarioBox.replaceChildren(scenarioTable(scenarios, canControl ? change : null));
        if (name === undefined) return;
        // The button that had the focus may have become another one.
        const buttons = [...scenarioBox.querySelectorAll("button")].filter((item) => item.dataset.scenario === name);
        (buttons.find((item) => item.dataset.action === action) ?? buttons[0])?.focus();
    }

    function drawCommands() { commandBox.replaceChildren(commandList(commands.slice(0, shownCommands))); }

    const stops = [
        store.watch(["clients", "clientsLoaded"], drawHead),
        sync.on("TelemetryScenario", async () => {
            scenarios = (await relay.records("TelemetryScenario", { clientid: id })).map(scenario).sort((a, b) => (a.name < b.name ? -1 : 1));
            for (const { name } of scenarios) store.get("scenarioNames").add(name);
            drawScenarios();
        }, (error) => scenarioBox.replaceChildren(el("p", { class: "problem" }, `The scenarios cannot be read: ${error.message}`))),
        sync.on("TelemetryCommand", async () => {
            commands = (await relay.records("TelemetryCommand", { clientid: id }, { sortField: "created", ascending: false })).map(command);
            const answered = commands.find((item) => waiting.has(item.recordName) && item.status !== "pending");
            for (const { recordName, status } of commands) {
                if (status === "pending") waiting.add(recordName);
                else waiting.delete(recordName);
            }
            if (answered) show(answered);
            drawCommands();
        }),
    ];
    relay.count({ client: id }).then((count) => { events = count; drawHead(); }, () => {});
    const timer = setInterval(() => {
        if (!element.contains(document.activeElement) || document.activeElement.tagName !== "SELECT") { drawScenarios(); drawCommands(); }
    }, 5_000);
    return {
        title: `Client ${visible(id)}`, element,
        close() {
            clearInterval(timer);
            for (const stop of stops) stop();
        },
    };
}
