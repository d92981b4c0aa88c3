#if canImport(SwiftUI)
package import SwiftUI
import TelemetryLifecycle
import TelemetryLogging
import TelemetryPersistence
import TelemetryTransport

/// Previews of a client that waits for approval, with two scenarios and in-memory stores: the view, and its sections in another form.
package struct TelemetryToggleViewPreviews: PreviewProvider {
    private static let service = TelemetryLifecycleService(
        settingsStore: InMemoryTelemetrySettingsStore(), transport: InMemoryTelemetryTransport(),
        logger: NoopTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())

    package static var previews: some View {
        TelemetryToggleView(lifecycle: service).task {
            await service.enableTelemetry()
            try? await service.registerScenarios(["Checkout", "NetworkRequests"])
        }
        Form {
            Section { Text(verbatim: "Another setting") }
            TelemetryToggleSections(lifecycle: service)
        }
    }
}
#endif
