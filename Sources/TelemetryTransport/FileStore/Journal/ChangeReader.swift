import Synchronization
import TelemetryModels
import TelemetrySystem

/// Converts journal entries into notifications for the stored subscriptions.
final class ChangeReader: Sendable {
    struct Changes {
        var notifications: [TelemetryNotification] = []
        var hasEvents = false
        /// Whether the last change in the journal may still be in progress, so that it has to be read again soon.
        var isIncomplete = false
    }

    private struct State {
        var position: JournalPosition?
        var witness = JournalFileWitness()
        /// The subscriptions at the position; nil if they have to be read again.
        var subscriptions: [String: TelemetrySubscription]?
        /// The notifications of the last change read, which may still be in progress.
        var unsettled: [TelemetryNotification] = []
    }

    private let layout: StoreLayout
    private let system: FileSystem
    private let files: RecordFiles
    private let configuration: FileTelemetryTransport.Configuration
    private let state: Mutex<State>

    /// Begins at the journal's current end, and with the change that is in progress, if there is one.
    init(layout: StoreLayout, system: FileSystem, configuration: FileTelemetryTransport.Configuration) {
        self.layout = layout
        self.system = system
        self.configuration = configuration
        files = RecordFiles(layout: layout, system: system, configuration: configuration)
        var first = State(position: try? .end(of: layout, system))
        if let file = first.position?.file { first.witness.look(at: file, layout, system) }
        state = Mutex(first)
        // The subscriptions at the position, or slightly later.
        state.withLock { state in
            state.subscriptions = try? storedSubscriptions()
            // The entry of a change in progress may be before the end, while its record cannot be read yet: this change is notified
            // once it is made. Its writer keeps the journal file from being ended, so the entry is in the newest one. If that file
            // cannot be read now, its earlier changes are notified again.
            guard !isSettled() else { return }
            state.position?.offset = 0
            var earlier = Changes()
            try? read(&state, into: &earlier)
        }
    }

    /// The changes since the last call.
    func changes() -> Changes {
        state.withLock { state in
            var changes = Changes()
            do {
                try read(&state, into: &changes)
            } catch {
                // Not reported at every poll while it lasts; the next poll reads from the same position.
                changes.hasEvents = true
            }
            return changes
        }
    }

    private func read(_ state: inout State, into changes: inout Changes) throws(FileError) {
        var position = state.position ?? JournalPosition(file: 1, offset: 0, events: 0)
        if try isStale(state, position) {
            let numbers = try system.list(layout.journal).compactMap(StoreLayout.journalNumber)
            // If later files exist, continues with the first of them. Otherwise the journal was removed or replaced: starts with
            // the oldest file.
            let later = numbers.contains(position.file) ? nil : numbers.filter { $0 > position.file }.min()
            position = JournalPosition(file: later ?? numbers.min() ?? 1, offset: 0, events: 0)
            changes.hasEvents = true
            state.subscriptions = nil
        }
        var lines = JournalReader(layout: layout, system: system, diagnostics: nil, position: position)
        while let (line, _) = try lines.next() {
            var subscriptions = if let known = state.subscriptions { known } else { try storedSubscriptions() }
            switch line {
            case .head: break
            case .batch: changes.hasEvents = true
            case .subscribed(let subscription): subscriptions[subscription.id] = subscription
            case .unsubscribed(let id): subscriptions[id] = nil
            case .record(let change):
                // Changes are made one at a time: the previous one has ended.
                changes.notifications += state.unsettled
                state.unsettled = notifications(of: change, to: subscriptions)
            }
            state.subscriptions = subscriptions
            state.position = lines.position
        }
        state.position = lines.position
        if !state.witness.isSame(lines.position.file) { state.witness.look(at: lines.position.file, layout, system) }
        guard !state.unsettled.isEmpty else { return }
        if isSettled() {
            changes.notifications += state.unsettled
            state.unsettled = []
        } else {
            changes.isIncomplete = true
        }
    }

    private func notifications(
        of change: RecordChange, to subscriptions: [String: TelemetrySubscription]
    ) -> [TelemetryNotification] {
        subscriptions.values.filter { $0.covers(change.recordType, ofClient: change.clientId) }.map {
            TelemetryNotification(
                subscriptionID: $0.id, recordType: change.recordType, recordID: .init(recordName: change.recordName))
        }
    }

    /// Whether no record is being changed: the journal entry is written first, under the lock of all records.
    private func isSettled() -> Bool {
        do {
            let lock = try system.open(layout.recordsLock, for: .read)
            guard try lock.tryLock(.shared) else { return false }
            lock.unlock()
            return true
        } catch {
            // Without a lock file there is no change to wait for. Without a free descriptor, a later try may succeed.
            return !error.isOutOfDescriptors
        }
    }

    /// Whether the journal file being read was removed or replaced, or is shorter than the position.
    private func isStale(_ state: State, _ position: JournalPosition) throws(FileError) -> Bool {
        if state.witness.isOther(position.file) { return true }
        return try system.status(layout.journalFile(position.file))?.size ?? 0 < position.offset
    }

    private func storedSubscriptions() throws(FileError) -> [String: TelemetrySubscription] {
        var found: [String: TelemetrySubscription] = [:]
        for name in try files.names(in: layout.subscriptions, below: layout.directory) {
            let path = "\(layout.subscriptions)/\(name)"
            if let subscription = try files.read(TelemetrySubscription.self, at: path) { found[subscription.id] = subscription }
        }
        return found
    }
}
