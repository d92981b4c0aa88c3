import { follow } from "./stream.js";

/** Shared by all viewers, like those that `telemetry` saves, so they are never deleted. */
const subscriptions = {
    TelemetryClient: "TelemetryClient-All", TelemetryScenario: "TelemetryScenario-All",
    TelemetryCommand: "TelemetryViewer-Commands", TelemetryRule: "TelemetryRule-All",
    TelemetrySavedQuery: "TelemetrySavedQuery-All",
};
const pollInterval = 5_000;
const quietTime = 200;

/**
 * Reports to topics which records changed. A viewer is notified; a reader may not subscribe, so its topics are polled.
 */
export class Sync {
    #topics = new Set();
    #relay;
    #signal;

    constructor(relay, { canSubscribe, signal }) {
        this.#relay = relay;
        this.#signal = signal;
        if (canSubscribe) this.#follow();
        else this.#poll();
    }

    /**
     * Calls `load` now and after changes of records of this type: with null if any may have changed, otherwise with the names.
     * Calls of one topic do not overlap. `failed` is called with an error that another attempt would not change. Returns a
     * function that ends the topic.
     */
    on(recordType, load, failed = () => {}) {
        const topic = new Topic(recordType, load, failed);
        this.#topics.add(topic);
        topic.change(null);
        return () => {
            this.#topics.delete(topic);
            topic.end();
        };
    }

    /** Loads everything again. */
    refresh() { for (const topic of this.#topics) topic.change(null); }

    async #follow() {
        const onEvent = ({ name, data }) => {
            if (name === "ready") return this.refresh();
            if (name !== "record") return;
            const { recordType, recordName } = JSON.parse(data);
            for (const topic of this.#topics) if (topic.recordType === recordType) topic.change(recordName);
        };
        while (!this.#signal.aborted) {
            try {
                for (const [recordType, id] of Object.entries(subscriptions)) {
                    await this.#relay.put(`/v1/subscriptions/${id}`, { recordType });
                }
                return await follow(this.#relay, "/v1/notifications", { signal: this.#signal, onEvent });
            } catch (error) {
                if (this.#signal.aborted) return;
                if (!error.isTemporary) return this.#poll();
                await new Promise((resolve) => setTimeout(resolve, pollInterval));
            }
        }
    }

    #poll() {
        const timer = setInterval(() => this.refresh(), pollInterval);
        this.#signal.addEventListener("abort", () => clearInterval(timer), { once: true });
    }
}

/** One reader of records: collects changes for a moment, then loads them together. */
class Topic {
    #names = new Set();
    #isWhole = false;
    #isLoading = false;
    #hasEnded = false;
    #timer = null;
    #duration = 0;

    constructor(recordType, load, failed) { Object.assign(this, { recordType, load, failed }); }

    change(name) {
        if (name === null) this.#isWhole = true;
        else this.#names.add(name);
        this.#schedule(name === null && this.#duration === 0 ? 0 : quietTime);
    }

    end() {
        this.#hasEnded = true;
        clearTimeout(this.#timer);
    }

    #schedule(delay) {
        if (this.#timer !== null || this.#isLoading || this.#hasEnded) return;
        // A load that takes long, as of ten thousand records, is repeated less often.
        this.#timer = setTimeout(() => this.#run(), Math.max(delay, this.#duration * 3));
    }

    async #run() {
        this.#timer = null;
        const names = this.#isWhole ? null : [...this.#names];
        this.#isWhole = false;
        this.#names.clear();
        this.#isLoading = true;
        const start = performance.now();
        let delay = quietTime;
        try {
            await this.load(names);
        } catch (error) {
            if (!error.isTemporary) this.failed(error);
            else {
                this.#isWhole = true;
                delay = 2_000;
            }
        }
        this.#duration = performance.now() - start;
        this.#isLoading = false;
        if (this.#isWhole || this.#names.size > 0) this.#schedule(delay);
    }
}
