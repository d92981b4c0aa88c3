#if canImport(SwiftUI)
import SwiftUI
import TelemetryLifecycle
import TelemetryModels

/// The scenarios.
extension TelemetryToggleSections {
    var scenarios: some View {
        Section {
            ForEach(model.scenarios, id: \.name) { scenario in
                Toggle(isOn: $model[scenario: scenario.name]) { Text(verbatim: scenario.name) }
                    .disabled(scenario.isForbidden)
                details(of: scenario)
                Toggle(isOn: $model[allowed: scenario.name]) { Text(telemetry: "scenarios.allowed") }
                    .accessibilityHint(Text(verbatim: scenario.name))
            }
        } header: {
            Text(telemetry: "scenarios.title")
        } footer: {
            Text(telemetry: "scenarios.hint")
        }
    }

    @ViewBuilder
    private func details(of scenario: TelemetryOverview.Scenario) -> some View {
        let display = TelemetryScenarioDisplay(scenario.state)
        if scenario.state.isEnabled {
            LabeledContent {
                Text(telemetry: display.levelKey)
            } label: {
                Text(telemetry: "scenarios.level")
            }
            if let source = display.sourceKey {
                LabeledContent {
                    Text(telemetry: source)
                } label: {
                    Text(telemetry: "scenarios.source")
                }
            }
            // The system updates these durations.
            if let end = scenario.state.expires {
                LabeledContent {
                    Text(end, style: .relative)
                } label: {
                    Text(telemetry: "scenarios.timeLeft")
                }
            }
            if let end = scenario.state.suspendedUntil {
                LabeledContent {
                    Text(end, style: .relative)
                } label: {
                    Text(telemetry: "scenarios.suspended")
                }
            }
        }
        if scenario.isRecordedWhileOff { Text(telemetry: "scenarios.recorded") }
    }
}
#endif
