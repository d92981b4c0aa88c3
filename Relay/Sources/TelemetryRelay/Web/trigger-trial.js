import { button, choice, el, visible } from "./dom.js";
import { address } from "./query-text.js";
import { conditionText, reach } from "./rule-match.js";
import { countText, counted, dateText, now } from "./time.js";
import { compact } from "./trigger.js";
import { storedResult } from "./trigger-events.js";

const [actionLimit, clientLimit] = [200, 50];
const periods = [["3600", "The last hour"], ["86400", "The last day"], ["604800", "The last 7 days"], ["2592000", "The last 30 days"]];

const milliseconds = (time) => (time + 978_307_200) * 1000;
const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The command that explains more. */
function command({ scenario, conditions, trigger }, period) {
    const { action, count, limit, per, when, within } = trigger;
    const lookback = action.capture?.lookback ?? null;
    const act = action.enable ? `--enable ${compact(action.enable.lease)}` : `--capture ${lookback === null ? "all" : compact(lookback)}`;
    return [
        `telemetry rule test ${shellQuoted(scenario)} --when ${shellQuoted(when || "*")} --count ${count} --within ${compact(within)} ${act}`,
        `--limit ${limit}/${compact(per)}`, ...conditions.map((condition) => `--where ${shellQuoted(conditionText(condition))}`),
        `--since ${compact(period)}`,
    ].join(" ");
}

function table(label, titles, rows) {
    return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": label }, el("table", {},
        el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell)))))));
}

const clientLink = (id) => el("a", { href: address("client", { id }) }, visible(id));

/** What limits the result, in sentences. */
function notes({ read, matched, oldest }, { when }, { unknown, isEstimate }) {
    return [
        matched > read && `Only the newest ${countText(read)} of ${counted(matched, "event")} that match were read, those since ${dateText(milliseconds(oldest))}. Actions before that are missing.`,
        unknown.length > 0 && `Not evaluated, because only the clients know it: ${unknown.map(visible).join(", ")}.`,
        isEstimate && "The share is not evaluated, because the browser offers no SHA-256 over plain HTTP.",
        /\btime"?\s*:/.test(when) && "Conditions on the time are evaluated as of now. A client evaluates them when it reads the event.",
        "Only stored events were replayed. What a client's flight recorder kept and the client did not send is not known.",
    ].filter(Boolean);
}

/** Why no client would have acted, as paragraphs. */
function explanation({ results, failures, narrowing }, total, { count, within }) {
    if (total === 0) return [el("p", {}, "No events of these clients are stored in the period.")];
    const [nearest] = [...results].sort(([, a], [, b]) => b.most.count - a.most.count);
    const [failure] = failures;
    return [
        el("p", {}, nearest ? `At most ${countText(nearest[1].most.count)} of ${countText(count)} matching events were within ${compact(within)}: `
            + `${visible(nearest[0])}, up to ${dateText(milliseconds(nearest[1].most.seconds))}.` : `None of ${counted(total, "event")} matches the query.`),
        failure && el("p", {}, "The only failing condition was most often ", el("code", {}, visible(failure.condition)),
            ` (${counted(failure.events, "event")}), last at ${dateText(milliseconds(failure.seconds))} on ${visible(failure.client)}. `,
            el("a", { href: address("events", { query: `${failure.query} ${narrowing}` }) }, "Show events that fail only this condition")),
    ].filter(Boolean);
}

/** The numbers of the clients with matching events, those that would have acted most often first. */
function clientTable({ results, totals }, { count, within }, reached) {
    if (results.size === 0) return [];
    const listed = [...results].sort(([, a], [, b]) => b.actions.length - a.actions.length || b.most.count - a.most.count || b.matched - a.matched);
    const rows = listed.slice(0, clientLimit).map(([client, { matched, actions, heldBack, most }]) => [
        clientLink(client), ...[totals.get(client) ?? 0, matched, actions.length, heldBack].map(countText),
        most.count === 0 ? "–" : `${countText(most.count)} of ${countText(count)}`,
    ]);
    const titles = ["Client", "Events", "Matching", "Actions", "Held back", `Most within ${compact(within)}`];
    const others = reached - listed.length;
    return [
        table("Clients with matching events", titles, rows),
        listed.length > clientLimit && el("p", { class: "muted" }, `The first ${countText(clientLimit)} of ${counted(listed.length, "client")} with matching events are shown.`),
        others > 0 && el("p", { class: "muted" }, `${counted(others, "other client")}: no matching event.`),
    ];
}

/** Shows the result of a replay for the clients that a rule reaches, and returns its summary. */
function show(box, rule, reached, found, period) {
    const { trigger } = rule;
    const { clients } = reached;
    const actions = [...found.results].flatMap(([client, { actions: own }]) => own.map((action) => ({ client, ...action })))
        .sort((a, b) => b.seconds - a.seconds);
    const acting = new Set(actions.map(({ client }) => client)).size;
    const heldBack = [...found.results.values()].reduce((sum, item) => sum + item.heldBack, 0);
    const total = clients.reduce((sum, client) => sum + (found.totals.get(client) ?? 0), 0);
    const rows = actions.slice(0, actionLimit).map(({ client, seconds, count }) => [dateText(milliseconds(seconds)), clientLink(client), countText(count)]);
    box.replaceChildren(...[
        actions.length === 0 && explanation(found, total, trigger),
        actions.length > 0 && table("Actions", ["Would have acted at", "Client", "Events counted"], rows),
        actions.length > actionLimit && el("p", { class: "muted" }, `The newest ${countText(actionLimit)} actions are shown.`),
        clientTable(found, trigger, clients.length),
        actions.length === 0 && total > 0 && [el("p", {}, "This command explains it for each client:"), el("pre", { tabindex: "0", "aria-label": "Command" }, visible(command(rule, period)))],
        notes(found, trigger, reached).map((text) => el("p", { class: "muted" }, text)),
    ].flat().filter(Boolean));
    return `${counted(actions.length, "action")} on ${countText(acting)} of ${counted(clients.length, "client")}; held back by the limit: ${countText(heldBack)}.`;
}

/**
 * The part of the form that replays the stored events for a trigger. `prepare(signal)` resolves to the rule with its trigger, or to null
 * after it showed what is wrong.
 */
export function triggerTrial({ store, relay, prepare }) {
    const period = choice("Stored events of", periods, "86400", outdate);
    const summary = el("p", { class: "note", role: "status" });
    const problem = el("p", { class: "problem", role: "alert" });
    const box = el("div", {});
    let running = null;
    const element = el("div", { role: "group", "aria-label": "Try it", class: "trial" },
        el("div", { class: "toolbar" }, period.element, button("Try it", run)), summary, problem, box);

    /** Removes the result of a rule that was changed since. */
    function outdate() {
        running?.abort();
        running = null;
        summary.textContent = problem.textContent = "";
        box.replaceChildren();
    }

    async function run() {
        outdate();
        running = new AbortController();
        const { signal } = running;
        try {
            const rule = await prepare(signal);
            if (rule === null || signal.aborted) return;
            summary.textContent = "Replaying…";
            const reached = await reach(rule, [...store.get("clients").values()]);
            const length = Number(period.select.value);
            const since = new Date(now() - length * 1000).toISOString();
            const found = reached.clients.length === 0 ? null : await storedResult(relay, rule, reached.clients, since, signal);
            if (signal.aborted) return;
            summary.textContent = found === null ? "The rule reaches no approved client." : show(box, rule, reached, found, length);
        } catch (error) {
            if (signal.aborted) return;
            summary.textContent = "";
            problem.textContent = `The stored events cannot be replayed: ${error.message}`;
        }
    }

    return { element, outdate };
}
