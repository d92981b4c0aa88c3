import { isoNow, now } from "./time.js";
import { readTrigger } from "./trigger.js";

/** After this time, in milliseconds, without a write by the client, it is shown as not seen. A host writes every 15 minutes by default. */
const onlineWindow = 2_400_000;

const flag = (value) => value === true || value === 1;
const text = (value) => (typeof value === "string" ? value : null);
const number = (value) => (typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : null);

function date(value) {
    const milliseconds = Date.parse(value?.date ?? "");
    return Number.isNaN(milliseconds) ? null : milliseconds;
}

export function client({ recordName, fields = {} }) {
    return {
        recordName, id: text(fields.clientid) ?? "", created: date(fields.created), isEnabled: flag(fields.isEnabled),
        isPaused: flag(fields.isPaused), lastSeen: date(fields.lastSeen), appVersion: text(fields.appVersion),
        osVersion: text(fields.osVersion), deviceModel: text(fields.deviceModel), libraryVersion: text(fields.libraryVersion),
    };
}

export const clientStates = {
    waiting: "Waiting for approval", approved: "Approved", paused: "Paused", unseen: "Not seen lately",
};

export function clientState(client) {
    if (!client.isEnabled) return "waiting";
    if (client.isPaused) return "paused";
    return now() - Math.max(client.lastSeen ?? 0, client.created ?? 0) > onlineWindow ? "unseen" : "approved";
}

export function scenario({ recordName, fields = {} }) {
    return {
        recordName, clientId: text(fields.clientid) ?? "", name: text(fields.scenarioName) ?? "", isEnabled: flag(fields.isEnabled),
        level: text(fields.logLevel) ?? "diagnostic", expires: date(fields.expires), source: text(fields.source) ?? "registration",
        context: conditions(fields.contextConditions),
    };
}

/** Who decided on a scenario, in words. */
export function sourceText(source) {
    if (source === "host") return "The app";
    if (source === "viewer") return "A viewer";
    if (source.startsWith("rule:")) return `Rule ${source.slice(5, 13)}`;
    return "Nobody yet";
}

export function command({ recordName, fields = {} }) {
    return {
        recordName, id: text(fields.commandId), clientId: text(fields.clientid) ?? "", action: text(fields.action) ?? "",
        status: text(fields.status) ?? "", created: date(fields.created), executedAt: date(fields.executedAt),
        errorMessage: text(fields.errorMessage), result: text(fields.result), scenario: text(fields.scenarioName),
        level: text(fields.logLevel), lease: number(fields.lease), lookback: number(fields.lookback), issuer: text(fields.issuer),
        context: conditions(fields.contextConditions),
    };
}

const comparisons = new Set(["equals", "oneOf", "notOneOf", "hasPrefix", "atLeast", "below"]);

function conditions(json) {
    try {
        const list = JSON.parse(json ?? "[]");
        const isValid = Array.isArray(list) && list.every((item) => typeof item?.attribute === "string" && item.attribute !== ""
            && comparisons.has(item.comparison) && Array.isArray(item.values) && item.values.every((value) => typeof value === "string"));
        return isValid ? list : null;
    } catch { return null; }
}

/** A rule. `unreadable` has the parts that cannot be read, in words; with any, the rule applies to no client. */
export function rule({ recordName, fields = {} }) {
    const parts = {
        conditions: conditions(fields.conditions), contextConditions: conditions(fields.contextConditions),
        trigger: fields.trigger === undefined ? null : readTrigger(fields.trigger),
    };
    const unreadable = [
        parts.conditions === null && "its conditions", parts.contextConditions === null && "its context conditions",
        parts.trigger === null && fields.trigger !== undefined && "its trigger",
    ].filter(Boolean);
    return {
        ...parts, recordName, unreadable, id: text(fields.ruleId) ?? "", scenario: text(fields.scenarioName) ?? "",
        level: text(fields.logLevel) ?? "diagnostic", percentage: number(fields.percentage) ?? 100, created: date(fields.created),
        expires: date(fields.expires), isEnabled: flag(fields.isEnabled), issuer: text(fields.issuer),
    };
}

/** Whether a rule acts on no client, because what the flight recorder kept has no context. */
export function isWithoutEffect({ trigger, contextConditions }) { return trigger?.action.capture !== undefined && contextConditions.length > 0; }

/** A random identifier of 32 lower-case hexadecimal digits, which a record's name contains unchanged. */
export function identifier() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The record of a new command; fields that are null are left out. */
export function commandRecord(clientId, action, { scenario = null, level = null, lease = null, lookback = null, context = [] } = {}) {
    const id = identifier();
    const fields = {
        commandId: id, clientid: clientId, action, created: { date: isoNow() }, status: "pending", scenarioName: scenario,
        logLevel: level, lease, lookback, contextConditions: context.length === 0 ? null : JSON.stringify(context),
    };
    return { recordType: "TelemetryCommand", recordName: `command-${id}`, fields: present(fields) };
}

/** The record of a new rule. `lease` is in seconds; null means until removed. */
export function ruleRecord({ id, scenario, level, conditions, contextConditions, percentage, lease, trigger }) {
    const expires = lease === null ? null : { date: new Date(now() + lease * 1000).toISOString() };
    const fields = {
        ruleId: id, scenarioName: scenario, logLevel: level, conditions: JSON.stringify(conditions), percentage,
        contextConditions: contextConditions.length === 0 ? null : JSON.stringify(contextConditions),
        created: { date: isoNow() }, expires, isEnabled: true, trigger: trigger === null ? null : JSON.stringify(trigger),
    };
    return { recordType: "TelemetryRule", recordName: `rule-${id}`, fields: present(fields) };
}

/** A query that was saved for all viewers. */
export function savedQuery({ recordName, fields = {} }) { return { recordName, name: text(fields.name) ?? "", query: text(fields.query) ?? "" }; }

/** The record of a saved query. Its name is that of the record, so that there is one query of a name. */
export function savedQueryRecord(name, query) {
    return { recordType: "TelemetrySavedQuery", recordName: `saved-query-${name}`, fields: { name, query } };
}

function present(fields) {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
