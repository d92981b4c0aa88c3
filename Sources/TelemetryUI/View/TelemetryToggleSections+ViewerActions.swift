#if canImport(SwiftUI)
import Foundation
import SwiftUI
import TelemetryLifecycle

/// What viewers did.
extension TelemetryToggleSections {
    var viewerActions: some View {
        Section {
            ForEach(model.viewerActions, id: \.id) { action in
                LabeledContent {
                    Text(verbatim: action.date.formatted(date: .abbreviated, time: .shortened))
                } label: {
                    Text(telemetry: TelemetryViewerActionDisplay(action.action).textKey)
                    if let scenario = action.scenario { Text(verbatim: scenario) }
                    if let issuer = action.issuer { Text(verbatim: issuer) }
                }
            }
        } header: {
            Text(telemetry: "actions.title")
        } footer: {
            Text(telemetry: "actions.hint")
        }
    }
}
#endif
