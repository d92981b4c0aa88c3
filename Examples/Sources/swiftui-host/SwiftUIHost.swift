#if canImport(SwiftUI) && canImport(CloudKit) && !os(watchOS)
import SwiftUI
import TelemetryCloudKit
import TelemetryLifecycle
import TelemetryLogging
import TelemetryUI

/// An app with telemetry: one line for the delegate, two in the task.
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

/// The app's content, with the telemetry settings below it.
struct ShopView: View {
    let telemetry: TelemetryLifecycleService
    @State private var items = 0

    var body: some View {
        VStack {
            Button {
                items += 1
                // Evaluated only while the scenario is enabled.
                telemetry.telemetryLogger.logEvent(name: "cart.added", scenario: "Checkout", property1: "\(items) items")
            } label: {
                Text(verbatim: "Add to cart (\(items))")
            }
            TelemetryToggleView(lifecycle: telemetry)
        }
    }
}
#else
/// Prints where the example can be built.
@main
enum SwiftUIHost {
    static func main() { print("This example requires SwiftUI and CloudKit; build it with Xcode.") }
}
#endif
