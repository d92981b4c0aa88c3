/** The page's state. Views watch the keys that they show; several changes in one turn are one notification. */
export class Store {
    #state;
    #watchers = new Set();
    #changed = new Set();

    constructor(state) { this.#state = { ...state }; }

    get(key) { return this.#state[key]; }

    set(changes) {
        for (const [key, value] of Object.entries(changes)) {
            if (this.#state[key] === value) continue;
            this.#state[key] = value;
            if (this.#changed.size === 0) queueMicrotask(() => this.#notify());
            this.#changed.add(key);
        }
    }

    /** Calls `act` now and after each change of one of the keys. Returns a function that ends this. */
    watch(keys, act) {
        const watcher = { keys, act };
        this.#watchers.add(watcher);
        act();
        return () => this.#watchers.delete(watcher);
    }

    #notify() {
        const changed = this.#changed;
        this.#changed = new Set();
        for (const { keys, act } of [...this.#watchers]) {
            if (keys.some((key) => changed.has(key))) act();
        }
    }
}
