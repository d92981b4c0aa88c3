import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport

/// What empties the recorder.
enum RecorderEnd: CaseIterable {
    case turnedOff, anotherClient, newSession, forbidden

    func perform(on logger: TelemetryLogger) async {
        switch self {
        case .turnedOff:
            await logger.setEnabled(false)
            await logger.setEnabled(true)
        case .anotherClient:
            await logger.setClientIdentifier("another")
        case .newSession: _ = await logger.renewSession()
        case .forbidden: await logger.setRecordedScenarios(["Other"], level: .diagnostic)
        }
    }
}

/// A wall clock that a test sets.
final class RecorderWall: Sendable {
    private let value = Mutex(0.0)

    /// Since the fixtures' date.
    var seconds: Double {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }

    var date: Date { TelemetryFixtures.date.addingTimeInterval(seconds) }
}

extension Bench {
    /// An active logger with a client that records the scenario "Net".
    static func recording(
        in directory: TemporaryDirectory? = nil, wall: RecorderWall = RecorderWall(),
        transport: MockTelemetryTransport = MockTelemetryTransport(), clientId: String = TelemetryFixtures.clientId,
        scenarios: Set<String> = ["Net"], process: (@Sendable (inout TelemetryEvent) -> Bool)? = nil,
        bounds: TelemetryLogger.RecorderBounds = .init()
    ) async -> Bench {
        let bench = Bench(
            .init(spoolDirectory: directory?.url, process: process, recorder: bounds), transport: transport, now: { wall.date })
        await bench.logger.setRecordedScenarios(scenarios, level: .diagnostic)
        await bench.logger.setClientIdentifier(clientId)
        await bench.logger.activate(enabled: true)
        return bench
    }
}

extension TemporaryDirectory {
    /// Whether a file in it or its subdirectories contains the text.
    func contains(_ text: String) throws -> Bool { try Self.contains(text, in: url) }

    /// Whether a file in a directory or its subdirectories contains the text.
    static func contains(_ text: String, in url: URL) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).contains { name in
            // A directory has no content.
            let content = try? Data(contentsOf: url.appending(path: name))
            return content?.range(of: Data(text.utf8)) != nil
        }
    }

    /// The names of the recorder's files.
    var recorderNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.appending(path: "recorder").path)) ?? []).sorted()
    }
}
