import Foundation
import TelemetryModels

/// The directory of a logger's rings.
struct RecorderFiles: Sendable {
    /// Nil for a logger without a spool directory.
    let directory: URL?
    private let ringBytes: Int
    /// The open directory; nil while nothing is recorded, and if it cannot be used.
    private(set) var spool: Spool?
    /// The files of dead owners whose events are in memory, because there was no room for a file. By scenario.
    private var copied: [String: [AdoptedRings.Ring]] = [:]
    private var ordinal: UInt64 = 0
    private var hasFailed = false

    init(configuration: TelemetryLogger.Configuration) {
        // A directory of its own, because its files have another age and another format than waiting events.
        directory = configuration.spoolDirectory?.appending(path: "recorder")
        ringBytes = RingHeader.bytes + configuration.recorder.maximumBytes
    }

    /// Opens the directory, if there is one.
    /// - Returns: what must be reported.
    mutating func open() -> [TelemetryDiagnostic] {
        guard let directory, spool == nil else { return [] }
        do {
            let spool = try Spool(directory: directory)
            self.spool = spool
            guard let exposure = spool.exposure else { return [] }
            return [.storage("Other users can remove recorded events in \(directory.path): \(exposure).")]
        } catch {
            return failure("The recorder's directory \(directory.path) cannot be used; events are kept in memory: \(error)")
        }
    }

    /// Allocates memory for a ring: a file's, or the process's if there is no directory or no file can be created.
    mutating func allocate() -> (memory: SegmentMemory, diagnostics: [TelemetryDiagnostic]) {
        var diagnostics: [TelemetryDiagnostic] = []
        if let spool {
            ordinal += 1
            do {
                let memory = try spool.allocate(bytes: ringBytes, ordinal: ordinal, suffix: Spool.ringSuffix)
                hasFailed = false
                return (memory, [])
            } catch {
                diagnostics = failure("The recorder keeps events in memory for now: \(error)")
            }
        }
        let memory = SegmentMemory(count: ringBytes)
        memory.clear()
        return (memory, diagnostics)
    }

    /// Removes the files whose events are in a scenario's ring; without a file of its own, the ring needs them after a crash.
    mutating func settle(_ rings: [AdoptedRings.Ring], of scenario: String, isMapped: Bool) {
        copied[scenario, default: []] += rings
        if isMapped { removeCopied { $0 == scenario } }
    }

    /// Removes the files whose events are in the rings of all other scenarios.
    mutating func removeCopied(except scenarios: Set<String>) { removeCopied { !scenarios.contains($0) } }

    private mutating func removeCopied(_ isRemoved: (String) -> Bool) {
        for scenario in copied.keys.filter(isRemoved) {
            for ring in copied.removeValue(forKey: scenario) ?? [] { ring.remove() }
        }
    }

    /// Only the first of consecutive failures is reported.
    private mutating func failure(_ message: String) -> [TelemetryDiagnostic] {
        defer { hasFailed = true }
        return hasFailed ? [] : [.storage(message)]
    }

    /// Leaves the files of rings to the next owner, for example after a restart.
    mutating func leave(_ rings: [EventRing]) {
        spool?.close()
        spool = nil
        copied = [:]
        for ring in rings { ring.memory.file?.abandon() }
    }

    /// Removes the files of rings, and those that dead owners left.
    mutating func empty(_ rings: [EventRing]) {
        for ring in rings { ring.memory.file?.remove() }
        copied = [:]
        spool?.close()
        spool = nil
        if let directory { Spool.purge(directory) }
    }
}

extension TelemetryDiagnostic {
    fileprivate static func storage(_ message: String) -> Self { Self(kind: .storageFailed, message: message) }
}
