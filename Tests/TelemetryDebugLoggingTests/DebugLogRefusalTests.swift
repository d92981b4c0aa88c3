#if DEBUG
import Foundation
import Synchronization
import TelemetryModels
import TelemetryTestSupport
import Testing

@testable import TelemetryDebugLogging

/// A server that refuses entries, and the notices of dropped entries.
@MainActor
struct DebugLogRefusalTests {
    private nonisolated static let notice = DebugLogBuffer.lossEvent
    private let clock = ManualClock()
    private let shipper = ScriptedShipper()

    private func logger(_ diagnostics: TelemetryDiagnosticsHandler? = nil) -> DebugLogger {
        DebugLogger(configuration: .init(), shipper: shipper, clock: clock, diagnostics: diagnostics)
    }

    private func log(_ range: ClosedRange<Int>, _ logger: DebugLogger) {
        for number in range { logger.log(event: "\(number)") }
    }

    private func lost(in batches: some Sequence<[DebugLogEntry]>) -> [DebugLogEntry.Value?] {
        batches.joined().filter { $0.event == Self.notice }.map { $0.payload["count"] }
    }

    @Test(
        "After refusing every batch as too large, a server gets each entry once; the loss is reported once", arguments: [3, 50])
    func alwaysTooLarge(count: Int) async {
        let told = Mutex<[TelemetryDiagnostic]>([])
        let logger = logger { diagnostic in told.withLock { $0.append(diagnostic) } }
        shipper.answer(upTo: 10 * count) { _ in .tooLarge }
        log(1...count, logger)
        await logger.flush()
        // Halves down to one entry, the first notice, and each entry alone.
        #expect(shipper.batches.count <= count + 8)
        for number in 1...count { #expect(shipper.events.filter { $0 == ["\(number)"] }.count == 1) }
        #expect(told.withLock { $0.map(\.kind) } == [.eventsDropped])
        #expect(told.withLock { $0.first?.message.hasPrefix("\(count) debug entries were refused: ") } == true)
        // Nothing is waiting, so nothing is sent.
        let posts = shipper.batches.count
        await logger.flush()
        #expect(shipper.batches.count == posts)
        #expect(clock.sleeperCount == 0)
    }

    @Test("A server that accepts batches again gets the new entries, and the number of all lost ones once")
    func recovers() async {
        let logger = logger()
        shipper.answer(upTo: 100) { _ in .tooLarge }
        log(1...3, logger)
        await logger.flush()
        log(4...5, logger)
        await logger.flush()
        shipper.answer { _ in .stored }
        let posts = shipper.batches.count
        for number in 6...8 {
            logger.log(event: "\(number)")
            await logger.flush()
        }
        #expect(shipper.events[posts...] == [["6"], [Self.notice, "7"], ["8"]])
        #expect(lost(in: shipper.batches[posts...]) == [5])
    }

    @Test(
        "A refused notice does not affect other entries, and is sent again only after a batch was stored",
        arguments: [DebugLogShipment.tooLarge, .rejected("unknown event")])
    func noticeIsRefused(refusal: DebugLogShipment) async {
        let told = Mutex<[TelemetryDiagnostic.Kind]>([])
        let logger = logger { diagnostic in told.withLock { $0.append(diagnostic.kind) } }
        shipper.answerNext(with: .rejected("no"))
        logger.log(event: "1")
        await logger.flush()
        let stored = Mutex<[[String]]>([])
        shipper.answer(upTo: 100) { batch in
            if batch.contains(where: { $0.event == Self.notice }) { return refusal }
            stored.withLock { $0.append(batch.map(\.event)) }
            return .stored
        }
        for number in 2...5 {
            logger.log(event: "\(number)")
            await logger.flush()
        }
        #expect(stored.withLock { $0 } == [["2"], ["3"], ["4"], ["5"]])
        #expect(told.withLock { $0 } == [.eventsDropped])
        // Every notice was for the one lost entry.
        #expect(Set(lost(in: shipper.batches)) == [1])
    }

    @Test("A notice that is among the refused entries is not counted as a lost entry")
    func noticeIsNamed() async {
        let told = Mutex<[TelemetryDiagnostic.Kind]>([])
        let logger = logger { diagnostic in told.withLock { $0.append(diagnostic.kind) } }
        shipper.answer(upTo: 100) { batch in
            let bad = batch.indices.filter { batch[$0].event == Self.notice || batch[$0].event == "1" }
            return bad.isEmpty ? .stored : .refused(Dictionary(uniqueKeysWithValues: bad.map { ($0, "unknown event") }))
        }
        for number in 1...6 {
            logger.log(event: "\(number)")
            await logger.flush()
        }
        #expect(told.withLock { $0 } == [.eventsDropped])
        #expect(shipper.events.count == 6)
        #expect(Set(lost(in: shipper.batches)) == [1])
    }

    @Test("The server's reasons are cut to a limited length")
    func reasons() async {
        let told = Mutex<[String]>([])
        let logger = logger { diagnostic in told.withLock { $0.append(diagnostic.message) } }
        shipper.answer { batch in
            .refused(
                Dictionary(
                    uniqueKeysWithValues: batch.indices.map { ($0, "\($0)e" + String(repeating: "\u{301}", count: 100_000)) }))
        }
        log(1...49, logger)
        await logger.flush()
        #expect(told.withLock { $0.map(\.utf8.count).max() ?? 0 } < 2500)
    }
}
#endif
