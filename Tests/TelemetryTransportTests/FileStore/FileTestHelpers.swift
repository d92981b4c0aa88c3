import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport

/// Collects the diagnostics that a handler receives.
final class Told: Sendable {
    private let diagnostics = Mutex<[TelemetryDiagnostic]>([])

    var all: [TelemetryDiagnostic] { diagnostics.withLock { $0 } }

    func append(_ diagnostic: TelemetryDiagnostic) { diagnostics.withLock { $0.append(diagnostic) } }
}

/// An event of a client's session, with the identifier that a logger gives it.
func event(
    _ sequence: UInt64, client: String? = "client", session: String = "session", name: String = "name", property1: String? = nil
) -> TelemetryEvent {
    TelemetryEvent(
        eventId: "\(session)-\(sequence)", clientId: client, sessionId: session, sequence: sequence, name: name,
        timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(sequence)), threadId: "1", property1: property1)
}

func events(
    _ sequences: ClosedRange<UInt64>, client: String? = "client", session: String = "session", property1: String? = nil
) -> [TelemetryEvent] {
    sequences.map { event($0, client: client, session: session, property1: property1) }
}

/// The contents of every file below a directory, by its relative path.
func files(below directory: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
        let url = directory.appending(path: path)
        if (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == false { found[path] = try Data(contentsOf: url) }
    }
    return found
}

func mode(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
}

/// The code of the transport error that the body throws; nil if it throws none or another error.
func code(of body: () async throws -> Void) async -> TelemetryTransportError.Code? {
    do { try await body() } catch { return (error as? TelemetryTransportError)?.code }
    return nil
}
