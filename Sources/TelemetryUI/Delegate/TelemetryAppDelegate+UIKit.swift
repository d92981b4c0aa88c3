#if canImport(UIKit) && canImport(CloudKit) && !os(watchOS)
public import Foundation
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport
public import UIKit

/// An app delegate that hands silent pushes to the service, for hosts that have none of their own.
///
/// ```swift
/// @UIApplicationDelegateAdaptor(TelemetryAppDelegate.self) private var appDelegate
/// ```
///
/// It registers for pushes when the service begins to hear of commands, and not before. A host with a delegate of its own calls
/// the service's `handleRemoteNotification(_:)` from there, or subclasses this one.
@MainActor
open class TelemetryAppDelegate: NSObject, UIApplicationDelegate {
    package let pushes = TelemetryPushHandler { UIApplication.shared.registerForRemoteNotifications() }

    /// The service that hears of pushes; the host sets it when it has made it.
    public var telemetryLifecycle: TelemetryLifecycleService? {
        get { pushes.lifecycle }
        set { pushes.lifecycle = newValue }
    }

    /// Answers with new data where the push was word for this client, otherwise with none.
    open func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        pushes.handle(TelemetryNotification(userInfo: userInfo)) { isHandled in
            completionHandler(isHandled ? .newData : .noData)
        }
    }
}
#endif
