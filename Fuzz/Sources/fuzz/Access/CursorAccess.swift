@testable import TelemetryCloudKit
@testable import TelemetryStorage
@testable import TelemetryTransport

/// The readers of cursors that callers give back.
enum CursorAccess {
    /// The file store's cursor as it would be written anew; nil where it is none of the store's.
    static func file(_ text: String, ofStore storeID: String) -> String? {
        JournalPosition(text: text, ofStore: storeID)?.text(ofStore: storeID)
    }

    /// The same for CloudKit's.
    static func cloudKit(_ text: String) -> String? {
        try? CloudKitEventCursor(TelemetryCursor(rawValue: text)).cursor.rawValue
    }
}
