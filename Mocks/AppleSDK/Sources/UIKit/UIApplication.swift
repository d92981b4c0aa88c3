// As the SDK's UIKit.
@_exported public import Foundation

/// <https://developer.apple.com/documentation/uikit/uiapplication>
@MainActor
public final class UIApplication: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiapplication/shared>
    public static let shared = UIApplication()

    /// <https://developer.apple.com/documentation/uikit/uiapplication/registerforremotenotifications()>
    public func registerForRemoteNotifications() { standInRegistrations += 1 }

    /// The number of times the app registered.
    public private(set) var standInRegistrations = 0
    /// The names of the background tasks that were begun and not ended.
    public private(set) var standInBackgroundTasks: [UIBackgroundTaskIdentifier: String] = [:]
    private var expirations: [UIBackgroundTaskIdentifier: @MainActor @Sendable () -> Void] = [:]
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var begun = 0

    /// <https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)>
    public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        begun += 1
        let identifier = UIBackgroundTaskIdentifier(rawValue: begun)
        standInBackgroundTasks[identifier] = taskName ?? ""
        expirations[identifier] = handler
        return identifier
    }

    /// <https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:)>
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        precondition(standInBackgroundTasks[identifier] != nil, "There is no such background task.")
        standInBackgroundTasks[identifier] = nil
        expirations[identifier] = nil
        guard standInBackgroundTasks.isEmpty else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Returns when every background task has ended.
    public func standInBackgroundTasksEnded() async {
        guard !standInBackgroundTasks.isEmpty else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Ends the time for background tasks: calls their expiration handlers.
    public func standInExpire() { for handler in expirations.values { handler() } }
}

/// <https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier>
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// <https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid>
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// <https://developer.apple.com/documentation/uikit/uibackgroundfetchresult>
public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

/// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate>
///
/// Optional requirements of the SDK are required here, so that a different signature does not compile.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate/application(_:didreceiveremotenotification:fetchcompletionhandler:)>
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate/application(_:didfailtoregisterforremotenotificationswitherror:)>
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

/// <https://developer.apple.com/documentation/uikit/uipasteboard>
@MainActor
public final class UIPasteboard {
    /// <https://developer.apple.com/documentation/uikit/uipasteboard/general>
    public static let general = UIPasteboard()
    /// <https://developer.apple.com/documentation/uikit/uipasteboard/string>
    public var string: String?
}
