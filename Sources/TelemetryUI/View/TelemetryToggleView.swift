#if canImport(SwiftUI)
public import SwiftUI
public import TelemetryLifecycle

/// A form in which a user opts in and out, sees the status and what was sent today, copies the client's code, pauses, overrides
/// and forbids scenarios, and ends a session.
///
/// Each scenario shows what is recorded, for how long, and who asked for it.
///
/// Put it into a settings screen, or ``TelemetryToggleSections`` into a form of your own. It calls
/// ``/TelemetryLifecycle/TelemetryLifecycleService/startup()`` once, even if the host calls it too. Its strings are English; a host can
/// translate or replace them in its own string table named `LiveTelemetry`, with the same keys.
public struct TelemetryToggleView: View {
    package let sections: TelemetryToggleSections

    /// - Parameter lifecycle: The app's service. It must not change while the view is shown.
    public init(lifecycle: TelemetryLifecycleService) {
        sections = TelemetryToggleSections(lifecycle: lifecycle)
    }

    public var body: some View {
        Form { sections }
    }
}
#endif
