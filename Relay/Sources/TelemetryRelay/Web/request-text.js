/** A longer path is cut, so that what came of the request is shown. */
const requestLimit = 200;
const sizeUnits = ["kB", "MB", "GB", "TB"];

/** Milliseconds below a second, with two digits below ten; null for a number that is not a duration. */
function durationText(seconds) {
    if (!(seconds >= 0 && seconds < 1e9)) return null;
    if (seconds < 0.00995) return `${(seconds * 1000).toFixed(1)} ms`;
    if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
    return seconds < 9.95 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** Bytes in units of 1,000, with two digits below ten. */
function sizeText(bytes) {
    if (bytes < 1000) return `${bytes} B`;
    let number = bytes / 1000;
    let unit = 0;
    while (number >= 999.5 && unit < sizeUnits.length - 1) {
        number /= 1000;
        unit += 1;
    }
    return `${number < 9.95 ? number.toFixed(1) : Math.round(number)} ${sizeUnits[unit]}`;
}

const isText = (value) => typeof value === "string";
const isSize = (value) => Number.isInteger(value) && value >= 0;

/** What came of a request; null if an attribute is missing or of another type. */
function outcome(name, take) {
    if (name === "request.started") return [];
    if (name === "request.finished") {
        const status = take("status", Number.isInteger);
        return status === undefined ? null : [String(status)];
    }
    const [error, code] = [take("error", isText), take("code", Number.isInteger)];
    if (name !== "request.failed" || error === undefined || code === undefined) return null;
    return [error === "cancelled" ? error : `failed: ${error} ${code}`];
}

/**
 * What a row says of an event of `TelemetryURLSession`, such as `GET api.example.com/users/{id}  200  143 ms  1.2 kB`, and the
 * attributes that are not in it; null for other events, and for those with a text of their own.
 */
export function requestSummary(event) {
    if ((event.property1 ?? null) !== null) return null;
    const attributes = { ...event.attributes };
    /** Removes an attribute and returns it; undefined if it is missing or not valid. */
    const take = (key, isValid) => {
        const value = attributes[key];
        if (!isValid(value)) return undefined;
        delete attributes[key];
        return value;
    };
    const [method, host, path] = ["method", "host", "path"].map((key) => take(key, isText));
    const parts = outcome(event.eventName, take);
    if (method === undefined || host === undefined || path === undefined || !parts) return null;
    const duration = take("duration", (value) => typeof value === "number" && durationText(value) !== null);
    if (duration !== undefined) parts.push(durationText(duration));
    const bytes = take("responseBytes", isSize);
    if (bytes !== undefined) parts.push(sizeText(bytes));
    // Most requests have no body.
    take("requestBytes", (value) => value === 0);
    const request = `${method} ${host}${path}`;
    return { text: [request.length > requestLimit ? `${request.slice(0, requestLimit - 1)}…` : request, ...parts].join("  "), attributes };
}
