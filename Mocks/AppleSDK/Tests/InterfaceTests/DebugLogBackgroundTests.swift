import SwiftUI
import Synchronization
import TelemetryDebugLogging
import TelemetryTestSupport
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// The debug logger's modifier when the scene enters the background.
@MainActor
@Suite(.serialized)
struct DebugLogBackgroundTests {
    private let shipper = HeldShipper()
    private let logger: DebugLogger
    private let change: (Any, Any) -> Void

    init() throws {
        logger = DebugLogger(shipper: shipper, clock: ManualClock())
        let nodes = StandInNode.nodes(of: EmptyView().flushesDebugLogsInBackground(logger))
        change = try #require(nodes.compactMap(\.change).first)
    }

    @Test("When the scene enters the background, waiting entries are sent in a background task")
    func background() async {
        logger.log(event: "waiting")
        change(ScenePhase.active, ScenePhase.inactive)
        #expect(shipper.events.isEmpty)
        change(ScenePhase.inactive, ScenePhase.background)
        await shipper.arrival()
        #expect(shipper.events == ["waiting"])
        #if canImport(UIKit)
        #expect(Array(UIApplication.shared.standInBackgroundTasks.values) == ["debug-logs"])
        #endif
        shipper.release()
        await logger.flush()
        #if canImport(UIKit)
        await UIApplication.shared.standInBackgroundTasksEnded()
        #endif
    }

    #if canImport(UIKit)
    @Test("When the background time ends, the background task is ended")
    func expiration() async {
        logger.log(event: "waiting")
        change(ScenePhase.active, ScenePhase.background)
        await shipper.arrival()
        UIApplication.shared.standInExpire()
        #expect(UIApplication.shared.standInBackgroundTasks.isEmpty)
        shipper.release()
        await logger.flush()
    }
    #endif
}

/// Records its batches, and answers when the test says so.
private final class HeldShipper: DebugLogShipping {
    private let received = Mutex<[String]>([])
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let gate = TestGate()

    init() { gate.close() }

    var events: [String] { received.withLock { $0 } }

    func release() { gate.open() }

    /// Returns once a batch has arrived.
    func arrival() async {
        for await _ in arrivals.stream { return }
    }

    func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        received.withLock { $0 += entries.map(\.event) }
        arrivals.continuation.yield()
        try? await gate.pass()
        return .stored
    }
}
