public import Foundation

/// <https://developer.apple.com/documentation/appkit/nsapplication>
@MainActor
public final class NSApplication: NSObject {
    /// <https://developer.apple.com/documentation/appkit/nsapplication/shared>
    public static let shared = NSApplication()

    /// <https://developer.apple.com/documentation/appkit/nsapplication/registerforremotenotifications()>
    public func registerForRemoteNotifications() { standInRegistrations += 1 }

    /// The number of times the app registered.
    public private(set) var standInRegistrations = 0
}

/// <https://developer.apple.com/documentation/appkit/nsapplicationdelegate>
///
/// Optional requirements of the SDK are required here, so that a different signature does not compile.
@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
    /// <https://developer.apple.com/documentation/appkit/nsapplicationdelegate/application(_:didreceiveremotenotification:)>
    func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any])
}

/// <https://developer.apple.com/documentation/appkit/nspasteboard>
@MainActor
public final class NSPasteboard {
    /// <https://developer.apple.com/documentation/appkit/nspasteboard/pasteboardtype>
    public struct PasteboardType: Hashable, Sendable {
        let name: String
        /// <https://developer.apple.com/documentation/appkit/nspasteboard/pasteboardtype/string>
        public static let string = PasteboardType(name: "public.utf8-plain-text")
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/general>
    public static let general = NSPasteboard()
    private var contents: [PasteboardType: String] = [:]
    private var changeCount = 0

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/clearcontents()>
    @discardableResult
    public func clearContents() -> Int {
        contents = [:]
        changeCount += 1
        return changeCount
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/setstring(_:fortype:)>
    @discardableResult
    public func setString(_ string: String, forType dataType: PasteboardType) -> Bool {
        contents[dataType] = string
        return true
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/string(fortype:)>
    public func string(forType dataType: PasteboardType) -> String? { contents[dataType] }
}
