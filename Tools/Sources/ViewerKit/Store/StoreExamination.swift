public import Foundation
import TelemetryModels
public import TelemetryTransport

/// Checks a store for problems, and suggests how to fix them.
public struct StoreExamination: Sendable {
    public enum Severity: String, Sendable, Equatable { case ok, warning, error }

    public struct Finding: Sendable, Equatable {
        public let severity: Severity
        public let text: String
        /// How to fix the problem.
        public let advice: String?

        public init(_ severity: Severity, _ text: String, _ advice: String? = nil) {
            self.severity = severity
            self.text = text
            self.advice = advice
        }
    }

    private static let clockTolerance: TimeInterval = 60
    private static let answerTimeout: TimeInterval = 3_600

    /// Nil for a relay, whose files are not accessible.
    let directory: URL?
    private let transport: any TelemetryTransporting
    private let now: Date

    public init(location: StoreLocation, transport: any TelemetryTransporting, now: Date = .now) {
        directory = if case .directory(let directory) = location { directory.url } else { nil }
        self.transport = transport
        self.now = now
    }

    /// Checks the store's files; none for a relay.
    public func files() async -> [Finding] {
        guard let directory else { return [] }
        var findings: [Finding] = []
        if await transport.validateSchema() {
            findings.append(.init(.ok, "the store is readable and writable"))
        } else {
            findings.append(.init(.error, "the store is not writable", "run as the user who owns \(directory.path)"))
        }
        findings += permissions(directory)
        let aside = directory.appendingPathComponent("set-aside")
        if let names = try? FileManager.default.contentsOfDirectory(atPath: aside.path), !names.isEmpty {
            findings.append(
                .init(
                    .warning, "\(counted(names.count, "unreadable file")) \(names.count == 1 ? "was" : "were") set aside",
                    "examine \(aside.path), then delete its contents"))
        } else {
            findings.append(.init(.ok, "no files were set aside"))
        }
        return findings
    }

    /// Checks clients, scenarios and commands.
    public func records() async throws -> [Finding] {
        var faults: [String] = []
        var records: [TelemetryRecord] = []
        for recordType in SchemaListing.recordTypes where recordType.name != TelemetrySchema.recordType {
            let found = try await transport.records(matching: .init(recordType: recordType.name))
            faults += TelemetrySchema.validate(found).map(\.description)
            records += found
        }
        let schema =
            faults.isEmpty
            ? Finding(.ok, "all records match the schema")
            : Finding(
                .error, "\(counted(faults.count, "schema violation")), first: \(faults[0])",
                "to see all of them: telemetry schema --check")
        return [schema] + versions(of: records) + commands(records.compactMap { try? TelemetryCommandRecord(record: $0) })
    }

    private func commands(_ commands: [TelemetryCommandRecord]) -> [Finding] {
        var findings: [Finding] = []
        let old = commands.filter { $0.status == .pending && now.timeIntervalSince($0.created) > Self.answerTimeout }
        if !old.isEmpty {
            let clients = Set(old.map(\.clientId)).sorted().prefix(5).joined(separator: ", ")
            findings.append(
                .init(
                    .warning, "\(counted(old.count, "command")) unanswered for more than an hour, by: \(clients)",
                    "check that these clients are running: telemetry commands --pending; telemetry commands cancel COMMAND"))
        }
        let early = commands.filter { $0.executedAt.map { $0.timeIntervalSince(now) > Self.clockTolerance } ?? false }
        if !early.isEmpty {
            findings.append(
                .init(
                    .warning, "\(counted(early.count, "command")) with an execution date in the future",
                    "compare the clocks of the machines"))
        }
        let backwards = commands.filter { command in
            command.executedAt.map { command.created.timeIntervalSince($0) > Self.clockTolerance } ?? false
        }
        if !backwards.isEmpty {
            findings.append(
                .init(
                    .warning, "\(counted(backwards.count, "command")) with an execution date before the creation date",
                    "compare the clocks of the machines"))
        }
        return findings
    }

    /// The finding about events that were counted by their summaries and not read.
    public func unreadEvents(_ summary: EventSummary) -> Finding {
        Finding(
            .ok, "\(counted(summary.all.events, "event")) counted, not read",
            // More events may arrive until then.
            "to read them, which finds damage: telemetry doctor --read-up-to \(min(summary.all.events, .max / 2) * 2)")
    }

    /// Checks the events.
    public func events(_ summary: EventSummary) -> [Finding] {
        var findings: [Finding] = []
        if summary.all.events > 0, summary.all.last.timeIntervalSince(now) > Self.clockTolerance {
            let ahead = DurationText.string(seconds: summary.all.last.timeIntervalSince(now))
            findings.append(
                .init(
                    .warning, "the newest event is \(ahead) ahead of this machine's clock", "compare the clocks of the machines"))
        }
        if summary.missing > 0 {
            findings.append(
                .init(
                    .warning, "\(counted(summary.missing, "event")) missing within sessions",
                    "they were deleted, removed by retention, or lost: telemetry sessions"))
        }
        if summary.dropped > 0 {
            findings.append(
                .init(
                    .warning, "loggers report \(counted(Int(clamping: summary.dropped), "dropped event"))",
                    "increase the logger's capacity or flush more often: telemetry events --name \(TelemetryEvent.dropReportName)"
                ))
        }
        if findings.isEmpty { findings.append(.init(.ok, "no gaps, no drops, no events with a future date")) }
        return findings
    }
}
