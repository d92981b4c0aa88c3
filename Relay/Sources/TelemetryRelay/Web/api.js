/** A failed request. `status` is 0 if the relay did not answer. */
export class RelayError extends Error {
    constructor(status, { code = "unavailable", detail = `The relay answered with status ${status}.`, offset } = {}) {
        super(detail);
        this.status = status;
        this.code = code;
        /** Where a query is wrong, in bytes of UTF-8; undefined for other errors. */
        this.offset = offset;
    }

    /** Whether the same request may succeed later. */
    get isTemporary() { return this.status === 0 || this.status === 429 || this.status >= 500; }
}

const longNumber = /[0-9]{16}/;

/** Parses JSON. Integers that a JavaScript number cannot represent become BigInt, so that no digit is lost. */
export function parse(text) {
    if (!longNumber.test(text)) return JSON.parse(text);
    return JSON.parse(text, (_, value, context) =>
        typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
            ? BigInt(context.source) : value);
}

/** Formats what `parse` returned as indented JSON. */
export function format(value) {
    return JSON.stringify(value, (_, item) =>
        typeof item === "bigint" ? JSON.rawJSON?.(String(item)) ?? Number(item) : item, 2);
}

/** The query of a path. Arrays repeat their parameter; null and empty values are left out. */
export function query(parameters) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        for (const item of Array.isArray(value) ? value : [value]) {
            if (item !== null && item !== undefined && item !== "") search.append(name, item);
        }
    }
    const text = search.toString();
    return text ? `?${text}` : "";
}

/** A name as a part of a path; "." and ".." would be steps. */
function pathPart(name) { return encodeURIComponent(name).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%2E")); }

/** The interface of the relay that served this page. The token is sent in a header only. */
export class Relay {
    #token;
    #report;

    /** @param report called with "reachable", "away" or "unauthorized" after each response. */
    constructor(token, report = () => {}) {
        this.#token = token;
        this.#report = report;
    }

    /** Sends later requests with another token. */
    renew(token) { this.#token = token; }

    get headers() { return this.#token ? { Authorization: `Bearer ${this.#token}` } : {}; }

    /** Sends a request. Throws `RelayError` for a failure, and the signal's error when it is aborted. */
    async send(path, { method = "GET", body, headers = {}, signal } = {}) {
        let response;
        try {
            response = await fetch(path, {
                method, signal, cache: "no-store", credentials: "omit", redirect: "error",
                headers: { ...this.headers, ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
                body: body === undefined ? undefined : JSON.stringify(body),
            });
        } catch (error) {
            this.#lost(error, signal);
        }
        if (response.ok) {
            this.#report("reachable");
            return response;
        }
        const problem = await response.json().catch(() => ({}));
        this.#report(response.status === 401 ? "unauthorized" : response.status >= 500 ? "away" : "reachable");
        throw new RelayError(response.status, problem);
    }

    /** Throws for a connection that failed, or broke within a response's body. */
    #lost(error, signal) {
        if (signal?.aborted) throw error;
        this.#report("away");
        throw new RelayError(0, { detail: "The relay does not answer." });
    }

    async #read(path, options) {
        const response = await this.send(path, options);
        const text = await response.text().catch((error) => this.#lost(error, options.signal));
        return parse(text);
    }

    get(path, signal) { return this.#read(path, { signal }); }

    post(path, body, signal) { return this.#read(path, { method: "POST", body, signal }); }

    async put(path, body) { await this.send(path, { method: "PUT", body }); }

    server(signal) { return this.get("/v1/server", signal); }

    events(filter, more = {}, signal) { return this.get(`/v1/events${query({ ...filter, ...more })}`, signal); }

    async count(filter, signal) { return (await this.get(`/v1/events/count${query(filter)}`, signal)).count; }

    /** How many events each scenario has, how much they take, and when they are deleted. */
    async scenarioSizes(signal) { return (await this.get("/v1/events/scenarios", signal)).scenarios; }

    /** The result of a query: `{columns, rows, matched}`, or `{events, matched, hasMore}` if its rows are events. `filter` may narrow its events. */
    ask(text, signal, limit, filter = {}) { return this.post("/v1/query", { ...filter, query: text, limit }, signal); }

    /** The alerts, and for viewers the names of the webhooks: `{alerts, webhooks}`. */
    alerts(signal) { return this.get("/v1/alerts", signal); }

    async saveAlert(name, alert) { await this.put(`/v1/alerts/${pathPart(name)}`, alert); }

    async removeAlert(name) { await this.send(`/v1/alerts/${pathPart(name)}`, { method: "DELETE" }); }

    /** Makes the relay send a message of an alert. */
    async testAlert(name) { await this.send(`/v1/alerts/${pathPart(name)}/test`, { method: "POST" }); }

    /** A page of the audit, the newest entries first: `{entries, cursor, hasMore}`. */
    audit(filter, more = {}, signal) { return this.get(`/v1/audit${query({ ...filter, ...more, order: "desc" })}`, signal); }

    /** All records that match, page by page. One that changes in between is in the last page that has it. */
    async records(recordType, conditions = {}, more = {}) {
        const found = new Map();
        let page = {};
        do {
            page = await this.post("/v1/records/query", { recordType, conditions, ...more, after: page.cursor });
            const count = found.size;
            for (const record of page.records) {
                found.delete(record.recordName);
                found.set(record.recordName, record);
            }
            if (page.hasMore && found.size === count) throw new RelayError(0, { detail: "The relay sends a page again." });
        } while (page.hasMore);
        return [...found.values()];
    }

    /** The record, or null if there is none. */
    async record(name) {
        try {
            return await this.get(`/v1/records/${pathPart(name)}`);
        } catch (error) {
            if (error.status === 404) return null;
            throw error;
        }
    }

    async #save(policy, record) { return (await this.post("/v1/records", { policy, records: [record] })).records[0]; }

    insert(record) { return this.#save("insert", record); }

    overwrite(record) { return this.#save("overwrite", record); }

    async remove(names) { return (await this.post("/v1/records/delete", { recordNames: names })).deleted; }
}
