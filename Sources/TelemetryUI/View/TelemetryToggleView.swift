#if canImport(SwiftUI)
import Foundation
public import SwiftUI
public import TelemetryLifecycle
import TelemetryTransport

/// The person's side of telemetry: to opt in and out, see how it stands, hand out the client's code, override scenarios and end
/// a session.
///
/// A form of its own; put it into a settings screen. It calls
/// ``/TelemetryLifecycle/TelemetryLifecycleService/startup()`` once, which does no harm beside the host's own call. Its texts are
/// in the package's string table.
public struct TelemetryToggleView: View {
    @State package var model: TelemetryToggleModel
    @State private var isConfirmingEnd = false

    /// - Parameter lifecycle: The service of the app; the same for as long as the view is shown.
    public init(lifecycle: TelemetryLifecycleService) {
        _model = State(initialValue: TelemetryToggleModel(lifecycle: lifecycle))
    }

    public var body: some View {
        @Bindable var model = model
        Form {
            consent($model)
            if let code = model.clientCode { clientCode(code) }
            if !model.scenarios.isEmpty { scenarios($model) }
            if model.clientCode != nil { session }
        }
        .task { await model.start() }
    }

    private func consent(_ bindable: Bindable<TelemetryToggleModel>) -> some View {
        Section {
            Toggle(isOn: bindable.isRequested) {
                Text("toggle.title", bundle: .module)
            }
            .accessibilityHint(Text("toggle.hint", bundle: .module))
            Label {
                Text(LocalizedStringKey(model.status.textKey), bundle: .module)
            } icon: {
                Image(systemName: model.status.symbol)
            }
            .accessibilityLabel(Text("status.title", bundle: .module))
            .accessibilityValue(Text(LocalizedStringKey(model.status.textKey), bundle: .module))
            if let message = model.failure ?? model.statusMessage { Text(verbatim: message) }
            if model.isRequested {
                Button {
                    model.reconcile()
                } label: {
                    Text("status.refresh", bundle: .module)
                }
                .disabled(model.status.isBusy)
            }
        } footer: {
            Text("toggle.hint", bundle: .module)
        }
    }

    private func clientCode(_ code: String) -> some View {
        Section {
            Text(verbatim: code)
                .accessibilityLabel(Text("code.title", bundle: .module))
                .accessibilityValue(Text(verbatim: code))
            if TelemetryPasteboard.isAvailable {
                Button {
                    TelemetryPasteboard.copy(code)
                } label: {
                    Text("code.copy", bundle: .module)
                }
            }
        } header: {
            Text("code.title", bundle: .module)
        } footer: {
            Text("code.hint", bundle: .module)
        }
    }

    private func scenarios(_ bindable: Bindable<TelemetryToggleModel>) -> some View {
        Section {
            ForEach(model.scenarios, id: \.self) { name in
                Toggle(isOn: bindable[scenario: name]) { Text(verbatim: name) }
            }
        } header: {
            Text("scenarios.title", bundle: .module)
        } footer: {
            Text("scenarios.hint", bundle: .module)
        }
    }

    private var session: some View {
        Section {
            Button(role: .destructive) {
                isConfirmingEnd = true
            } label: {
                Text("session.end", bundle: .module)
            }
            .confirmationDialog(
                Text("session.confirm", bundle: .module), isPresented: $isConfirmingEnd, titleVisibility: .visible
            ) {
                Button(role: .destructive) {
                    model.endSession()
                } label: {
                    Text("session.end", bundle: .module)
                }
                Button(role: .cancel) {
                } label: {
                    Text("session.cancel", bundle: .module)
                }
            } message: {
                Text("session.explanation", bundle: .module)
            }
        }
    }
}

struct TelemetryToggleViewPreviews: PreviewProvider {
    static var previews: some View {
        TelemetryToggleView(lifecycle: TelemetryLifecycleService(transport: InMemoryTelemetryTransport()))
    }
}
#endif
