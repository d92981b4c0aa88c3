import { choice, el, textField, visible } from "./dom.js";
import { Grid } from "./grid.js";
import { firstClient } from "./help.js";
import { clientState, clientStates } from "./records.js";
import { agoText, countText, counted } from "./time.js";

const order = { waiting: 0, approved: 1, paused: 2, unseen: 3 };

function matches(client, words) {
    const text = [client.id, client.appVersion, client.osVersion, client.deviceModel, client.libraryVersion].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
}

/** The list of clients: those that wait for approval first, then those seen last. */
export function clientsView({ store, navigate, parameters }) {
    let shown = [];
    const search = textField("Search", { type: "search", placeholder: "Identifier, app, system or device", value: parameters.get("search") ?? "" });
    const state = choice("State", [["", "All"], ...Object.entries(clientStates)], parameters.get("state") ?? "", changed);
    search.input.addEventListener("input", changed);
    const summary = el("p", { class: "summary", "aria-live": "polite" });
    const grid = new Grid({
        label: "Clients", className: "clients-grid", rowHeight: 36,
        columns: [
            { title: "Client", className: "c-id" }, { title: "State", className: "c-state" }, { title: "App", className: "c-app" },
            { title: "System", className: "c-os" }, { title: "Device", className: "c-device" }, { title: "Last seen", className: "c-seen" },
        ],
        render(cells, index, row) {
            const client = shown[index];
            const name = clientState(client);
            row.classList.add(`state-${name}`);
            const values = [client.id, clientStates[name], client.appVersion, client.osVersion, client.deviceModel, agoText(client.lastSeen)];
            for (const [column, value] of values.entries()) {
                const text = visible(value ?? "–");
                cells[column].textContent = text;
                cells[column].title = text;
            }
        },
        open: (index) => navigate("client", { id: shown[index].id }),
    });
    const empty = firstClient();
    const nothing = el("p", { class: "empty" }, "No client matches the search.");
    const filters = el("div", { class: "toolbar", role: "search" }, search.element, state.element);
    const element = el("section", { class: "fill" }, el("h1", { tabindex: "-1" }, "Clients"), filters, summary, empty, nothing, grid.element);

    function changed() {
        navigate("clients", { search: search.input.value, state: state.select.value }, "replace");
        draw();
    }

    function draw() {
        const clients = store.get("clients");
        const isLoaded = store.get("clientsLoaded");
        const words = search.input.value.toLowerCase().split(/\s+/).filter(Boolean);
        const wanted = state.select.value;
        const entries = [...clients.values()].map((client) => ({ client, state: clientState(client) }));
        shown = entries.filter((entry) => (!wanted || entry.state === wanted) && matches(entry.client, words))
            .sort((a, b) => order[a.state] - order[b.state] || (b.client.lastSeen ?? 0) - (a.client.lastSeen ?? 0) || (a.client.id < b.client.id ? -1 : 1))
            .map((entry) => entry.client);
        const waiting = entries.filter((entry) => entry.state === "waiting").length;
        const part = shown.length === clients.size ? counted(clients.size, "client") : `${countText(shown.length)} of ${counted(clients.size, "client")}`;
        summary.textContent = isLoaded ? `${part}${waiting > 0 ? `, ${countText(waiting)} waiting for approval` : ""}` : "Loading the clients…";
        empty.hidden = !isLoaded || clients.size > 0;
        filters.hidden = isLoaded && clients.size === 0;
        nothing.hidden = !isLoaded || clients.size === 0 || shown.length > 0;
        grid.element.hidden = shown.length === 0;
        grid.update(shown.length);
    }

    const stop = store.watch(["clients", "clientsLoaded"], draw);
    const timer = setInterval(() => grid.refresh(), 5_000);
    return {
        title: "Clients", element, keys: { "/": () => search.input.focus(), j: () => grid.step(1), k: () => grid.step(-1) },
        close() {
            stop();
            clearInterval(timer);
            grid.close();
        },
    };
}
