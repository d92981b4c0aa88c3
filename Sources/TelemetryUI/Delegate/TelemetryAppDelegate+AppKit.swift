#if canImport(AppKit) && canImport(CloudKit) && !canImport(UIKit)
public import AppKit
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport

/// An app delegate that forwards silent pushes to the service, for hosts without their own.
///
/// ```swift
/// @NSApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
/// ```
///
/// It registers for pushes when the service starts receiving commands. A host with its own delegate calls the service's
/// `handleRemoteNotification(_:)` from there, or subclasses this one.
@MainActor
open class TelemetryAppDelegate: NSObject, NSApplicationDelegate {
    package let pushes = TelemetryPushHandler { NSApplication.shared.registerForRemoteNotifications() }

    /// The service that receives pushes; set by the host.
    public var telemetryLifecycle: TelemetryLifecycleService? {
        get { pushes.lifecycle }
        set { pushes.lifecycle = newValue }
    }

    /// Passes the push to the service.
    open func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]) {
        pushes.handle(TelemetryNotification(userInfo: userInfo)) { _ in }
    }

    /// Reports the failure to the service's diagnostics handler.
    open func application(_ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        pushes.registrationFailed(error)
    }
}
#endif
