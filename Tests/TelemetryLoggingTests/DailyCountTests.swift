import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

struct DailyCountTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private static func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    /// An active logger whose days end at midnight in Greenwich.
    private static func counting(by wall: Wall) async throws -> Bench {
        var configuration = TelemetryLogger.Configuration()
        configuration.calendar = try calendar("GMT")
        let bench = Bench(configuration, now: { wall.date })
        await bench.logger.activate(enabled: true)
        return bench
    }

    @Test("Delivered events and their bytes are counted until midnight of the calendar")
    func midnight() async throws {
        let wall = Wall(Self.noon)
        let bench = try await Self.counting(by: wall)
        #expect(bench.logger.deliveredToday == TelemetryDeliveryCount())
        bench.logger.logEvent(name: "first")
        #expect(bench.logger.deliveredToday?.events == 0, "it is not delivered yet")
        await bench.logger.flush()
        let first = try #require(bench.logger.deliveredToday)
        #expect(first.events == 1 && first.bytes > 0)
        bench.logger.logEvent(name: "second", property1: String(repeating: "x", count: 1_000))
        await bench.logger.flush()
        let second = try #require(bench.logger.deliveredToday)
        #expect(second.events == 2 && (1_000...1_200).contains(second.bytes - first.bytes))
        wall.date = Self.noon + 12 * 3_600 - 1
        #expect(bench.logger.deliveredToday == second)
        wall.date += 1
        #expect(bench.logger.deliveredToday == TelemetryDeliveryCount())
        bench.logger.logEvent(name: "first")
        await bench.logger.flush()
        #expect(bench.logger.deliveredToday == first)
        #expect(bench.logger.statistics.delivered == 3)
    }

    @Test("A failed delivery is counted when it succeeds, on the day on which it does")
    func retry() async throws {
        let wall = Wall(Self.noon)
        let bench = try await Self.counting(by: wall)
        bench.transport.fail(.append)
        bench.logger.logEvent(name: "late")
        await bench.logger.flush()
        #expect(bench.logger.deliveredToday?.events == 0)
        wall.date += 86_400
        await bench.logger.flush()
        #expect(bench.logger.deliveredToday?.events == 1)
    }

    @Test("An event that the transport rejects is not counted")
    func rejected() async throws {
        let bench = await Bench.active()
        bench.transport.fail(.append, with: TelemetryTransportError.test(.invalidArgument), times: 100) { call in
            if case .append(let events) = call { events.contains { $0.name == "bad" } } else { false }
        }
        bench.logger.logEvent(name: "good")
        await bench.logger.flush()
        let one = try #require(bench.logger.deliveredToday)
        for name in ["good", "bad", "good"] {
            bench.logger.logEvent(name: name, property1: name == "bad" ? String(repeating: "x", count: 9_999) : nil)
        }
        await bench.logger.flush()
        let delivered = try #require(bench.logger.deliveredToday)
        // One of them reports the loss.
        #expect(delivered.events == bench.logger.statistics.delivered)
        #expect(delivered.bytes > one.bytes && delivered.bytes < 9_999)
    }

    @Test(
        "A day ends at the calendar's midnight, even if it has 23 or 25 hours",
        arguments: [
            // The clocks change on 29 March and on 25 October 2026.
            (start: "2026-03-28T23:00:00Z", hours: 23), ("2026-10-24T22:00:00Z", 25), ("2026-06-30T22:00:00Z", 24),
        ])
    func lengths(start: String, hours: Int) throws {
        let calendar = try Self.calendar("Europe/Berlin")
        let midnight = try Date(start, strategy: .iso8601)
        let next = midnight + TimeInterval(hours) * 3_600
        var deliveries = DailyDeliveries()
        let one = TelemetryDeliveryCount(events: 1, bytes: 10)
        deliveries.add(one, at: midnight, in: calendar)
        deliveries.add(one, at: next - 1, in: calendar)
        #expect(deliveries.count(at: next - 1) == TelemetryDeliveryCount(events: 2, bytes: 20))
        #expect(deliveries.count(at: midnight - 1) == TelemetryDeliveryCount())
        #expect(deliveries.count(at: next) == TelemetryDeliveryCount())
        deliveries.add(one, at: next, in: calendar)
        #expect(deliveries.count(at: next) == one)
        // The clock was set back.
        deliveries.add(one, at: midnight, in: calendar)
        #expect(deliveries.count(at: midnight) == one)
    }
}
