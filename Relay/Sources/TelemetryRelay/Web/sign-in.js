import { button, el, textField, visible } from "./dom.js";
import { goToIssuer, issuerSettings } from "./issuer.js";
import { persist } from "./stream.js";

/** The form for a token, and the way to the relay's issuer if it has one. `signIn(token, keeps)` throws the relay's error. */
export function signInView(message, signIn) {
    const { input, element } = textField("Token", { type: "password", id: "token", required: true, autocomplete: "off" });
    const keeps = el("input", { type: "checkbox", id: "keep" });
    const note = el("p", { class: "problem", role: "alert" }, message ?? "");
    const submit = el("button", { type: "submit", class: "primary" }, "Sign in");
    const issuer = el("div", { class: "actions" });
    const form = el("form", { class: "card", onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        note.textContent = "";
        try {
            await signIn(input.value.trim(), keeps.checked);
        } catch (error) {
            note.textContent = error.status === 401 ? "The relay does not know this token, or it has expired." : error.message;
            submit.disabled = false;
            input.select();
        }
    } },
    el("h1", { tabindex: "-1" }, "Sign in"), issuer,
    el("p", {}, "This relay asks for a token of the role ", el("code", {}, "viewer"), " or ", el("code", {}, "reader"), ". Its operator creates one with:"),
    el("pre", { tabindex: "0" }, "telemetry-relay token create --role viewer --name YOUR-NAME"),
    element,
    el("label", { class: "check" }, keeps, el("span", {}, "Keep it in this tab until I sign out, also when I reload")),
    note, el("div", { class: "actions" }, submit));

    const ending = new AbortController();

    async function offerIssuer() {
        const settings = await persist(issuerSettings, ending.signal, (error) => {
            issuer.replaceChildren(el("p", { class: "problem" }, visible(error.message)));
        });
        const go = () => goToIssuer(settings).catch((error) => { note.textContent = visible(error.message); });
        issuer.replaceChildren(...(settings === null ? [] : [button(`Sign in at ${visible(new URL(settings.issuer).host)}`, go, { class: "primary" })]));
    }

    offerIssuer().catch((error) => { if (!ending.signal.aborted) note.textContent = visible(error.message); });
    return { title: "Sign in", element: form, focus: input, close: () => ending.abort() };
}
