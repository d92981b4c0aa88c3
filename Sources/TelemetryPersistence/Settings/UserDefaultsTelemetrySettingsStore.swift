public import Foundation
public import TelemetryModels

/// Settings in user defaults, under the keys `telemetry.requested`, `telemetry.sendingEnabled`, `telemetry.clientIdentifier`,
/// `telemetry.optOuts` and `telemetry.embeddedWork`. Pending work is kept in the same suite, in the same way as in ``UserDefaultsTelemetryPendingWorkStore``.
///
/// If none of these keys exists, the settings are read from the keys `telemetryRequested`, `telemetrySendingEnabled` and
/// `clientIdentifier` of the reference implementation. If its `forceOnActive` is true, telemetry was turned on by the app and not
/// by the user, and counts as not requested. Those keys are never written or removed; after the first change, the store's own
/// keys replace them.
///
/// On systems without a user defaults daemon, such as Linux, a process that is killed while it writes can lose them; use
/// ``FileTelemetrySettingsStore`` there.
public actor UserDefaultsTelemetrySettingsStore: TelemetrySettingsStoring {
    let shared: SharedUserDefaults

    /// - Parameters:
    ///   - userDefaults: The user defaults of the settings. They may not be `Sendable`: do not use the object elsewhere
    ///     afterwards. To share the suite, pass its name instead.
    ///   - diagnostics: Receives values that cannot be read as settings.
    public init(userDefaults: UserDefaults = .standard, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: userDefaults, diagnostics: diagnostics)
    }

    /// - Parameters:
    ///   - suiteName: The suite of user defaults; nil for the standard ones.
    ///   - diagnostics: Receives values that cannot be read as settings.
    public init(suiteName: String?, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: SharedUserDefaults.suite(suiteName), diagnostics: diagnostics)
    }

    public func load() async -> TelemetrySettings { await loadDocument().settings }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        await change { $0.settings = settings }.settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await change { transform(&$0.settings) }.settings
    }

    /// User defaults do not report whether they could be written.
    public func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        await update(transform)
        return true
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        shared.refresh()
        let names = SettingsDocument.keys.map(Self.name(of:))
        // Without its own keys, the store would read the reference implementation's keys again.
        if Self.referenceSettings(in: shared.defaults) != nil { return await change { $0 = SettingsDocument() }.settings }
        // Writes nothing if there is nothing to remove.
        if names.contains(where: { shared.defaults.object(forKey: $0) != nil }) {
            shared.change(await SharedUserDefaults.lock()) { defaults in
                for name in names { defaults.removeObject(forKey: name) }
            }
        }
        return .defaults
    }

    private func change(_ transform: (inout SettingsDocument) -> Void) async -> SettingsDocument {
        shared.change(await SharedUserDefaults.lock()) { defaults in
            var document = read(defaults)
            transform(&document)
            write(document, to: defaults)
            return document
        }
    }

    private func read(_ defaults: UserDefaults) -> SettingsDocument {
        var stored: [String: Any] = [:]
        for key in SettingsDocument.keys { stored[key] = defaults.object(forKey: Self.name(of: key)) }
        if stored.isEmpty, let settings = Self.referenceSettings(in: defaults) { return SettingsDocument(settings: settings) }
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: stored, format: .binary, options: 0)
            return try PropertyListDecoder().decode(SettingsDocument.self, from: data)
        } catch {
            report("the settings in user defaults cannot be read; using the default settings: \(error)")
            return SettingsDocument()
        }
    }

    private func write(_ document: SettingsDocument, to defaults: UserDefaults) {
        do {
            let data = try PropertyListEncoder().encode(document)
            let values = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            for key in SettingsDocument.keys {
                if let value = values?[key] {
                    defaults.set(value, forKey: Self.name(of: key))
                } else {
                    defaults.removeObject(forKey: Self.name(of: key))
                }
            }
        } catch {
            report("the settings cannot be written to user defaults: \(error)")
        }
    }

    /// The settings that the reference implementation stored; nil if it stored no decision.
    ///
    /// Each value is checked, because other code may use keys as general as these.
    private static func referenceSettings(in defaults: UserDefaults) -> TelemetrySettings? {
        typealias Key = TelemetrySettings.CodingKeys
        guard let wasRequested = defaults.object(forKey: Key.telemetryRequested.rawValue) as? Bool else { return nil }
        let isRequested = wasRequested && defaults.object(forKey: "forceOnActive") as? Bool != true
        let isSending = defaults.object(forKey: Key.telemetrySendingEnabled.rawValue) as? Bool ?? false
        let clientIdentifier = defaults.object(forKey: Key.clientIdentifier.rawValue) as? String
        return TelemetrySettings(
            telemetryRequested: isRequested, telemetrySendingEnabled: isRequested && isSending,
            clientIdentifier: clientIdentifier?.isEmpty == true ? nil : clientIdentifier)
    }

    private func report(_ message: String) {
        shared.diagnostics?(TelemetryDiagnostic(kind: .storageFailed, message: message))
    }

    /// "telemetry." and the member's name without its own "telemetry".
    private static func name(of key: String) -> String {
        guard key.hasPrefix("telemetry") else { return "telemetry.\(key)" }
        let rest = key.dropFirst("telemetry".count)
        return "telemetry.\(rest.prefix(1).lowercased())\(rest.dropFirst())"
    }
}

extension UserDefaultsTelemetrySettingsStore: SettingsDocumentStoring {
    package nonisolated var keepsDocument: Bool { true }

    package func loadDocument() async -> SettingsDocument {
        shared.refresh()
        return read(shared.defaults)
    }

    package func currentDocument() async -> SettingsDocument { await loadDocument() }

    package func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async { _ = await change(transform) }

    package func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
        _ = await change(transform)
        return true
    }
}
