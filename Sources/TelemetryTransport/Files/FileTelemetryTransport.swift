public import Foundation
import TelemetryModels

/// A store in a directory that any number of processes on one machine share: clients, viewers, tools.
///
/// Records are files that are written whole and renamed; events are lines of JSON in append-only segments, one writer each; a
/// journal tells the order of everything and is what others follow. A process that is killed at any moment loses nothing that
/// a call had returned for. The format is described in the article <doc:FileStoreFormat>.
public actor FileTelemetryTransport: TelemetryTransporting {
    nonisolated let layout: StoreLayout
    nonisolated let system: FileSystem
    nonisolated let configuration: Configuration
    nonisolated let follower: JournalFollower
    let journal: JournalWriter
    let segments: SegmentReader
    var clients: [String: ClientStore] = [:]

    /// Opens the store in a directory, which is made where it is missing: directories with mode 0700, files with 0600.
    ///
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` where the path is not a directory or no path of a file,
    ///   `.corrupted` where the directory holds another format or a version of this one that is not known, which is left as
    ///   it is; `.unauthorized`, `.quotaExceeded` or `.unavailable` where the system refuses.
    public init(directory: URL, configuration: Configuration = .default) throws {
        try self.init(directory: directory, configuration: configuration, system: FileSystem())
    }

    package init(directory: URL, configuration: Configuration, system: FileSystem) throws {
        guard directory.isFileURL, !directory.path.isEmpty else {
            throw TelemetryTransportError.invalidArgument("\(directory) is not the path of a directory.")
        }
        let layout = StoreLayout(directory: directory.standardizedFileURL.path)
        try StoreFormat(layout: layout, system: system).prepare()
        self.layout = layout
        self.system = system
        self.configuration = configuration
        journal = JournalWriter(layout: layout, system: system, configuration: configuration)
        segments = SegmentReader(layout: layout, system: system, diagnostics: configuration.diagnostics)
        follower = JournalFollower(layout: layout, system: system, configuration: configuration)
    }

    deinit { follower.stop() }
}

extension FileTelemetryTransport {
    /// Tries again, at growing intervals, while `attempt` finds a lock taken by somebody else.
    ///
    /// Nothing is locked while this waits. Out of descriptors, the files that are kept open are closed, and it is tried once more.
    func whenUnlocked<Result>(_ what: String, _ attempt: () throws -> Result?) async throws -> Result {
        let clock = ContinuousClock()
        let deadline = clock.now + configuration.lockTimeout
        var delay = Duration.microseconds(50)
        var mayClose = true
        while true {
            do {
                if let result = try attempt() { return result }
            } catch let error as FileError where error.isOutOfDescriptors && mayClose {
                mayClose = false
                closeFiles()
                continue
            } catch let error as FileError {
                throw error.transportError
            }
            guard clock.now < deadline else {
                throw TelemetryTransportError(
                    code: .unavailable, message: "Another process has kept \(what) locked for \(configuration.lockTimeout).")
            }
            try await clock.sleep(for: delay)
            delay = min(delay * 2, .milliseconds(20))
        }
    }

    /// Closes every file that is kept open only to save time.
    func closeFiles() {
        clients.removeAll()
        segments.close()
        journal.close()
    }

    nonisolated func tell(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
