import Foundation
import TelemetryModels

/// The keys of scenarios in user defaults: `telemetry.scenario.<scenarioName>` with the suffix of an ``Entry``.
struct ScenarioDefaults {
    /// The stored properties of a scenario, as suffixes of its key.
    enum Entry: String, CaseIterable {
        /// Whether the scenario is on, a Bool.
        case isEnabled = ".isEnabled"
        /// The whole state as JSON text, if it has more than `isEnabled`. Ignored if it differs from `isEnabled`, which an
        /// earlier version may have changed since.
        case state = ".state"
        /// Whether the person forbids the scenario, a Bool.
        case isDenied = ".isDenied"
    }

    private static let prefix = "telemetry.scenario."
    private static let pauseKey = "telemetry.pause"

    let defaults: UserDefaults

    func isEnabled(_ scenarioName: String) -> Bool? {
        defaults.object(forKey: key(.isEnabled, of: scenarioName)) as? Bool
    }

    /// Whether each scenario with a stored value is on.
    var states: [String: Bool] { flags(.isEnabled) }

    var scenarios: [String: TelemetryScenarioState] {
        var scenarios: [String: TelemetryScenarioState] = [:]
        for (name, isEnabled) in states {
            scenarios[name] = state(of: name, isEnabled: isEnabled) ?? TelemetryScenarioState(isEnabled: isEnabled)
        }
        return scenarios
    }

    var deniedScenarios: Set<String> { Set(flags(.isDenied).filter(\.value).keys) }

    var pause: TelemetryPause {
        get { TelemetryPause(rawValue: defaults.integer(forKey: Self.pauseKey)).intersection([.byHost, .byViewer]) }
        nonmutating set {
            if newValue.isEmpty {
                defaults.removeObject(forKey: Self.pauseKey)
            } else {
                defaults.set(newValue.rawValue, forKey: Self.pauseKey)
            }
        }
    }

    func save(_ state: TelemetryScenarioState, for scenarioName: String) {
        let isPlain = state == TelemetryScenarioState(isEnabled: state.isEnabled)
        let text = isPlain ? nil : (try? JSONEncoder().encode(state)).map { String(decoding: $0, as: UTF8.self) }
        let key = key(.state, of: scenarioName)
        if let text { defaults.set(text, forKey: key) } else { defaults.removeObject(forKey: key) }
        defaults.set(state.isEnabled, forKey: self.key(.isEnabled, of: scenarioName))
    }

    func remove(_ scenarioName: String) {
        for entry in [Entry.isEnabled, .state] { defaults.removeObject(forKey: key(entry, of: scenarioName)) }
    }

    func saveDenied(_ isDenied: Bool, for scenarioName: String) {
        let key = key(.isDenied, of: scenarioName)
        if isDenied { defaults.set(true, forKey: key) } else { defaults.removeObject(forKey: key) }
    }

    private func state(of scenarioName: String, isEnabled: Bool) -> TelemetryScenarioState? {
        guard let text = defaults.string(forKey: key(.state, of: scenarioName)),
            let state = try? JSONDecoder().decode(TelemetryScenarioState.self, from: Data(text.utf8)),
            state.isEnabled == isEnabled
        else { return nil }
        return state
    }

    private func flags(_ entry: Entry) -> [String: Bool] {
        var flags: [String: Bool] = [:]
        for key in defaults.dictionaryRepresentation().keys {
            guard let name = Self.scenarioName(of: key, entry), let flag = defaults.object(forKey: key) as? Bool else { continue }
            flags[name] = flag
        }
        return flags
    }

    /// The existing key or, for a new scenario, the one derived from its name. Names that are equal by Swift's `==` are one
    /// scenario but may have different keys.
    private func key(_ entry: Entry, of scenarioName: String) -> String {
        let key = Self.prefix + scenarioName + entry.rawValue
        if scenarioName.utf8.allSatisfy({ $0 < 0x80 }) || defaults.object(forKey: key) != nil { return key }
        let isInUse = { (key: String) in Self.scenarioName(of: key, entry) == scenarioName }
        return defaults.dictionaryRepresentation().keys.first(where: isInUse) ?? key
    }

    /// Compares bytes, not characters: a name that begins with a combining mark is one character with the dot before it.
    private static func scenarioName(of key: String, _ entry: Entry) -> String? {
        let bytes = Array(key.utf8)
        let (before, after) = (Array(prefix.utf8), Array(entry.rawValue.utf8))
        guard bytes.count >= before.count + after.count, bytes.starts(with: before), bytes.suffix(after.count) == after[...]
        else { return nil }
        return String(decoding: bytes[before.count..<(bytes.count - after.count)], as: UTF8.self)
    }
}
