import Foundation

/// Parses cursors, which callers store and may change.
enum CursorTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        for candidate in [text, "S.\(text)"] {
            if let once = CursorAccess.file(candidate, ofStore: "S") {
                require(CursorAccess.file(once, ofStore: "S") == once, "\(once) changes when it is written")
            }
        }
        for candidate in [text, "ck1;\(text)"] {
            if let once = CursorAccess.cloudKit(candidate) {
                require(CursorAccess.cloudKit(once) == once, "\(once) changes when it is written")
            }
        }
    }
}
