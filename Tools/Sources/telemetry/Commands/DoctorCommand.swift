import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DoctorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look a store over: what it is, what is wrong with it, and how to mend it.",
        discussion: """
            Exits with 1 where something must be mended. A client's version of LiveTelemetry is known once it has stored events.

            Example: telemetry doctor --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions

    func perform(_ console: Console) async throws {
        let directory = try store.located()
        let troubles = Troubles()
        let transport = try directory.open { troubles.add($0) }
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
        for diagnostic in troubles.all { show(diagnostic, console) }
        let bad = findings.count { $0.grade == .bad } + troubles.all.count { $0.kind != .tornTail }
        guard bad == 0 else { throw ToolFailure(.failed, "\(counted(bad, "thing")) must be mended, as told above.") }
    }

    private func show(_ finding: StoreExamination.Finding, _ console: Console) {
        let mark =
            switch finding.grade {
            case .good: console.style.green("✓")
            case .odd: console.style.yellow("!")
            case .bad: console.style.red("✗")
            }
        console.line("\(mark) \(finding.text.visible)")
        if let advice = finding.advice { console.line(console.style.dim("  → \(advice.visible)")) }
    }

    private func show(_ diagnostic: TelemetryDiagnostic, _ console: Console) {
        let isHarmless = diagnostic.kind == .tornTail
        console.line("\(isHarmless ? console.style.yellow("!") : console.style.red("✗")) \(diagnostic.message.visible)")
        if isHarmless {
            console.line(console.style.dim("  → a process was killed while it wrote; nothing that was stored is lost"))
        }
    }
}
