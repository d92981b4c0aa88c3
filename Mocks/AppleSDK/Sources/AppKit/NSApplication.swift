// As the SDK's AppKit, so that a public import of Foundation next to one of AppKit is found to be unused.
@_exported public import Foundation
import Synchronization

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
    /// <https://developer.apple.com/documentation/appkit/nsapplicationdelegate/application(_:didfailtoregisterforremotenotificationswitherror:)>
    func application(_ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

/// <https://developer.apple.com/documentation/appkit/nspasteboard>
///
/// Neither isolated nor `Sendable`.
public final class NSPasteboard {
    /// <https://developer.apple.com/documentation/appkit/nspasteboard/pasteboardtype>
    public struct PasteboardType: Hashable, Sendable {
        let name: String
        /// <https://developer.apple.com/documentation/appkit/nspasteboard/pasteboardtype/string>
        public static let string = PasteboardType(name: "public.utf8-plain-text")
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/general>
    public static var general: NSPasteboard { NSPasteboard() }
    private static let contents = Mutex<(texts: [PasteboardType: String], changeCount: Int)>(([:], 0))

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/clearcontents()>
    @discardableResult
    public func clearContents() -> Int {
        Self.contents.withLock { contents in
            contents = ([:], contents.changeCount + 1)
            return contents.changeCount
        }
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/setstring(_:fortype:)>
    @discardableResult
    public func setString(_ string: String, forType dataType: PasteboardType) -> Bool {
        Self.contents.withLock { $0.texts[dataType] = string }
        return true
    }

    /// <https://developer.apple.com/documentation/appkit/nspasteboard/string(fortype:)>
    public func string(forType dataType: PasteboardType) -> String? { Self.contents.withLock { $0.texts[dataType] } }
}
