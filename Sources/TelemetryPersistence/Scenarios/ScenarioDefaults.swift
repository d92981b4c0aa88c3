import Foundation
import TelemetryModels

/// The keys of scenarios in user defaults: `telemetry.scenario.<scenarioName>` with the suffix of an ``Entry``.
struct ScenarioDefaults {
    /// The stored properties of a scenario, as suffixes of its key.
    enum Entry: String, CaseIterable {
        /// Whether the scenario is on, a Bool.
        case isEnabled = ".isEnabled"
        /// The whole state as JSON text, if it has more than `isEnabled`. Ignored if it differs from `isEnabled`, which a
        /// user or another program may have changed since.
        case state = ".state"
        /// Whether the user forbids the scenario, a Bool.
        case isDenied = ".isDenied"
        /// The level of a scenario in later versions of the reference implementation, an Int. Read if `isEnabled` is missing, and
        /// removed when the state is saved or removed.
        case referenceLevel = ".diagnosticLevel"
    }

    private static let prefix = "telemetry.scenario."
    private static let pauseKey = "telemetry.pause"

    let defaults: UserDefaults

    func isEnabled(_ scenarioName: String) -> Bool? {
        value(.isEnabled, of: scenarioName) ?? value(.referenceLevel, of: scenarioName).map { Self.state(ofLevel: $0).isEnabled }
    }

    /// Whether each scenario with a stored value is on.
    var states: [String: Bool] { scenarios.mapValues(\.isEnabled) }

    var scenarios: [String: TelemetryScenarioState] {
        var scenarios = values(.referenceLevel).mapValues(Self.state(ofLevel:))
        for (name, isEnabled) in values(.isEnabled) as [String: Bool] {
            scenarios[name] = state(of: name, isEnabled: isEnabled) ?? TelemetryScenarioState(isEnabled: isEnabled)
        }
        return scenarios
    }

    var deniedScenarios: Set<String> { Set(values(.isDenied).filter { $0.value }.keys) }

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
        defaults.removeObject(forKey: self.key(.referenceLevel, of: scenarioName))
    }

    func remove(_ scenarioName: String) {
        // The level first: without `isEnabled` it would be read again.
        for entry in [Entry.referenceLevel, .isEnabled, .state] { defaults.removeObject(forKey: key(entry, of: scenarioName)) }
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

    /// The state for a level of the reference implementation: -1 is off, 0 records every event, and 1 to 3 record events from
    /// info, warning and error on.
    private static func state(ofLevel level: Int) -> TelemetryScenarioState {
        TelemetryScenarioState(isEnabled: level >= 0, level: level > 0 ? .info : .diagnostic)
    }

    private func value<Value>(_ entry: Entry, of scenarioName: String) -> Value? {
        defaults.object(forKey: key(entry, of: scenarioName)) as? Value
    }

    private func values<Value>(_ entry: Entry) -> [String: Value] {
        var values: [String: Value] = [:]
        for key in defaults.dictionaryRepresentation().keys {
            guard let name = Self.scenarioName(of: key, entry), let value = defaults.object(forKey: key) as? Value else {
                continue
            }
            values[name] = value
        }
        return values
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
