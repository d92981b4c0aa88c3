public import Foundation
import TelemetryModels
public import TelemetryTransport

/// Looks a store over for what is wrong with it, and says how to mend it.
public struct StoreExamination: Sendable {
    public enum Grade: Sendable, Equatable { case good, odd, bad }

    public struct Finding: Sendable, Equatable {
        public let grade: Grade
        public let text: String
        /// What to do about it.
        public let advice: String?

        init(_ grade: Grade, _ text: String, _ advice: String? = nil) {
            self.grade = grade
            self.text = text
            self.advice = advice
        }
    }

    private static let clockTolerance: TimeInterval = 60
    private static let patience: TimeInterval = 3_600

    let directory: URL
    private let transport: any TelemetryTransporting
    private let now: Date

    public init(directory: URL, transport: any TelemetryTransporting, now: Date = .now) {
        self.directory = directory
        self.transport = transport
        self.now = now
    }

    /// What there is to say of the files themselves.
    public func files() async -> [Finding] {
        var findings: [Finding] = []
        if await transport.validateSchema() {
            findings.append(.init(.good, "the store can be read and written"))
        } else {
            findings.append(.init(.bad, "the store cannot be written", "run as the user who owns \(directory.path)"))
        }
        findings += permissions()
        let aside = directory.appendingPathComponent("set-aside")
        if let names = try? FileManager.default.contentsOfDirectory(atPath: aside.path), !names.isEmpty {
            findings.append(
                .init(
                    .odd, "\(counted(names.count, "file")) could not be read some time, and lie set aside",
                    "look at them in \(aside.path), then delete them"))
        } else {
            findings.append(.init(.good, "no files were set aside"))
        }
        return findings
    }

    /// What there is to say of clients, scenarios and commands.
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
            ? Finding(.good, "all records are as the schema says")
            : Finding(
                .bad, "\(counted(faults.count, "record")) not as the schema says, first: \(faults[0])",
                "telemetry schema --check tells all of them")
        return [schema] + versions(of: records) + commands(records.compactMap { try? TelemetryCommandRecord(record: $0) })
    }

    private func commands(_ commands: [TelemetryCommandRecord]) -> [Finding] {
        var findings: [Finding] = []
        let old = commands.filter { $0.status == .pending && now.timeIntervalSince($0.created) > Self.patience }
        if !old.isEmpty {
            let clients = Set(old.map(\.clientId)).sorted().prefix(5).joined(separator: ", ")
            findings.append(
                .init(
                    .odd, "\(counted(old.count, "command")) unanswered for more than an hour, by: \(clients)",
                    "are these clients still running? telemetry commands --pending; telemetry forget CLIENT"))
        }
        let early = commands.filter { $0.executedAt.map { $0.timeIntervalSince(now) > Self.clockTolerance } ?? false }
        if !early.isEmpty {
            findings.append(
                .init(.odd, "\(counted(early.count, "command")) executed in the future", "compare the clocks of the machines"))
        }
        let backwards = commands.filter { command in
            command.executedAt.map { command.created.timeIntervalSince($0) > Self.clockTolerance } ?? false
        }
        if !backwards.isEmpty {
            findings.append(
                .init(
                    .odd, "\(counted(backwards.count, "command")) executed before being sent, as the clocks have it",
                    "compare the clocks of the machines"))
        }
        return findings
    }

    /// What there is to say of the events.
    public func events(_ summary: EventSummary) -> [Finding] {
        var findings: [Finding] = []
        if summary.all.events > 0, summary.all.last.timeIntervalSince(now) > Self.clockTolerance {
            let ahead = DurationText.string(seconds: summary.all.last.timeIntervalSince(now))
            findings.append(
                .init(.odd, "the newest event is \(ahead) ahead of this machine's clock", "compare the clocks of the machines"))
        }
        if summary.missing > 0 {
            findings.append(
                .init(
                    .odd, "\(counted(summary.missing, "event")) missing within sessions",
                    "deleted, let go by a bound of the store, or lost: telemetry sessions"))
        }
        if summary.dropped > 0 {
            findings.append(
                .init(
                    .odd, "loggers report \(counted(Int(clamping: summary.dropped), "dropped event"))",
                    "give the logger more room, or flush more often: telemetry events --name \(TelemetryEvent.dropReportName)"))
        }
        if findings.isEmpty { findings.append(.init(.good, "no gaps, no drops, no event from the future")) }
        return findings
    }
}
