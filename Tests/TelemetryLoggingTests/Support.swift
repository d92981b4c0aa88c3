import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A logger whose transport, clock and diagnostics the test controls.
struct Bench {
    let transport: MockTelemetryTransport
    let clock = ManualClock()
    let diagnostics = DiagnosticsLog()
    let logger: TelemetryLogger

    init(
        _ configuration: TelemetryLogger.Configuration = .default, transport: MockTelemetryTransport = MockTelemetryTransport(),
        now: (@Sendable () -> Date)? = { TelemetryFixtures.date }, jitter: @escaping @Sendable () -> Double = { 0.5 }
    ) {
        self.transport = transport
        var configuration = configuration
        configuration.diagnostics = diagnostics.handler
        logger = TelemetryLogger(
            configuration: configuration, transport: transport, clock: clock, now: now, jitter: jitter)
    }

    /// A bench whose logger is on and has a client.
    static func active(
        _ configuration: TelemetryLogger.Configuration = .default, transport: MockTelemetryTransport = MockTelemetryTransport()
    ) async -> Bench {
        let bench = Bench(configuration, transport: transport)
        await bench.logger.setClientIdentifier(TelemetryFixtures.clientId)
        await bench.logger.activate(enabled: true)
        return bench
    }

    /// A bench whose logger is on and has a client, and whose transport is offline.
    static func offline(_ configuration: TelemetryLogger.Configuration = .default) async -> Bench {
        let transport = MockTelemetryTransport()
        transport.isOffline = true
        return await active(configuration, transport: transport)
    }

    /// The stored events, read without a recorded call.
    var stored: [TelemetryEvent] {
        get async throws { try await transport.store.events(matching: .all, after: nil, limit: .max).events }
    }

    var storedNames: [String] {
        get async throws { try await stored.map(\.name) }
    }

    /// The names in each append so far.
    var appends: [[String]] {
        transport.calls(of: .append).compactMap { call in
            if case .append(let events) = call { events.map(\.name) } else { nil }
        }
    }
}

/// A date that a test sets.
final class Wall: Sendable {
    private let value: Mutex<Date>

    init(_ date: Date = TelemetryFixtures.date) { value = Mutex(date) }

    var date: Date {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Records the diagnostics that a handler receives.
final class DiagnosticsLog: Sendable {
    private let heard = Mutex<[TelemetryDiagnostic]>([])

    var handler: TelemetryDiagnosticsHandler {
        { [self] diagnostic in heard.withLock { $0.append(diagnostic) } }
    }

    var kinds: [TelemetryDiagnostic.Kind] { heard.withLock { $0.map(\.kind) } }
}

extension TelemetryTransportError {
    static func test(_ code: Code, retryAfter: Duration? = nil) -> Self {
        Self(code: code, message: "As the test wants.", retryAfter: retryAfter)
    }
}
