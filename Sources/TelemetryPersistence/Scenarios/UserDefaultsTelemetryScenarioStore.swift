public import Foundation
public import TelemetryModels

/// Scenario states in user defaults, each under `telemetry.scenario.<scenarioName>.isEnabled`.
///
/// Where there is no daemon behind user defaults, as on Linux, a process that is killed while they are written can lose them;
/// ``FileTelemetryScenarioStore`` is the better choice there.
public actor UserDefaultsTelemetryScenarioStore: TelemetryScenarioStoring {
    private static let prefix = "telemetry.scenario."
    private static let suffix = ".isEnabled"

    private let shared: SharedUserDefaults

    /// - Parameters:
    ///   - userDefaults: Where the states are. Outside Apple's systems it cannot be used elsewhere afterwards, because it is
    ///     not `Sendable` there; name the suite instead to share it.
    ///   - diagnostics: Receives failures.
    public init(userDefaults: UserDefaults = .standard, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: userDefaults, diagnostics: diagnostics)
    }

    /// - Parameters:
    ///   - suiteName: The suite of user defaults; nil for the standard ones.
    ///   - diagnostics: Receives failures.
    public init(suiteName: String?, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: SharedUserDefaults.suite(suiteName), diagnostics: diagnostics)
    }

    public func loadState(for scenarioName: String) async -> Bool? {
        shared.refresh()
        return shared.defaults.object(forKey: Self.key(for: scenarioName, in: shared.defaults)) as? Bool
    }

    public func loadAllStates() async -> [String: Bool] {
        shared.refresh()
        return Self.states(in: shared.defaults)
    }

    public func saveState(for scenarioName: String, isEnabled: Bool) async {
        shared.change(await SharedUserDefaults.lock()) { $0.set(isEnabled, forKey: Self.key(for: scenarioName, in: $0)) }
    }

    public func removeState(for scenarioName: String) async {
        guard await loadState(for: scenarioName) != nil else { return }
        shared.change(await SharedUserDefaults.lock()) { $0.removeObject(forKey: Self.key(for: scenarioName, in: $0)) }
    }

    public func removeAllStates() async {
        guard await !loadAllStates().isEmpty else { return }
        shared.change(await SharedUserDefaults.lock()) { defaults in
            for name in Self.states(in: defaults).keys { defaults.removeObject(forKey: Self.key(for: name, in: defaults)) }
        }
    }

    /// The key that is in use or, for a new scenario, the one that follows from its name. Spellings that Swift's `==` calls
    /// equal are one scenario, but may be two keys.
    private static func key(for scenarioName: String, in defaults: UserDefaults) -> String {
        let key = prefix + scenarioName + suffix
        if scenarioName.utf8.allSatisfy({ $0 < 0x80 }) || defaults.object(forKey: key) != nil { return key }
        let isInUse = { (key: String) in Self.scenarioName(of: key) == scenarioName }
        return defaults.dictionaryRepresentation().keys.first(where: isInUse) ?? key
    }

    private static func states(in defaults: UserDefaults) -> [String: Bool] {
        var states: [String: Bool] = [:]
        for key in defaults.dictionaryRepresentation().keys {
            guard let name = scenarioName(of: key), let isEnabled = defaults.object(forKey: key) as? Bool else { continue }
            states[name] = isEnabled
        }
        return states
    }

    /// Compares bytes, not characters: a name that begins with a combining mark is one character with the dot before it.
    private static func scenarioName(of key: String) -> String? {
        let bytes = Array(key.utf8)
        let (before, after) = (Array(prefix.utf8), Array(suffix.utf8))
        guard bytes.count >= before.count + after.count, bytes.starts(with: before), bytes.suffix(after.count) == after[...]
        else { return nil }
        return String(decoding: bytes[before.count..<(bytes.count - after.count)], as: UTF8.self)
    }
}
