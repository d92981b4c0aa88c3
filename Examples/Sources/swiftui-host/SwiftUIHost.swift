#if canImport(SwiftUI) && canImport(CloudKit) && !os(watchOS)
import SwiftUI
import TelemetryCloudKit
import TelemetryLifecycle
import TelemetryLogging
import TelemetryUI

/// An app with telemetry in it: a line for the delegate, two in the task.
@main
struct SwiftUIHost: App {
    #if canImport(UIKit)
    @UIApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
    #else
    @NSApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
    #endif
    @State private var telemetry = TelemetryLifecycleService(
        transport: CloudKitTransport(containerIdentifier: "iCloud.com.example.shop"))

    var body: some Scene {
        WindowGroup {
            ShopView(telemetry: telemetry)
                .task {
                    appDelegate.telemetryLifecycle = telemetry
                    await telemetry.startup()
                    try? await telemetry.registerScenarios(["Checkout", "NetworkRequests"])
                }
        }
    }
}

/// What the app is for, and the telemetry's settings below it.
struct ShopView: View {
    let telemetry: TelemetryLifecycleService
    @State private var items = 0

    var body: some View {
        VStack {
            Button {
                items += 1
                // Built only while a viewer has turned the scenario on.
                telemetry.telemetryLogger.logEvent(name: "cart.added", scenario: "Checkout", property1: "\(items) items")
            } label: {
                Text(verbatim: "Add to cart (\(items))")
            }
            TelemetryToggleView(lifecycle: telemetry)
        }
    }
}
#else
/// Says where the example runs.
@main
enum SwiftUIHost {
    static func main() { print("This host needs SwiftUI, CloudKit and an app delegate; build it with Xcode.") }
}
#endif
