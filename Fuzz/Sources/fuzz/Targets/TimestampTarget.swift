import Foundation
import ViewerKit

/// Parses dates with all readers, or writes dates of any bits with all writers.
enum TimestampTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let mode = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if mode & 1 == 0 { read(rest) } else { write(rest) }
    }

    private static func read(_ text: [UInt8]) {
        var access = TimestampAccess()
        for text in text.split(separator: 0x0A) {
            let text = Array(text)
            let date = TimestampAccess.date(text)
            require(access.date(text) == date, "two readers differ over \(String(decoding: text, as: UTF8.self))")
            if let date { compareWriters(date, &access) }
        }
        let whole = String(decoding: text, as: UTF8.self)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        if let date = DateParser.date(whole, now: now, timeZone: .gmt) { _ = TimestampAccess.text(date) }
        if let seconds = DurationText.seconds(whole) { _ = DurationText.string(seconds: seconds) }
    }

    private static func write(_ bytes: [UInt8]) {
        var access = TimestampAccess()
        bytes.withUnsafeBufferPointer { bytes in
            var input = ByteInput(bytes)
            repeat {
                compareWriters(Date(timeIntervalSinceReferenceDate: Double(bitPattern: input.word())), &access)
            } while !input.isAtEnd
        }
    }

    private static func compareWriters(_ date: Date, _ access: inout TimestampAccess) {
        let text = TimestampAccess.text(date)
        let seconds = date.timeIntervalSinceReferenceDate
        require(access.text(date) == text, "two writers differ over \(seconds)")
        guard let text else { return }
        guard let again = TimestampAccess.date(Array(text.utf8)) else { violated("\(text) cannot be read back") }
        require(Sameness.holds(date, again), "\(text) reads back as another date than \(seconds)")
    }
}
