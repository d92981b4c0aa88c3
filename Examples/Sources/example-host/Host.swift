import FileWork
import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels

/// The program itself: works on request, and prints the state of telemetry.
@MainActor
final class Host {
    private let service: TelemetryLifecycleService
    private let work: any Work
    private let tally: Tally
    private let reporter: Reporter
    private let fetcher: Fetcher
    private var runs = 0
    private var working: Task<Void, Never>?
    private var shown: Report.State?

    init(service: TelemetryLifecycleService, work: any Work, tally: Tally, reporter: Reporter) {
        self.service = service
        self.work = work
        self.tally = tally
        self.reporter = reporter
        fetcher = Fetcher(reporter: reporter)
    }

    /// Runs until `end` or `quit`. The client stays approved for the next run.
    func run(requests: AsyncStream<Request>) async {
        await service.startup()
        // Restores the user's earlier decision, then registers the scenarios.
        await service.restorationFinished()
        await attempt { try await $0.registerScenarios(work.scenarios) }
        reporter.report(.ready(scenarios: work.scenarios, session: service.telemetryLogger.currentSessionId))
        showChanges()
        var isSessionEnding = false
        for await request in requests {
            isSessionEnding = request == .end
            if isSessionEnding || request == .quit { break }
            await handle(request)
        }
        await rest()
        if isSessionEnding { await attempt { try await $0.endSession() } }
        await service.shutdown()
        await fetcher.end()
        reporter.report(.ended(session: isSessionEnding))
    }

    private func handle(_ request: Request) async {
        switch request {
        case .ask: await service.enableTelemetry()
        case .leave: await service.disableTelemetry()
        case .work:
            await rest()
            await runOnce()
        case .keepWorking:
            await rest()
            working = Task { while !Task.isCancelled { await runOnce() } }
        case .rest:
            await rest()
            reporter.report(.resting(run: runs))
        case .override(let scenario, let enabled):
            await attempt { try await $0.setScenarioEnabled(scenario, enabled: enabled) }
        case .status:
            shown = nil
            show()
        case .fetch(let url):
            do {
                reporter.report(.fetched(try await fetcher.fetch(url)))
            } catch {
                reporter.report(.problem("\(url.absoluteString): \(error.localizedDescription)"))
            }
        case .crash: await crash()
        case .unknown(let line): reporter.report(.problem("Unknown request \"\(line)\". Requests: \(Request.help)"))
        case .end, .quit: break
        }
    }

    private func runOnce() async {
        runs += 1
        let before = tally.perScenario
        let start = ContinuousClock.now
        let summary = await perform(WorkLog(logger: service.telemetryLogger, tally: tally, pass: runs))
        let recorded = tally.perScenario.merging(before) { now, then in now - then }.filter { $0.value > 0 }
        reporter.report(
            .worked(
                .init(
                    number: runs, items: summary.items, bytes: summary.bytes, recorded: recorded,
                    seconds: start.duration(to: .now) / .seconds(1))))
    }

    /// Performs the work off the main actor.
    @concurrent
    private nonisolated func perform(_ log: WorkLog) async -> WorkSummary { await work.run(log) }

    /// As a defect does: an error is logged, and its consequence ends the process later.
    private func crash() async {
        await rest()
        let log = WorkLog(logger: service.telemetryLogger, tally: tally, pass: runs)
        log.log(
            "index.damaged", scenario: work.scenarios.first ?? "", level: .info, subject: "An entry refers to no file.",
            attributes: ["severity": "error"])
        try? await Task.sleep(for: .seconds(1))
        log.log("index.used", scenario: work.scenarios.first ?? "", level: .info, subject: "The entry is looked up.")
        // An address that is not mapped.
        unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    }

    private func rest() async {
        working?.cancel()
        await working?.value
        working = nil
    }

    private func attempt(_ operation: (TelemetryLifecycleService) async throws -> Void) async {
        do { try await operation(service) } catch { reporter.report(.problem(error.localizedDescription)) }
    }

    /// Prints the state whenever it changes, as a SwiftUI view does.
    private func showChanges() {
        withObservationTracking {
            show()
        } onChange: { [weak self] in
            Task { @MainActor in self?.showChanges() }
        }
    }

    private func show() {
        let state = Report.State(
            status: "\(service.status)", client: service.settings.clientIdentifier, scenarios: service.scenarioStates,
            rules: service.overview.triggers.map(\.ruleId))
        guard state != shown else { return }
        shown = state
        reporter.report(.state(state))
    }
}
