#if canImport(AppKit) && canImport(CloudKit) && !canImport(UIKit)
public import AppKit
public import Foundation
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport

/// An app delegate that forwards silent pushes to the service, for hosts without their own.
///
/// ```swift
/// @NSApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
/// ```
///
/// It registers for pushes when the service begins to receive commands, and not before. A host with a delegate of its own calls
/// the service's `handleRemoteNotification(_:)` from there, or subclasses this one.
@MainActor
open class TelemetryAppDelegate: NSObject, NSApplicationDelegate {
    package let pushes = TelemetryPushHandler { NSApplication.shared.registerForRemoteNotifications() }

    /// The service that receives pushes; set by the host.
    public var telemetryLifecycle: TelemetryLifecycleService? {
        get { pushes.lifecycle }
        set { pushes.lifecycle = newValue }
    }

    /// Hands the push to the service.
    open func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]) {
        pushes.handle(TelemetryNotification(userInfo: userInfo)) { _ in }
    }
}
#endif
