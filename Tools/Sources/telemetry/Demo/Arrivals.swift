import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Reads events as they arrive, and keeps them.
actor Arrivals {
    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    private let console: Console
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var reading: Task<Void, Never>?
    private var cursor: TelemetryCursor?
    private var failure: (any Error)?
    private let rows: EventRows
    private var toShow = 0
    private var isNoting = false
    private var noted = 0
    private(set) var events: [TelemetryEvent] = []
    /// The number of events of each run, counted on arrival because there may be many runs and events.
    private var perRun: [Ledger.Run: Int] = [:]
    private var numbered = 0

    init(transport: any TelemetryEventTransport, clientId: String, console: Console) {
        self.transport = transport
        self.filter = .init(clientId: clientId)
        self.console = console
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        rows = EventRows(
            columns: [.time, .scenario, .level, .name, .text], style: console.style, width: console.width.map { $0 - 4 })
    }

    func start() {
        reading = Task { await self.read() }
    }

    func stop() {
        reading?.cancel()
        changed.finish()
    }

    /// Shows one line for each of the next few events, and counts the rest.
    func show(_ count: Int) {
        toShow = count
        noted = 0
        isNoting = count > 0
    }

    /// Returns when all events that are stored now were read.
    func catchUp() async throws {
        let count = events.count
        var last: String?
        for try await page in transport.eventPages(matching: filter, after: cursor) {
            last = page.events.last?.eventId ?? last
            if !page.hasMore { break }
        }
        guard let last else { return }
        while !events.dropFirst(count).contains(where: { $0.eventId == last }) {
            if let failure { throw failure }
            guard await nextChange() != nil else { throw CancellationError() }
        }
    }

    /// Returns when this many events of the run and of later runs have arrived.
    func wait(for count: Int, from run: Int, session: String) async throws {
        while true {
            if let failure { throw failure }
            if self.count(from: run, session: session) >= count { return }
            guard await nextChange() != nil else { throw CancellationError() }
        }
    }

    /// Returns when this many distinct events have arrived in total.
    func wait(forAll count: Int) async throws {
        while true {
            if let failure { throw failure }
            if numbered >= count { return }
            guard await nextChange() != nil else { throw CancellationError() }
        }
    }

    /// The number of events that have arrived for the runs from `run` through `last`.
    func count(from run: Int, through last: Int = .max, session: String) -> Int {
        perRun.reduce(0) { sum, entry in
            entry.key.session == session && entry.key.number >= run && entry.key.number <= last ? sum + entry.value : sum
        }
    }

    private func read() async {
        do {
            try await EventReader(transport: transport, filter: filter).read(after: nil, following: true) { page in
                cursor = page.cursor
                add(page.events)
                changed.yield()
                return true
            }
        } catch { failure = error }
        changed.yield()
    }

    private func nextChange() async -> Void? {
        for await change in changes { return change }
        return nil
    }

    private func add(_ arrived: [TelemetryEvent]) {
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
