import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The viewer's eyes: reads what arrives, as it arrives, and keeps it.
actor Arrivals {
    private enum Cause { case hint, barrier(CheckedContinuation<Void, Never>) }

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    private let console: Console
    private let causes: AsyncStream<Cause>
    private let wake: AsyncStream<Cause>.Continuation
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var tasks: [Task<Void, Never>] = []
    private var failure: (any Error)?
    private var rows: EventRows
    private var toShow = 0
    private var isNoting = false
    private var noted = 0
    private(set) var events: [TelemetryEvent] = []
    /// How many events have arrived of each run: counted as they come, because there may be very many of both.
    private var perRun: [Ledger.Run: Int] = [:]
    private var numbered = 0

    init(transport: any TelemetryEventTransport, clientId: String, console: Console) {
        self.transport = transport
        self.filter = .init(clientId: clientId)
        self.console = console
        (causes, wake) = AsyncStream.makeStream(of: Cause.self)
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        rows = EventRows(
            columns: [.time, .scenario, .level, .name, .text], style: console.style, width: console.width.map { $0 - 4 })
    }

    func start() {
        let arrivals = transport.eventArrivals()
        let wake = wake
        tasks = [
            Task { for await _ in arrivals { wake.yield(.hint) } },
            Task { await self.read() },
        ]
    }

    func stop() {
        for task in tasks { task.cancel() }
        wake.finish()
        changed.finish()
    }

    /// Shows the next few events that arrive a line each, and counts the rest.
    func show(_ count: Int) {
        toShow = count
        noted = 0
        isNoting = count > 0
    }

    /// Returns when all that is stored now was read.
    func catchUp() async throws {
        await withCheckedContinuation { continuation in
            if case .terminated = wake.yield(.barrier(continuation)) { continuation.resume() }
        }
        if let failure { throw failure }
    }

    /// Returns when this many events of the run and of later ones have arrived.
    func wait(for count: Int, from run: Int, session: String) async throws {
        while true {
            if let failure { throw failure }
            if self.count(from: run, session: session) >= count { return }
            guard await nextChange() != nil else { throw CancellationError() }
        }
    }

    /// Returns when this many different events have arrived in all.
    func wait(forAll count: Int) async throws {
        while true {
            if let failure { throw failure }
            if numbered >= count { return }
            guard await nextChange() != nil else { throw CancellationError() }
        }
    }

    /// How many events of the run, and of those behind it up to the last that is asked for, have arrived.
    func count(from run: Int, through last: Int = .max, session: String) -> Int {
        perRun.reduce(0) { sum, entry in
            entry.key.session == session && entry.key.number >= run && entry.key.number <= last ? sum + entry.value : sum
        }
    }

    private func read() async {
        var cursor: TelemetryCursor?
        for await cause in causes {
            do {
                var hasMore = true
                while hasMore {
                    let page = try await transport.events(matching: filter, after: cursor, limit: 500)
                    cursor = page.cursor
                    hasMore = page.hasMore
                    take(page.events)
                }
            } catch { failure = error }
            changed.yield()
            if case .barrier(let continuation) = cause { continuation.resume() }
        }
    }

    private func nextChange() async -> Void? {
        for await change in changes { return change }
        return nil
    }

    private func take(_ arrived: [TelemetryEvent]) {
        events += arrived
        for event in arrived {
            if let run = Ledger.Run(event) { perRun[run, default: 0] += 1 }
            if event.attributes["number"] != nil { numbered += 1 }
        }
        guard isNoting else { return }
        for event in arrived {
            noted += 1
            if noted <= toShow { console.line("    " + rows.row(event)) }
        }
        if noted > toShow { console.progress("    … \(noted.grouped) events") }
    }
}
