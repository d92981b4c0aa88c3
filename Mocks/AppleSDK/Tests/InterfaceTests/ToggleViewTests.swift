import Foundation
import SwiftUI
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import TelemetryUI
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// The view's contents and actions, as far as the SwiftUI stand-in supports them.
@MainActor
@Suite(.serialized)
struct ToggleViewTests {
    private let transport = InMemoryTelemetryTransport()
    private let service: TelemetryLifecycleService
    private let view: TelemetryToggleView

    init() {
        service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
            identifierGenerator: FixedIdentifierGenerator("abcdefghjk"), configuration: .init(clock: ManualClock()),
            logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        view = TelemetryToggleView(lifecycle: service)
    }

    private var nodes: [StandInNode] { StandInNode.nodes(of: view).flatMap(\.all) }

    private func node(_ kind: StandInNode.Kind, _ text: String) throws -> StandInNode {
        try #require(nodes.first { $0.kind == kind && $0.texts.contains(text) })
    }

    private func appear() async throws {
        let task = try #require(nodes.compactMap(\.task).first)
        await task()
    }

    @Test("At first the view shows a toggle that is off, and why nothing is recorded")
    func off() async throws {
        try await appear()
        #expect(service.status == .disabled)
        let toggle = try node(.toggle, "Share diagnostics")
        #expect(toggle.isOn?.wrappedValue == false)
        #expect(toggle.modifiers["accessibilityHint"] == "Nothing is recorded unless you turn this on and it is approved.")
        #expect(nodes.contains { $0.modifiers["accessibilityValue"] == "Off" })
        #expect(!nodes.contains { $0.texts.contains("End session") })
    }

    @Test("Turning the toggle on requests telemetry, and shows the status and the client's code")
    func optIn() async throws {
        try await appear()
        try node(.toggle, "Share diagnostics").isOn?.wrappedValue = true
        await view.sections.model.finished()
        #expect(service.status == .pendingApproval)
        #expect(try node(.toggle, "Share diagnostics").isOn?.wrappedValue == true)
        _ = try node(.label, "Waiting for approval")
        _ = try node(.section, "abcdefghjk")
        try node(.button, "Copy client code").action?()
        _ = try node(.button, "Copied")
        #if canImport(UIKit)
        #expect(UIPasteboard.general.string == "abcdefghjk")
        #else
        #expect(NSPasteboard.general.string(forType: .string) == "abcdefghjk")
        #endif
        try node(.toggle, "Share diagnostics").isOn?.wrappedValue = false
        await view.sections.model.finished()
        #expect(service.settings == .defaults)
        await service.shutdown()
    }

    @Test("Each scenario has a toggle, which overrides its state")
    func scenarios() async throws {
        try await appear()
        try await service.registerScenarios(["Network", "Checkout"])
        let names = nodes.filter { $0.kind == .toggle }.flatMap(\.texts)
        #expect(names == ["Share diagnostics", "Checkout", "Allowed", "Network", "Allowed"])
        try node(.toggle, "Network").isOn?.wrappedValue = true
        await view.sections.model.finished()
        #expect(service.scenarioStates == ["Network": true, "Checkout": false])
        #expect(try node(.toggle, "Network").isOn?.wrappedValue == true)
    }

    private func value(_ label: String) -> String? {
        nodes.first { $0.kind == .labeledContent && $0.texts.first == label }?.texts.last
    }

    @Test("A scenario that is on shows what is recorded, who asked for it and when it ends; one that is off shows nothing of it")
    func details() async throws {
        try await appear()
        try await service.registerScenarios(["Network"])
        #expect(value("Recorded") == nil && value("Requested by") == nil && value("Ends in") == nil)
        let end = Date.now + 600
        try await service.setScenarioEnabled("Network", enabled: true, level: .info, expires: end)
        #expect(value("Recorded") == "Important events")
        #expect(value("Requested by") == "This app")
        #expect(value("Ends in") == "relative \(end.timeIntervalSince1970)")
        try await service.setScenarioEnabled("Network", enabled: true)
        #expect(value("Recorded") == "All events" && value("Ends in") == nil)
        await service.shutdown()
    }

    @Test("A toggle forbids a scenario, whose own toggle is then off and disabled")
    func forbidden() async throws {
        try await appear()
        try await service.registerScenarios(["Network"])
        try await service.setScenarioEnabled("Network", enabled: true)
        let toggle = try node(.toggle, "Allowed")
        #expect(toggle.isOn?.wrappedValue == true && toggle.modifiers["accessibilityHint"] == "Network")
        toggle.isOn?.wrappedValue = false
        await view.sections.model.finished()
        #expect(service.deniedScenarios == ["Network"])
        let network = try node(.toggle, "Network")
        #expect(network.isOn?.wrappedValue == false && network.modifiers["disabled"] != nil)
        #expect(try node(.toggle, "Allowed").isOn?.wrappedValue == false)
        await service.shutdown()
    }

    @Test("A toggle pauses and resumes telemetry once it is requested")
    func pause() async throws {
        try await appear()
        #expect(!nodes.contains { $0.kind == .toggle && $0.texts.contains("Pause") })
        await service.enableTelemetry()
        try node(.toggle, "Pause").isOn?.wrappedValue = true
        await view.sections.model.finished()
        #expect(service.isPaused)
        try node(.toggle, "Pause").isOn?.wrappedValue = false
        await view.sections.model.finished()
        #expect(!service.isPaused)
        await service.shutdown()
    }

    @Test("The view shows what was sent today")
    func sent() async throws {
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        try await transport.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport, configuration: .init(clock: ManualClock()),
            logger: TelemetryLogger(transport: transport), scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        service.telemetryLogger.logEvent(name: "event")
        await service.telemetryLogger.flush()
        let nodes = StandInNode.nodes(of: TelemetryToggleView(lifecycle: service)).flatMap(\.all)
        let rows = nodes.filter { $0.kind == .labeledContent }.map(\.texts)
        #expect(rows.contains(["Events", "1"]))
        #expect(rows.contains { $0.first == "Size" && $0.count == 2 && $0[1].contains(/[1-9]/) })
        await service.shutdown()
    }

    @Test("A host's form can contain the sections after its own, and they start the service")
    func embedded() async throws {
        let form = Form {
            Section { Text(verbatim: "Account") }
            TelemetryToggleSections(lifecycle: service)
        }
        let nodes = StandInNode.nodes(of: form)
        #expect(nodes.map(\.kind) == [.form])
        let sections = try #require(nodes.first).children
        #expect(sections.map(\.kind) == [.section, .section])
        #expect(sections.map { $0.texts.first } == ["Account", "Share diagnostics"])
        let task = try #require(sections.flatMap(\.all).compactMap(\.task).first)
        await task()
        #expect(service.status == .disabled)
    }

    @Test("Ending the session needs a confirmation")
    func endSession() async throws {
        try await appear()
        await service.enableTelemetry()
        try await service.registerScenarios(["Network"])
        #expect(!nodes.contains { $0.kind == .dialog })
        let button = try node(.button, "End session")
        #expect(button.modifiers["role"] == "destructive")
        button.action?()
        #expect(service.scenarioStates == ["Network": false])
        let dialog = try node(.dialog, "End this session?")
        let confirm = try #require(dialog.all.first { $0.kind == .button && $0.modifiers["role"] == "destructive" })
        confirm.action?()
        await view.sections.model.finished()
        #expect(service.scenarioStates.isEmpty)
        await service.shutdown()
    }

    @Test("Checking again reads the store, and shows an approval")
    func refresh() async throws {
        try await appear()
        await service.enableTelemetry()
        let id = try #require(service.clientRecord?.recordID)
        try await transport.updateTelemetryClient(recordID: id, isEnabled: true)
        try node(.button, "Check again").action?()
        await view.sections.model.finished()
        _ = try node(.label, "On")
        await service.shutdown()
    }

    @Test("The preview shows a client that waits for approval, and stores nothing")
    func preview() async throws {
        func shown() -> [StandInNode] { StandInNode.nodes(of: TelemetryToggleViewPreviews.previews).flatMap(\.all) }
        for task in shown().compactMap(\.task) { await task() }
        let texts = shown().flatMap(\.texts)
        for text in ["Waiting for approval", "Checkout", "NetworkRequests"] { #expect(texts.contains(text)) }
    }

    @Test("Every text of the view is in the string table")
    func texts() async throws {
        try await appear()
        await service.enableTelemetry()
        try await service.registerScenarios(["Network"])
        try await service.setScenarioEnabled("Network", enabled: true, level: .info, expires: .now + 600)
        await service.pauseTelemetry()
        try node(.button, "End session").action?()
        for text in nodes.flatMap(\.texts) + nodes.flatMap(\.modifiers.values) {
            for prefix in [
                "toggle.", "status.", "code.", "scenarios.", "level.", "source.", "pause.", "sent.", "session.",
            ] {
                #expect(!text.hasPrefix(prefix))
            }
        }
        await service.shutdown()
    }
}
