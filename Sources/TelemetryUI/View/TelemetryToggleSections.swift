#if canImport(SwiftUI)
public import SwiftUI
public import TelemetryLifecycle

/// The sections of ``TelemetryToggleView``, for a form that also has other settings.
///
/// ```swift
/// Form {
///     Section("Account") { … }
///     TelemetryToggleSections(lifecycle: telemetry)
/// }
/// ```
///
/// When the first row appears, the sections call ``/TelemetryLifecycle/TelemetryLifecycleService/startup()``, which has no effect if
/// the host already called it.
public struct TelemetryToggleSections: View {
    @State package var model: TelemetryToggleModel
    @State private var isConfirmingEnd = false
    /// The last copied code.
    @State private var copiedCode: String?

    /// - Parameter lifecycle: The app's service. It must not change while the sections are shown.
    public init(lifecycle: TelemetryLifecycleService) {
        model = TelemetryToggleModel(lifecycle: lifecycle)
    }

    @ViewBuilder public var body: some View {
        consent
        if let code = model.clientCode { clientCode(code) }
        if model.isRequested { pause }
        if !model.scenarios.isEmpty { scenarios }
        if !model.viewerActions.isEmpty { viewerActions }
        if model.isRequested, model.sentEvents != nil { sent }
        if model.clientCode != nil { session }
    }

    private var consent: some View {
        Section {
            Toggle(isOn: $model.isRequested) {
                Text(telemetry: "toggle.title")
            }
            .accessibilityHint(Text(telemetry: "toggle.hint"))
            // At a row: a modifier of several sections would apply to each of them.
            .task { await model.start() }
            Label {
                Text(telemetry: model.status.textKey)
            } icon: {
                Image(systemName: model.status.symbol)
            }
            .accessibilityLabel(Text(telemetry: "status.title"))
            .accessibilityValue(Text(telemetry: model.status.textKey))
            if let message = model.failure ?? model.statusMessage { Text(verbatim: message) }
            if model.isRequested {
                Button {
                    model.reconcile()
                } label: {
                    Text(telemetry: "status.refresh")
                }
                .disabled(model.status.isBusy)
            }
        } footer: {
            Text(telemetry: "toggle.hint")
        }
    }

    private func clientCode(_ code: String) -> some View {
        Section {
            Text(verbatim: code)
                .accessibilityLabel(Text(telemetry: "code.title"))
                .accessibilityValue(Text(verbatim: code).speechSpellsOutCharacters())
            if TelemetryPasteboard.isAvailable {
                Button {
                    TelemetryPasteboard.copy(code)
                    copiedCode = code
                } label: {
                    Text(telemetry: copiedCode == code ? "code.copied" : "code.copy")
                }
            }
        } header: {
            Text(telemetry: "code.title")
        } footer: {
            Text(telemetry: "code.hint")
        }
    }

    private var session: some View {
        Section {
            Button(role: .destructive) {
                isConfirmingEnd = true
            } label: {
                Text(telemetry: "session.end")
            }
            .confirmationDialog(
                Text(telemetry: "session.confirm"), isPresented: $isConfirmingEnd, titleVisibility: .visible
            ) {
                Button(role: .destructive) {
                    model.endSession()
                } label: {
                    Text(telemetry: "session.end")
                }
                Button(role: .cancel) {
                } label: {
                    Text(telemetry: "session.cancel")
                }
            } message: {
                Text(telemetry: "session.explanation")
            }
        }
    }
}

#endif
