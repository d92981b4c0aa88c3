import { announce, button, choice, el, row, table, textField, visible } from "./dom.js";
import { emptyState } from "./help.js";
import { address } from "./query-text.js";
import { persist } from "./stream.js";
import { countText, dateText } from "./time.js";

const limit = 100;
const actions = new Map(Object.entries({
    "client.approve": "Approve a client", "client.disapprove": "Withdraw an approval", "client.save": "Save a client",
    "command.create": "Send a command", "command.change": "Change a command", "scenario.save": "Save a scenario", "rule.save": "Save a rule",
    "record.save": "Save a record", "record.delete": "Delete records", "events.read": "Read events", "events.count": "Count events",
    "events.query": "Run a query", "events.export": "Export events", "events.stream": "Begin to follow events",
    "events.streamEnd": "End following events", "events.delete": "Delete events", "request.refuse": "Refused request",
    "session.signIn": "Sign in", "alert.save": "Save an alert", "alert.delete": "Delete an alert", "alert.test": "Test an alert",
    "token.create": "Create a token", "token.revoke": "Revoke a token",
    "webhook.create": "Create a webhook", "webhook.remove": "Remove a webhook",
    "database.restore": "Restore a backup",
}));

/** Whether an entry is a read or a deletion of events that was not limited to one client. */
function isAboutAnyClient({ action, client }) {
    return (client ?? null) === null && action.startsWith("events.");
}

/** Who did it: the token's name, and its role and address. */
function who({ token, role, address: from }) {
    const place = [role, from].filter(Boolean).join(", ");
    return [el("strong", {}, visible(token ?? "No token")), place && el("span", { class: "muted" }, visible(` ${place}`))];
}

function cells(entry) {
    const { time, action, client, detail, status } = entry;
    const outcome = status >= 400 ? ` (refused: ${status})` : "";
    return [
        dateText(Date.parse(time)), who(entry), visible(`${actions.get(action) ?? action}${outcome}`),
        client ? el("a", { href: address("client", { id: client }) }, visible(client)) : isAboutAnyClient(entry) ? "Any client" : "–",
        visible(detail ?? "–"),
    ];
}

/** Who did what over the relay, the newest first: everything, or what concerns one client. */
export function auditView({ relay, navigate, parameters }) {
    const filter = { client: parameters.get("client"), token: parameters.get("token"), action: parameters.get("action") };
    // The reads and deletions of events that were not limited to one client can concern this one too.
    const request = { ...filter, everyone: filter.client ? "true" : null, limit };
    const ending = new AbortController();
    const { signal } = ending;
    const client = textField("Client", { value: filter.client ?? "", placeholder: "Whole identifier" });
    const token = textField("Token", { value: filter.token ?? "", placeholder: "Name" });
    const action = choice("Action", [["", "All"], ...actions], filter.action ?? "");
    const note = el("p", { class: "problem", role: "alert" });
    const summary = el("p", { class: "summary", "aria-live": "polite" }, "Loading…");
    const box = el("div", {});
    const more = button("Load more", loadMore, { hidden: true });
    const filters = el("form", { class: "toolbar", role: "search", onsubmit: (event) => {
        event.preventDefault();
        show();
    } }, client.element, token.element, action.element, el("button", { type: "submit" }, "Show"));
    const element = el("section", {}, el("h1", { tabindex: "-1" }, "Audit"),
        el("p", { class: "muted" }, "Who did what over this relay, the newest first. What hosts send is not listed."),
        filters, note, summary, box, el("div", { class: "actions" }, more));
    let body = null;
    let cursor = null;

    function show() {
        const values = { client: client.input.value.trim(), token: token.input.value.trim(), action: action.select.value };
        const isSame = Object.entries(values).every(([name, value]) => value === (filter[name] ?? ""));
        if (!isSame) return navigate("audit", values);
        body = null;
        cursor = null;
        return load();
    }

    async function load() {
        more.disabled = true;
        note.textContent = "";
        try {
            add(await persist(() => relay.audit(request, { after: cursor }, signal), signal));
        } catch (error) {
            if (signal.aborted) return;
            summary.textContent = "";
            note.textContent = `The audit cannot be read: ${error.message}`;
        }
        more.disabled = false;
    }

    function add(page) {
        ({ cursor } = page);
        if (body === null) {
            const region = table("Audit", ["Time", "Who", "Action", "Client", "Detail"], page.entries.map(cells));
            region.classList.add("audit");
            body = region.querySelector("tbody");
            box.replaceChildren(page.entries.length === 0 ? emptyState("No entries", el("p", {}, "Nothing in the audit matches.")) : region);
        } else {
            body.append(...page.entries.map((entry) => row(cells(entry))));
        }
        const count = body.rows.length;
        const any = filter.client ? " Entries with “Any client” are reads and deletions of events that were not limited to one client: they can concern this one too." : "";
        summary.textContent = `${count === 1 ? "1 entry" : `${countText(count)} entries`}${page.hasMore ? "; there are earlier ones" : ""}.${any}`;
        more.hidden = !page.hasMore;
    }

    async function loadMore() {
        const count = body.rows.length;
        await load();
        if (signal.aborted || body.rows.length === count) return;
        announce(`${countText(body.rows.length - count)} more`);
        // A button that is hidden loses the focus.
        if (more.hidden) box.querySelector("[role=region]").focus();
        else more.focus();
    }

    load();
    return { title: "Audit", element, keys: { "/": () => client.input.focus() }, close: () => ending.abort() };
}
