import { completionList } from "./completion-list.js";
import { el, visible } from "./dom.js";
import { around } from "./query-text.js";

/** Shows why the query in a field is wrong, and the place if the error has one. `id` is that of the message. */
export function queryProblem(input, id) {
    const message = el("p", { class: "problem", role: "alert", id });
    const place = el("pre", { tabindex: "0", "aria-label": "Place of the error" });
    const element = el("div", { class: "query-problem", hidden: true }, place, message);
    input.setAttribute("aria-describedby", id);

    /** Removes what `fail` showed. */
    function accept() {
        element.hidden = true;
        message.textContent = "";
        input.removeAttribute("aria-invalid");
    }

    /** Shows an error; `more` follows its message if it is temporary. */
    function fail(text, error, more = "") {
        const shown = visible(error.isTemporary ? `${error.message}${more}` : error.message);
        element.hidden = false;
        // Screen readers read a message each time that it is set.
        if (message.textContent !== shown) message.textContent = shown;
        place.hidden = error.offset === undefined;
        if (error.isTemporary) input.removeAttribute("aria-invalid");
        else input.setAttribute("aria-invalid", "true");
        if (place.hidden) return;
        const { before, at, after } = around(text, error.offset);
        place.replaceChildren(visible(before), el("mark", {}, visible(at) || "▲"), visible(after));
    }

    return { element, accept, fail };
}

/**
 * The box for a query. `run(text)` is called for Enter, `leave()` for Escape, and `complete` as by `completionList`; `more` are the
 * elements beside it.
 */
export function queryBox({ run, leave, complete, more = [] }) {
    const input = el("input", {
        type: "text", class: "query", "aria-label": "Query", autocomplete: "off", autocapitalize: "off",
        spellcheck: "false",
        placeholder: "severity:>=warning \"card declined\" -name:retry | stats count() by scenario",
    });
    const problem = queryProblem(input, "query-problem");
    const form = el("form", { onsubmit: (event) => {
        event.preventDefault();
        run(input.value.trim());
    } }, el("div", { class: "query-field" }, input, completionList(input, complete)), el("button", { type: "submit", class: "primary" }, "Run"));
    const element = el("div", { role: "search" }, el("div", { class: "toolbar query-line" }, form, more), problem.element);

    // The list of completions handles the key first.
    input.addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.defaultPrevented) leave(); });

    return { element, input, accept: problem.accept, fail: (text, error) => problem.fail(text, error, " The query is asked again.") };
}
