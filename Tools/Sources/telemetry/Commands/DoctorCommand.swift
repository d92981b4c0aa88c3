import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DoctorCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check a store for problems, and show how to fix them.",
        discussion: """
            Exits with 1 if problems are found. For a directory it also checks files, permissions and the LiveTelemetry \
            versions of clients, which are known once they have stored events; for a relay, whether it can be reached, its \
            version, clock and limits, and what the token permits. Reads every event, which finds damage, unless a directory has \
            more than --read-up-to; then it only counts them.

            With --privacy it reads all events instead, and counts by scenario, event and attribute those that contain what looks like \
            an email address, a token, a card number, an IP address, or credentials or a query in a URL. It shows none of these values. \
            Exits with 1 if it finds any, and shows the redaction with which the app does not record such strings.

            Examples:
              telemetry doctor --directory /srv/telemetry
              telemetry doctor --relay https://relay.example.com --token-file token
              telemetry doctor --privacy
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Option(name: .customLong("read-up-to"), help: "Read the events of a directory with at most this many. Default: 250000.")
    var readLimit: Int?

    private static let defaultReadLimit = 250_000

    @Flag(name: .customLong("privacy"), help: "Only look for personal data and tokens in events.")
    var checksPrivacy = false

    func validate() throws {
        if let readLimit {
            guard readLimit >= 0 else { throw ValidationError("--read-up-to must be at least 0.") }
            guard !checksPrivacy else { throw ValidationError("--privacy reads all events; leave out --read-up-to.") }
        }
    }

    func perform(_ console: Console) async throws {
        if checksPrivacy { return try await checkPrivacy(of: store.open(console), console) }
        let location = try store.located()
        let collector = DiagnosticsCollector()
        let transport = try location.open { collector.add($0) }
        if output.format == .table { console.line("telemetry \(LiveTelemetryVersion.version)") }
        var findings: [StoreExamination.Finding] = []
        if let relay = location.relay {
            let examination = RelayExamination(relay)
            findings = await examination.findings()
            // If the relay cannot be used, its store cannot be checked.
            guard findings.allSatisfy({ $0.severity != .error }) else { return try end(findings, [], console) }
        }
        if output.format == .table {
            let info = await transport.debugDatabaseInfo().split(separator: "\n").map { String($0).visible }
            console.line(info.joined(separator: "\n"))
            console.line()
        }
        let examination = StoreExamination(location: location, transport: transport)
        findings += await examination.files()
        findings += try await examination.records()
        findings += examination.writers()
        findings += try await events(of: transport, isDirectory: location.relay == nil, examination, console)
        try end(findings, collector.all, console)
    }

    private func checkPrivacy(of transport: any TelemetryTransporting, _ console: Console) async throws {
        var report = PrivacyReport()
        try await EventReader(transport: transport, filter: .all).read(after: nil, following: false) { page in
            for event in page.events { report.add(event) }
            console.progress("… \(counted(report.eventCount, "event")) read")
            return true
        }
        console.endProgress()
        guard !report.counts.isEmpty else {
            return console.note("Nothing in \(counted(report.eventCount, "event")) looks like personal data or a token.")
        }
        output.print(report.objects, report.table, console)
        if !report.declarations.isEmpty {
            console.note("To keep such strings from being recorded, set in the configuration of the app's service:")
            for declaration in report.declarations { console.note("  \(declaration)") }
        }
        if report.hasNames { console.note("Names are recorded as they are: change the calls that put such values into names.") }
        throw ToolFailure(
            .failed, "\(counted(report.eventCount, "event")) read; some contain what looks like personal data or a token.")
    }

    /// Checks the events; of a directory with too many only their summaries.
    private func events(
        of transport: any TelemetryTransporting, isDirectory: Bool, _ examination: StoreExamination, _ console: Console
    ) async throws -> [StoreExamination.Finding] {
        if isDirectory {
            let summary = try await EventSummary(countedBy: transport, matching: EventCriteria(), console)
            guard summary.all.events <= readLimit ?? Self.defaultReadLimit else {
                return [examination.unreadEvents(summary)] + examination.events(summary)
            }
        }
        return examination.events(try await EventSummary(of: transport, matching: EventCriteria(), console))
    }

    private func end(
        _ findings: [StoreExamination.Finding], _ diagnostics: [TelemetryDiagnostic], _ console: Console
    ) throws {
        let findings = findings + diagnostics.map(finding)
        for finding in findings {
            switch output.format {
            case .table: show(finding, console)
            case .json: console.line(JSONLine(finding).text)
            }
        }
        let errorCount = findings.count { $0.severity == .error }
        guard errorCount == 0 else { throw ToolFailure(.failed, "\(counted(errorCount, "problem")) found; see above.") }
    }

    private func show(_ finding: StoreExamination.Finding, _ console: Console) {
        let mark =
            switch finding.severity {
            case .ok: console.style.green("✓")
            case .warning: console.style.yellow("!")
            case .error: console.style.red("✗")
            }
        console.line("\(mark) \(finding.text.visible)")
        if let advice = finding.advice { console.line(console.style.dim("  → \(advice.visible)")) }
    }

    private func finding(_ diagnostic: TelemetryDiagnostic) -> StoreExamination.Finding {
        guard diagnostic.kind == .tornTail else { return .init(.error, diagnostic.message) }
        return .init(.warning, diagnostic.message, "a process was killed while writing; no stored event is lost")
    }
}
