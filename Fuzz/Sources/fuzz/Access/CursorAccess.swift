@testable import TelemetryCloudKit
@testable import TelemetrySystem
@testable import TelemetryTransport

/// The parsers of cursors that callers pass to a store.
enum CursorAccess {
    /// Parses and reformats a cursor of the file store. Returns nil if it is not a cursor of this store.
    static func file(_ text: String, ofStore storeID: String) -> String? {
        JournalPosition(text: text, ofStore: storeID)?.text(ofStore: storeID)
    }

    /// Parses and reformats a cursor of CloudKit. Returns nil if it is invalid.
    static func cloudKit(_ text: String) -> String? {
        try? CloudKitEventCursor(TelemetryCursor(rawValue: text)).cursor.rawValue
    }
}
