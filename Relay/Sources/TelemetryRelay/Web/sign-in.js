import { el, textField } from "./dom.js";

/** The form for a token. `signIn(token, keeps)` throws the relay's error. */
export function signInView(message, signIn) {
    const { input, element } = textField("Token", { type: "password", id: "token", required: true, autocomplete: "off" });
    const keeps = el("input", { type: "checkbox", id: "keep" });
    const note = el("p", { class: "problem", role: "alert" }, message ?? "");
    const submit = el("button", { type: "submit", class: "primary" }, "Sign in");
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
    el("h1", { tabindex: "-1" }, "Sign in"),
    el("p", {}, "This relay asks for a token of the role ", el("code", {}, "viewer"), " or ", el("code", {}, "reader"), ". Its operator creates one with:"),
    el("pre", { tabindex: "0" }, "telemetry-relay token create --role viewer --name YOUR-NAME"),
    element,
    el("label", { class: "check" }, keeps, el("span", {}, "Keep it in this tab until I sign out, also when I reload")),
    note, el("div", { class: "actions" }, submit));
    return { title: "Sign in", element: form, focus: input, close() {} };
}
