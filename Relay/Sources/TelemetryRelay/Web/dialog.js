import { button, el } from "./dom.js";

/** Shows a confirmation dialog; resolves to whether the action was confirmed. Escape cancels. */
export function confirm({ title, text, action }) {
    return new Promise((resolve) => {
        const dialog = el("dialog", { "aria-labelledby": "dialog-title", onclose: () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        } },
        el("h2", { id: "dialog-title" }, title), el("p", {}, text),
        el("div", { class: "actions" },
            button("Cancel", () => dialog.close(""), { autofocus: true }),
            button(action, () => dialog.close("yes"), { class: "danger" })));
        document.body.append(dialog);
        dialog.showModal();
    });
}
