import { RelayError } from "./api.js";

/** The relay sends a comment at least every 15 seconds. */
const silenceLimit = 40_000;
const firstDelay = 500;
const longestDelay = 10_000;

/** Splits the text of a stream (server-sent events) into events. */
export class EventParser {
    #rest = "";
    #event = { name: "message", data: [], id: null };

    /** @param act called with an object `{name, data, id}` for each complete event. */
    constructor(act) { this.act = act; }

    add(text) {
        const lines = (this.#rest + text).split("\n");
        this.#rest = lines.pop();
        for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
    }

    #line(line) {
        if (line === "") {
            const { name, data, id } = this.#event;
            this.#event = { name: "message", data: [], id: null };
            if (data.length > 0) this.act({ name, data: data.join("\n"), id });
            return;
        }
        const colon = line.indexOf(":");
        if (colon === 0) return;
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (field === "event") this.#event.name = value;
        else if (field === "data") this.#event.data.push(value);
        else if (field === "id") this.#event.id = value;
    }
}

/** Waits, at most until the signal is aborted. */
export function pause(milliseconds, signal) {
    return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", end);
            resolve();
        };
        const timer = setTimeout(end, milliseconds);
        return signal.addEventListener("abort", end);
    });
}

const retryInterval = 2_000;

/** The result of a read, which is repeated while its errors are temporary. `failed(error)` is called for each of them. */
export async function persist(read, signal, failed = () => {}) {
    for (;;) {
        try {
            return await read();
        } catch (error) {
            if (signal.aborted || !error.isTemporary) throw error;
            failed(error);
        }
        await pause(retryInterval, signal);
        signal.throwIfAborted();
    }
}

/**
 * Follows a stream until the signal is aborted. A stream that ends or breaks is opened again where it ended. `EventSource`
 * cannot be used, because it cannot send a token in a header.
 * Throws `RelayError` for a response that another attempt would not change.
 */
export async function follow(relay, path, { signal, onEvent }) {
    let lastID = null;
    let delay = firstDelay;
    while (!signal.aborted) {
        try {
            await read(relay, path, lastID, signal, (event) => {
                delay = firstDelay;
                if (event.id !== null) lastID = event.id;
                onEvent(event);
            });
        } catch (error) {
            if (signal.aborted) return;
            if (error instanceof RelayError && !error.isTemporary) throw error;
        }
        await pause(delay * (0.75 + Math.random() / 2), signal);
        delay = Math.min(delay * 2, longestDelay);
    }
}

async function read(relay, path, lastID, signal, onEvent) {
    // Aborts a connection that was lost without notice.
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end, { once: true });
    let timer = setTimeout(end, silenceLimit);
    try {
        const headers = { Accept: "text/event-stream", ...(lastID === null ? {} : { "Last-Event-ID": lastID }) };
        const response = await relay.send(path, { headers, signal: connection.signal });
        const parser = new EventParser(onEvent);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const { value, done } = await reader.read();
            if (done || signal.aborted) return;
            clearTimeout(timer);
            timer = setTimeout(end, silenceLimit);
            parser.add(value);
        }
    } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        connection.abort();
    }
}
