#if canImport(UIKit) && canImport(CloudKit) && !os(watchOS)
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport
public import UIKit

/// An app delegate that forwards silent pushes to the service, for hosts without their own.
///
/// ```swift
/// @UIApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
/// ```
///
/// It registers for pushes when the service starts receiving commands. A host with its own delegate calls the service's
/// `handleRemoteNotification(_:)` from there, or subclasses this one.
@MainActor
open class TelemetryAppDelegate: NSObject, UIApplicationDelegate {
    package let pushes = TelemetryPushHandler { UIApplication.shared.registerForRemoteNotifications() }

    /// The service that receives pushes; set by the host.
    public var telemetryLifecycle: TelemetryLifecycleService? {
        get { pushes.lifecycle }
        set { pushes.lifecycle = newValue }
    }

    /// Reports new data if the push was for this client, otherwise no data.
    open func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        pushes.handle(TelemetryNotification(userInfo: userInfo)) { isHandled in
            completionHandler(isHandled ? .newData : .noData)
        }
    }

    /// Reports the failure to the service's diagnostics handler.
    open func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        pushes.registrationFailed(error)
    }
}
#endif
