#if DEBUG && (os(Linux) || os(macOS))
import Foundation
import TelemetryDebugLogging
@_spi(Tooling) import TelemetryTestSupport
import Testing

@MainActor
struct DebugLogTerminationTests {
    private struct Body: Decodable { let entries: [DebugLogEntry] }

    private let shipper = ScriptedShipper()
    private let clock = ManualClock()

    /// Sends a signal that ends no process, and expects the termination to receive it.
    private func terminate(_ logger: DebugLogger, beforeEnd: () async -> Void) async {
        let ended = AsyncStream.makeStream(of: Int32.self)
        let termination = DebugLogTermination(on: SIGUSR2, flushing: logger) { ended.continuation.yield($0) }
        for await _ in termination.installation {}
        kill(getpid(), SIGUSR2)
        await beforeEnd()
        var iterator = ended.stream.makeAsyncIterator()
        #expect(await iterator.next() == SIGUSR2)
        withExtendedLifetime(termination) {}
    }

    @Test("At the end of a process waiting entries are sent first, for at most five seconds")
    func termination() async {
        let logger = DebugLogger(shipper: shipper, clock: clock)
        logger.log(event: "last")
        await terminate(logger) {}
        #expect(shipper.events == [["last"]])
        shipper.hold()
        logger.log(event: "unheard")
        await terminate(logger) {
            await shipper.arrival()
            await shipper.arrival()
            await clock.sleepers()
            #expect(clock.timeToNextWake == .seconds(5))
            clock.advance(by: .seconds(5))
        }
        shipper.release()
        await logger.flushUnderWay()
    }

    @Test("A process that gets SIGTERM sends waiting entries, and then ends by SIGTERM")
    func process() async throws {
        let server = try LoopbackServer(.answers(200))
        await #expect(processExitsWith: .signal(SIGTERM)) { [url = server.baseURL as URL] in
            let logger = DebugLogger(shipper: DebugLogShipper(baseURL: url))
            let termination = await DebugLogTermination(flushing: logger, within: .seconds(600))
            for await _ in termination.installation {}
            await logger.log(event: "last")
            kill(getpid(), SIGTERM)
            let never = AsyncStream.makeStream(of: Never.self)
            for await _ in never.stream {}
            withExtendedLifetime((never, termination)) {}
        }
        let bodies = try server.requests.map { try JSONDecoder().decode(Body.self, from: $0.body).entries.map(\.event) }
        #expect(bodies == [["last"]])
    }

    @Test("A process that gets SIGTERM ends even if the server never answers")
    func stalledProcess() async throws {
        let server = try LoopbackServer(.stalls)
        await #expect(processExitsWith: .signal(SIGTERM)) { [url = server.baseURL as URL] in
            let logger = DebugLogger(shipper: DebugLogShipper(baseURL: url, timeout: .seconds(86_400)))
            let termination = await DebugLogTermination(flushing: logger, within: .milliseconds(200))
            for await _ in termination.installation {}
            await logger.log(event: "last")
            kill(getpid(), SIGTERM)
            let never = AsyncStream.makeStream(of: Never.self)
            for await _ in never.stream {}
            withExtendedLifetime((never, termination)) {}
        }
        withExtendedLifetime(server) {}
    }
}
#endif
