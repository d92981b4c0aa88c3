import Foundation
import TelemetryModels

/// Pending work in user defaults, as JSON text under one key. Used by the user defaults stores of pending work and of settings.
struct PendingWorkDefaults {
    static let key = "telemetry.pendingWork"
    /// The key to which invalid text is moved.
    static let corruptKey = "telemetry.pendingWork.corrupt"

    let shared: SharedUserDefaults

    nonisolated(nonsending) func load() async -> TelemetryPendingWork {
        shared.refresh()
        guard let stored = shared.defaults.object(forKey: Self.key) else { return TelemetryPendingWork() }
        if let work = Self.decode(stored) { return work }
        // Read again under the lock, because another process may have written a valid value meanwhile.
        return shared.change(await SharedUserDefaults.lock()) { read($0) }
    }

    nonisolated(nonsending) func update(
        _ transform: (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        shared.change(await SharedUserDefaults.lock()) { defaults in
            let stored = read(defaults)
            var work = stored
            transform(&work)
            if work != stored { write(work, to: defaults) }
            return work
        }
    }

    nonisolated(nonsending) func remove() async {
        shared.refresh()
        guard shared.defaults.object(forKey: Self.key) != nil else { return }
        shared.change(await SharedUserDefaults.lock()) { $0.removeObject(forKey: Self.key) }
    }

    /// Returns the stored work. Moves an invalid value to another key. Call it under the lock.
    private func read(_ defaults: UserDefaults) -> TelemetryPendingWork {
        guard let stored = defaults.object(forKey: Self.key) else { return TelemetryPendingWork() }
        if let work = Self.decode(stored) { return work }
        defaults.set(stored, forKey: Self.corruptKey)
        defaults.removeObject(forKey: Self.key)
        report(.corruptFile, "The pending work in user defaults cannot be read; it was moved to the key \(Self.corruptKey).")
        return TelemetryPendingWork()
    }

    private func write(_ work: TelemetryPendingWork, to defaults: UserDefaults) {
        guard !work.isEmpty else { return defaults.removeObject(forKey: Self.key) }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            defaults.set(String(decoding: try encoder.encode(work), as: UTF8.self), forKey: Self.key)
        } catch {
            report(.storageFailed, "The pending work cannot be written to user defaults: \(error)")
        }
    }

    private static func decode(_ stored: Any) -> TelemetryPendingWork? {
        guard let text = stored as? String else { return nil }
        return try? JSONDecoder().decode(TelemetryPendingWork.self, from: Data(text.utf8))
    }

    private func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        shared.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
