public import Foundation

/// <https://developer.apple.com/documentation/uikit/uiapplication>
@MainActor
public final class UIApplication: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiapplication/shared>
    public static let shared = UIApplication()

    /// <https://developer.apple.com/documentation/uikit/uiapplication/registerforremotenotifications()>
    public func registerForRemoteNotifications() { standInRegistrations += 1 }

    /// How often the app registered.
    public private(set) var standInRegistrations = 0
}

/// <https://developer.apple.com/documentation/uikit/uibackgroundfetchresult>
public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

/// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate>
///
/// What is optional in the SDK is required here, so that a signature that differs does not compile.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate/application(_:didreceiveremotenotification:fetchcompletionhandler:)>
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
}

/// <https://developer.apple.com/documentation/uikit/uipasteboard>
@MainActor
public final class UIPasteboard {
    /// <https://developer.apple.com/documentation/uikit/uipasteboard/general>
    public static let general = UIPasteboard()
    /// <https://developer.apple.com/documentation/uikit/uipasteboard/string>
    public var string: String?
}
