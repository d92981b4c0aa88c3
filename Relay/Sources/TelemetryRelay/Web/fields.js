import { textField } from "./dom.js";
import { seconds } from "./trigger.js";

/** A field for a whole number from 1 on. */
export function numberField(label, maximum) {
    return textField(label, { type: "number", min: "1", max: maximum, step: "1", value: "1", required: true });
}

/** A field for a duration, as text. `allText` is another text that it takes, for null. */
export function durationField(label, value, allText = null) {
    const hint = `A duration such as 90s, 5m, 2h or 1d${allText === null ? "" : `, or ${allText}`}.`;
    const field = textField(label, { class: "duration", required: true, value, title: hint });
    const isAll = () => allText !== null && field.input.value.trim() === allText;
    // The browser shows it, and goes to the field.
    const check = () => field.input.setCustomValidity(isAll() || seconds(field.input.value) > 0 ? "" : hint);
    field.input.addEventListener("input", check);
    return { ...field, get seconds() { return isAll() ? null : seconds(field.input.value); } };
}
