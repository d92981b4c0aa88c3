import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// Reading outside the capture's lock while others log, step by step.
struct CaptureReadingTests {
    let capture = EventCapture(
        configuration: .init(memoryLimit: 128 << 10).clamped, budgets: ScenarioBudgets { 0 }, now: nil,
        bootTime: { BootTime(boot: 1, seconds: 0) })
    let limits = DeliveryBatch.Limits(bytes: .max, oldest: -.infinity)

    func log(_ count: Int, property1: String? = nil) {
        for _ in 0..<count {
            capture.record(
                Admission(), name: "event", scenario: nil, level: .info, property1: property1, attributes: [:])
        }
    }

    @Test("Events that are dropped for space while they are found expired are counted once")
    func droppedOnce() throws {
        log(100)
        let range = try #require(capture.withState { $0.beginReading() })
        let limits = DeliveryBatch.Limits(bytes: .max, oldest: .infinity)
        guard case .expired(let count, let end, _) = DeliveryBatch.read(range, limits: limits) else {
            Issue.record("No event has expired.")
            return
        }
        #expect(count == 100)
        log(2_000, property1: String(repeating: "x", count: 300))
        capture.withState { $0.endReading(range, at: end, clientId: nil, delivered: 0, dropped: (count, .expired)) }
        let statistics = capture.statistics
        #expect(statistics.dropped.values.reduce(0, +) + statistics.waiting == 2_100)
    }

    /// The same range, as of a session that another process wrote.
    static func foreign(_ range: PendingRange) -> PendingRange {
        PendingRange(
            token: range.token, memory: range.memory, session: range.session, firstSequence: range.firstSequence,
            from: range.from, to: range.to, clientId: range.clientId, begun: range.begun, isCurrentSession: false)
    }

    @Test("A batch that is not converted ends where a converted one ends, and has the same events")
    func encoded() async throws {
        capture.withState { $0.setClientId("first", isActivated: true) }
        log(30)
        capture.withState { $0.setClientId("second", isActivated: true) }
        log(100)
        var from: PendingRange?
        var counts: [Int] = []
        var clients: [String?] = []
        while let range = from ?? capture.withState({ $0.beginReading() }) {
            let limits = DeliveryBatch.Limits(bytes: 20_000, oldest: -.infinity)
            guard case .events(let converted) = DeliveryBatch.read(Self.foreign(range), limits: limits),
                case .events(let encoded) = DeliveryBatch.read(range, limits: limits)
            else { break }
            #expect(converted.events.encoded == nil)
            #expect(encoded.events.encoded != nil)
            #expect(encoded.events.events == converted.events.events)
            #expect(encoded.ends == converted.ends)
            #expect(encoded.clientId == converted.clientId)
            #expect(encoded.lastSequence == converted.lastSequence)
            counts.append(encoded.events.count)
            clients.append(encoded.clientId)
            guard let end = encoded.ends.last, end < range.to else { break }
            from = PendingRange(
                token: range.token, memory: range.memory, session: range.session, firstSequence: encoded.lastSequence + 1,
                from: end, to: range.to, clientId: encoded.clientId, begun: range.begun, isCurrentSession: true)
        }
        #expect(counts.reduce(0, +) == 130)
        #expect(counts.first == 30)
        #expect(counts.count > 3)
        #expect(clients.first == "first")
        #expect(clients.dropFirst().allSatisfy { $0 == "second" })
    }
}
