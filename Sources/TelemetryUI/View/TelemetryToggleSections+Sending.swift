#if canImport(SwiftUI)
import Foundation
import SwiftUI

/// The pause, and what was sent.
extension TelemetryToggleSections {
    var pause: some View {
        Section {
            Toggle(isOn: $model.isPaused) { Text(telemetry: "pause.title") }
                .accessibilityHint(Text(telemetry: "pause.hint"))
            if model.isPausedByViewer { Text(telemetry: "pause.byViewer") }
        } footer: {
            Text(telemetry: "pause.hint")
        }
    }

    var sent: some View {
        Section {
            LabeledContent {
                refreshed { $0.sentEvents }
            } label: {
                Text(telemetry: "sent.events")
            }
            LabeledContent {
                refreshed { $0.sentSize }
            } label: {
                Text(telemetry: "sent.size")
            }
        } header: {
            Text(telemetry: "sent.title")
        } footer: {
            Text(telemetry: "sent.hint")
        }
    }

    /// A text that is read again every five seconds, because the logger's counts are not observable.
    private func refreshed(_ text: @escaping @MainActor (TelemetryToggleModel) -> String?) -> some View {
        TimelineView(.periodic(from: .now, by: 5)) { _ in Text(verbatim: text(model) ?? "") }
    }
}
#endif
