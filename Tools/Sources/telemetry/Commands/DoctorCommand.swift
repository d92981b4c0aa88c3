import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DoctorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check a store for problems, and show how to fix them.",
        discussion: """
            Exits with 1 if problems are found. A client's LiveTelemetry version is known once it has stored events.

            Example: telemetry doctor --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions

    func perform(_ console: Console) async throws {
        let directory = try store.located()
        let collector = DiagnosticsCollector()
        let transport = try directory.open { collector.add($0) }
        console.line("telemetry \(LiveTelemetryVersion.version)")
        console.line(
            await transport.debugDatabaseInfo().split(separator: "\n").map { String($0).visible }.joined(separator: "\n"))
        console.line()
        let examination = StoreExamination(directory: directory.url, transport: transport)
        var findings = await examination.files()
        findings += try await examination.records()
        findings += examination.writers()
        findings += examination.events(try await EventSummary(of: transport, matching: .all, console))
        for finding in findings { show(finding, console) }
        for diagnostic in collector.all { show(diagnostic, console) }
        let errorCount = findings.count { $0.severity == .error } + collector.all.count { $0.kind != .tornTail }
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

    private func show(_ diagnostic: TelemetryDiagnostic, _ console: Console) {
        let isHarmless = diagnostic.kind == .tornTail
        console.line("\(isHarmless ? console.style.yellow("!") : console.style.red("✗")) \(diagnostic.message.visible)")
        if isHarmless {
            console.line(console.style.dim("  → a process was killed while writing; no stored event is lost"))
        }
    }
}
