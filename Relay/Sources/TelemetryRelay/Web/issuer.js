import { Relay } from "./api.js";

const keptRequest = "telemetry.sign-in";
const keptRefresh = "telemetry.refresh";
/** How long before its end a token is renewed, in milliseconds. */
const margin = 30_000;
/** The longest delay of a timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

function base64url(bytes) { return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""); }

function random() { return base64url(crypto.getRandomValues(new Uint8Array(32))); }

function pageAddress() { return location.origin + location.pathname; }

/** How people sign in to this relay: `{issuer, clientId, authorizationEndpoint, endSessionEndpoint, scope}`; null if there is no issuer. */
export async function issuerSettings() {
    const settings = await new Relay(null).get("/v1/sign-in");
    return settings.issuer ? settings : null;
}

/** Goes to the issuer, which comes back to this page with a code (OpenID Connect Core 1.0, 3.1, with PKCE: RFC 7636). */
export async function goToIssuer(settings) {
    if (!crypto.subtle) throw new Error("Browsers allow signing in only over https, or on the same machine.");
    const request = { state: random(), nonce: random(), verifier: random(), view: location.hash };
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(request.verifier));
    sessionStorage.setItem(keptRequest, JSON.stringify(request));
    const address = new URL(settings.authorizationEndpoint);
    const parameters = {
        response_type: "code", client_id: settings.clientId, redirect_uri: pageAddress(), scope: settings.scope,
        state: request.state, nonce: request.nonce, code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    location.assign(address);
}

/**
 * What the issuer came back with, which is removed from the address: a function that returns the token. Null if the page was opened otherwise.
 */
export function takeCallback() {
    const parameters = new URLSearchParams(location.search);
    const kept = sessionStorage.getItem(keptRequest);
    sessionStorage.removeItem(keptRequest);
    if (!parameters.has("code") && !parameters.has("error")) return null;
    const request = JSON.parse(kept ?? "null");
    history.replaceState(null, "", location.pathname + (request?.view ?? ""));
    return async () => {
        // Otherwise the answer belongs to a sign-in of somebody else.
        if (request === null || parameters.get("state") !== request.state) throw new Error("This sign-in did not begin here. Sign in again.");
        if (parameters.has("error")) throw new Error(`The issuer did not sign you in: ${parameters.get("error_description") ?? parameters.get("error")}`);
        return keep(await exchange({ code: parameters.get("code"), verifier: request.verifier, redirectURI: pageAddress(), nonce: request.nonce }));
    };
}

function exchange(grant) { return new Relay(null).post("/v1/sign-in", grant); }

/** Keeps what renews the token of an answer. Returns the token. */
function keep({ token, refreshToken }) {
    if (refreshToken) sessionStorage.setItem(keptRefresh, refreshToken);
    return token;
}

/** A new token in place of one that has expired or will. */
export async function renewed(signal) {
    const answer = await exchange({ refreshToken: sessionStorage.getItem(keptRefresh) });
    // After signing out, nothing is kept.
    signal.throwIfAborted();
    return keep(answer);
}

/** Whether a token can be renewed: one of an issuer that allows it. */
export function canRenew() { return sessionStorage.getItem(keptRefresh) !== null; }

/** Removes what is kept of a sign-in. */
export function forget() { for (const name of [keptRequest, keptRefresh]) sessionStorage.removeItem(name); }

/** The end of a token of an issuer, in milliseconds since 1970; NaN for another token. */
export function tokenEnd(token) {
    try {
        return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).exp * 1_000;
    } catch { return NaN; }
}

/** Calls `renew` before a token of the issuer ends. */
export function beforeEnd(token, { now, renew, signal }) {
    const end = tokenEnd(token);
    if (!canRenew() || !Number.isFinite(end)) return;
    const left = end - now();
    const timer = setTimeout(renew, Math.min(Math.max(left - margin, left / 2, 0), longestTimer));
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

/** Ends the session at the issuer, if it has a page for that; it comes back to this page. */
export async function leaveIssuer() {
    const settings = await issuerSettings().catch(() => null);
    if (!settings?.endSessionEndpoint) return;
    const address = new URL(settings.endSessionEndpoint);
    address.searchParams.set("client_id", settings.clientId);
    address.searchParams.set("post_logout_redirect_uri", pageAddress());
    location.assign(address);
}
