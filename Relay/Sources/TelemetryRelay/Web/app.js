import { alertsView } from "./alerts.js";
import { Relay } from "./api.js";
import { auditView } from "./audit.js";
import { clientView } from "./client.js";
import { clientsView } from "./clients.js";
import { crashesView } from "./crashes.js";
import { announce, el, visible } from "./dom.js";
import { eventsView } from "./events.js";
import { beforeEnd, canRenew, forget, leaveIssuer, renewed, takeCallback, tokenEnd } from "./issuer.js";
import { address } from "./query-text.js";
import * as records from "./records.js";
import { rulesView } from "./rules.js";
import { followShortcuts, showHelp } from "./shortcuts.js";
import { signInView } from "./sign-in.js";
import { Store } from "./store.js";
import { persist } from "./stream.js";
import { Sync } from "./sync.js";
import { durationText, now, setClockOffset } from "./time.js";

const views = { clients: clientsView, client: clientView, events: eventsView, crashes: crashesView, rules: rulesView, alerts: alertsView, audit: auditView };
const keptToken = "telemetry.token";
const clockTolerance = 5_000;
const clockInterval = 300_000;
const retryInterval = 2_000;
/** For how long after a renewal no token counts as refused, in milliseconds. */
const renewalPause = 10_000;
/** Changes up to this number are read one by one, more with one query. */
const singleReads = 20;

const store = new Store({ session: null, connection: "reachable", awaySince: null, clockOffset: 0, clients: new Map(), clientsLoaded: false, scenarioNames: new Set() });
const main = document.getElementById("main");
let relay = null;
let sync = null;
let ending = new AbortController();
let view = null;
let shownView = "";
/** The address of the view that is shown. */
let shownAddress = "";

function report(state) {
    if (state === "unauthorized") {
        if (!store.get("session")) return;
        // Requests with the token before may still be answered.
        if (Date.now() - renewedAt < renewalPause) return;
        if (canRenew()) renew();
        else signOut("The relay does not accept this token any more: it was revoked or has expired.");
        return;
    }
    if (state === store.get("connection")) return;
    const isBack = state === "reachable";
    store.set({ connection: state, awaySince: isBack ? null : Date.now() });
    announce(isBack ? "The relay answers again." : "The relay does not answer.");
    if (isBack) sync?.refresh();
    else awaitRelay(ending.signal);
}

let isRenewing = false;
let renewedAt = 0;

/** Renews the token of an issuer. If it had expired, the view is opened again. */
async function renew() {
    if (isRenewing) return;
    isRenewing = true;
    const { signal } = ending;
    try {
        const hadExpired = tokenEnd(sessionStorage.getItem(keptToken) ?? "") <= now();
        const token = await persist(() => renewed(signal), signal);
        renewedAt = Date.now();
        relay.renew(token);
        sessionStorage.setItem(keptToken, token);
        beforeEnd(token, { now, renew, signal });
        if (hadExpired) route();
    } catch (error) {
        if (!signal.aborted) signOut(`Your sign-in has ended: ${error.message}`);
    } finally { isRenewing = false; }
}

/** Sends requests until the relay responds, also if no view reads anything. */
async function awaitRelay(signal) {
    while (!signal.aborted && store.get("connection") === "away") {
        await new Promise((resolve) => setTimeout(resolve, retryInterval));
        await relay?.server(signal).catch(() => {});
    }
}

async function readClock(connection) {
    const start = Date.now();
    const server = await connection.server();
    const offset = Date.parse(server.time) - (start + Date.now()) / 2;
    setClockOffset(offset);
    store.set({ clockOffset: offset });
    return server;
}

/** Opens the page with a token, or without one for a relay that has none. Throws what the relay answers. */
async function signIn(token, keeps) {
    // A late response to a request of an earlier session says nothing about this one.
    const connection = new Relay(token, (state) => { if (relay === null || relay === connection) report(state); });
    const server = await readClock(connection).catch((error) => {
        // The relay requires the headers that identify a client from a token of the role host.
        throw error.message.includes("Telemetry-Client") ? new Error("This is a token of the role host. The page needs the role viewer or reader.") : error;
    });
    if (token && keeps) sessionStorage.setItem(keptToken, token);
    relay = connection;
    ending = new AbortController();
    beforeEnd(token ?? "", { now, renew, signal: ending.signal });
    sync = new Sync(relay, { canSubscribe: server.role === "viewer", signal: ending.signal });
    sync.on("TelemetryClient", loadClients);
    const hasAudit = server.role === "viewer" && !server.scope && server.features?.includes("audit") === true;
    const hasAlerts = server.features?.includes("alerts") === true;
    const retention = { rules: server.retention ?? [], age: server.defaultRetention?.age };
    store.set({ session: { role: server.role, version: server.version, scope: scopeText(server.scope), hasToken: Boolean(token), hasAlerts, hasAudit, retention } });
    const timer = setInterval(() => readClock(relay).catch(() => {}), clockInterval);
    ending.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
    route();
}

function signOut(message = null) {
    sessionStorage.removeItem(keptToken);
    forget();
    ending.abort();
    relay = null;
    sync = null;
    store.set({ session: null, clients: new Map(), clientsLoaded: false, scenarioNames: new Set() });
    show(signInView(message, signIn), "sign-in");
}

async function loadClients(names) {
    const { signal } = ending;
    const isPart = names !== null && names.length <= singleReads && store.get("clientsLoaded");
    const clients = isPart ? new Map(store.get("clients")) : new Map();
    if (isPart) {
        for (const name of names) {
            const record = await relay.record(name);
            for (const [id, client] of clients) if (client.recordName === name) clients.delete(id);
            if (record) { const client = records.client(record); clients.set(client.id, client); }
        }
    } else {
        for (const record of await relay.records("TelemetryClient")) {
            const client = records.client(record);
            clients.set(client.id, client);
        }
    }
    // The clients of an ended session are not shown in the next one.
    if (!signal.aborted) store.set({ clients, clientsLoaded: true });
}

/** Goes to a view. The view that is shown may "replace" its address, or "push" another one of its own. */
function navigate(name, values = {}, how = "open") {
    const next = address(name, values);
    if (how === "open") location.hash = next;
    // Otherwise another view is about to be shown: the address changes first.
    else if (location.hash === shownAddress) {
        history[`${how}State`](null, "", next);
        shownAddress = location.hash;
    }
}

function route() {
    if (!store.get("session")) return;
    shownAddress = location.hash;
    const [name, search = ""] = location.hash.replace(/^#\//, "").split(/\?(.*)/s);
    const { role, hasAlerts, hasAudit } = store.get("session");
    const absent = [!hasAlerts && "alerts", !hasAudit && "audit"];
    const known = Object.hasOwn(views, name) && !absent.includes(name) ? name : "clients";
    const context = { store, relay, sync, navigate, canControl: role === "viewer", hasAlerts, hasAudit, parameters: new URLSearchParams(search) };
    show(views[known](context), known);
}

function show(next, name) {
    view?.close();
    const isFirst = shownView === "";
    view = next;
    shownView = name;
    main.replaceChildren(next.element);
    document.title = `${next.title} – LiveTelemetry`;
    for (const link of document.querySelectorAll("nav a")) {
        const isCurrent = link.dataset.view === name || (name === "client" && link.dataset.view === "clients");
        if (isCurrent) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    if (next.focus) next.focus.focus();
    else if (!isFirst) next.element.querySelector("h1")?.focus();
}

/** A token's limits, such as `app=com.example.*`; empty without any. */
function scopeText(scope) {
    return Object.entries(scope ?? {}).flatMap(([name, patterns]) => patterns.map((pattern) => `${name}=${pattern}`)).join(" ");
}

function drawFrame() {
    const session = store.get("session");
    const isAway = store.get("connection") === "away";
    const offset = store.get("clockOffset");
    document.getElementById("navigation").hidden = !session;
    document.getElementById("alerts").hidden = !session?.hasAlerts;
    document.getElementById("audit").hidden = !session?.hasAudit;
    document.getElementById("role").textContent = session ? (session.role === "reader" ? "Read only" : "Viewer") : "";
    document.getElementById("sign-out").hidden = !session?.hasToken;
    const connection = document.getElementById("connection");
    connection.textContent = isAway ? "Relay away" : session ? "Connected" : "";
    connection.className = isAway ? "status away" : "status";
    const notes = [
        isAway && `The relay has not answered for ${durationText(Date.now() - store.get("awaySince"))}. The page tries again by itself and goes on where it stopped.`,
        session && Math.abs(offset) > clockTolerance && `This computer's clock is ${durationText(Math.abs(offset))} ${offset > 0 ? "behind" : "ahead of"} the relay's. “Ago” and “left” count by the relay's clock.`,
        session?.role === "reader" && "This token has the role reader: it changes nothing.",
        session?.scope && `This token is limited to ${visible(session.scope)}: nothing else is shown.`,
    ].filter(Boolean);
    document.getElementById("notes").replaceChildren(...notes.map((text, index) => el("p", { class: isAway && index === 0 ? "banner problem" : "banner" }, text)));
}

async function start() {
    store.watch(["session", "connection", "clockOffset", "awaySince"], drawFrame);
    setInterval(() => { if (store.get("connection") === "away") drawFrame(); }, 1_000);
    addEventListener("hashchange", route);
    followShortcuts(() => view?.keys);
    document.getElementById("help").addEventListener("click", showHelp);
    document.getElementById("sign-out").addEventListener("click", () => {
        const isOfIssuer = Number.isFinite(tokenEnd(sessionStorage.getItem(keptToken) ?? ""));
        signOut();
        if (isOfIssuer) leaveIssuer();
    });
    document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
    const callback = takeCallback();
    let token = sessionStorage.getItem(keptToken);
    try {
        if (callback) return await signIn(await callback(), true);
        if (canRenew() && tokenEnd(token ?? "") <= Date.now()) {
            token = await persist(() => renewed(ending.signal), ending.signal, () => report("away"));
            report("reachable");
            sessionStorage.setItem(keptToken, token);
        }
    } catch (error) {
        // A link from elsewhere must not end a session.
        if (!token || !callback) return signOut(visible(error.message));
    }
    for (;;) {
        try {
            return await signIn(token, false);
        } catch (error) {
            if (error.status === 401) {
                return signOut(token ? "The relay does not accept the kept token any more." : null);
            }
            if (!error.isTemporary) return show({ title: "Not available", close() {}, element: el("div", { class: "card" }, el("h1", {}, "Not available"),
                el("p", {}, error.status === 404 ? "This relay has no storage for telemetry." : error.message)) }, "problem");
            report("away");
            await new Promise((resolve) => setTimeout(resolve, retryInterval));
        }
    }
}

start();
