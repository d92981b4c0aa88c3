import Foundation
import Synchronization
import TelemetryModels

/// A directory that is removed when the body returns.
func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "telemetry-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// Collects what a diagnostics handler hears.
final class Told: Sendable {
    private let diagnostics = Mutex<[TelemetryDiagnostic]>([])

    var all: [TelemetryDiagnostic] { diagnostics.withLock { $0 } }

    func append(_ diagnostic: TelemetryDiagnostic) { diagnostics.withLock { $0.append(diagnostic) } }
}

/// The same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
