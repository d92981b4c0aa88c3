import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

struct TimestampFormatTests {
    @Test(
        "Dates and their texts",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"), (1_795_248_000.123, "2026-11-21T08:00:00.123Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
            (978_307_200, "2001-01-01T00:00:00.000Z"), (-2_208_988_800, "1900-01-01T00:00:00.000Z"),
        ])
    func moments(seconds: Double, text: String) {
        #expect(TimestampFormat.string(from: Date(timeIntervalSince1970: seconds)) == text)
        #expect(TimestampFormat.date(from: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "Dates outside the years 1 to 9999 have no text",
        arguments: [-62_135_596_800.001, 253_402_300_800, 1e12, -1e12, .infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func outside(seconds: Double) {
        #expect(TimestampFormat.string(from: Date(timeIntervalSince1970: seconds)) == nil)
        var bytes: [UInt8] = [1]
        #expect(!TimestampFormat.append(Date(timeIntervalSince1970: seconds), to: &bytes))
        #expect(bytes == [1])
    }

    @Test("A fraction has zero to nine digits")
    func fractions() {
        for (fraction, nanoseconds) in [
            ("", 0), (".5", 500_000_000), (".25", 250_000_000), (".123", 123_000_000), (".123456", 123_456_000),
            (".123456789", 123_456_789), (".000000001", 1),
        ] {
            let date = TimestampFormat.date(from: "2026-11-21T08:00:00\(fraction)Z")
            let expected = Date(timeIntervalSinceReferenceDate: 816_940_800 + Double(nanoseconds) / 1e9)
            #expect(abs(date?.timeIntervalSince(expected) ?? 1) < 2e-7, "\(fraction)")
        }
    }

    @Test(
        "A text that is not a date in UTC is nil",
        arguments: [
            "", "Z", "2026-11-21", "2026-11-21T08:00:00", "2026-11-21T08:00:00+01:00", "2026-11-21 08:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-11-00T00:00:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:00:60Z", "0000-01-01T00:00:00Z",
            "2026-11-21T08:00:00.Z",
            "2026-11-21T08:00:00.1234567890Z", "2026-11-21T08:00:00.12x4Z", "-026-11-21T08:00:00Z", "+026-11-21T08:00:00Z",
            "2026-11-21T08:00:00,123Z", "２026-11-21T08:00:00Z", "2026-11-21T08:00:00.123z", " 2026-11-21T08:00:00Z",
        ])
    func noDates(text: String) {
        #expect(TimestampFormat.date(from: text) == nil)
    }

    @Test("Dates outside 2^24 seconds of the reference date are read back exactly")
    func exact() {
        var generated = Generated(stream: 30)
        for _ in 0..<10_000 {
            let date = generated.date()
            let text = TimestampFormat.string(from: date)
            #expect(text.flatMap { TimestampFormat.date(from: $0) } == date, "seed \(randomSeed): \(text ?? "nil")")
        }
    }

    @Test("Dates near the reference date are read back to the nanosecond, and whole milliseconds within 60 ns")
    func fine() throws {
        var generated = Generated(stream: 31)
        let random = (0..<5_000).map { _ in Double.random(in: -16_777_216...16_777_216, using: &generated) }
        // One in a million has nanoseconds that are whole milliseconds, as this one.
        for interval in random + [1000.123] {
            let date = Date(timeIntervalSinceReferenceDate: interval)
            let text = try #require(TimestampFormat.string(from: date))
            let read = try #require(TimestampFormat.date(from: text))
            let tolerance = text.hasSuffix("000000Z") ? 6e-8 : 1e-9
            #expect(abs(read.timeIntervalSince(date)) < tolerance, "seed \(randomSeed): \(interval)")
        }
    }

    @Test("Foundation reads and writes the same dates, from the year 1600 on")
    func foundation() throws {
        // Before 1582 Foundation's calendar is the Julian one.
        var generated = Generated(stream: 32)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2_000 {
            let milliseconds = Int64.random(in: -11_676_096_000_000...253_402_300_799_999, using: &generated)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = try #require(TimestampFormat.string(from: date))
            #expect(text.utf8.count == 24, "whole milliseconds have three digits: \(text)")
            #expect(abs(try style.parse(text).timeIntervalSince(date)) < 1e-3, "seed \(randomSeed): \(text)")
            let whole = Date(timeIntervalSince1970: Double(milliseconds / 1000))
            #expect(TimestampFormat.date(from: whole.formatted(.iso8601)) == whole, "seed \(randomSeed): \(text)")
        }
    }

    @Test(
        "Every date that can be read can be written", arguments: ["0001-01-01T00:00:00", "9999-12-31T23:59:59"])
    func ends(second: String) throws {
        for fraction in ["", ".9", ".999", ".9999", ".99999", ".999999", ".9999999", ".99999999", ".999999999", ".000000001"] {
            let date = try #require(TimestampFormat.date(from: "\(second)\(fraction)Z"))
            let text = try #require(TimestampFormat.string(from: date), "\(fraction)")
            #expect(text.hasPrefix(second.prefix(4)))
            #expect(TimestampFormat.date(from: text) == date)
        }
    }

    @Test("A random day of every year from 1 to 9999 is written and read correctly")
    func everyYear() throws {
        // Counted year by year, independently of the implementation's formulas.
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var days = -719_162
        var generated = Generated(stream: 34)
        for year in 1...9_999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let month = Int.random(in: 1...12, using: &generated)
            let before = lengths[..<(month - 1)].reduce(0, +) + (isLeap && month > 2 ? 1 : 0)
            let day = Int.random(in: 1...(lengths[month - 1] + (isLeap && month == 2 ? 1 : 0)), using: &generated)
            let text = String(format: "%04d-%02d-%02dT00:00:00.000Z", year, month, day)
            let date = Date(timeIntervalSince1970: Double(days + before + day - 1) * 86_400)
            #expect(TimestampFormat.string(from: date) == text, "seed \(randomSeed)")
            #expect(TimestampFormat.date(from: text) == date, "seed \(randomSeed)")
            days += isLeap ? 366 : 365
        }
    }

    @Test("Texts sort in the order of their dates")
    func order() throws {
        var generated = Generated(stream: 33)
        let dates = (0..<2_000).map { _ in generated.milliseconds() }.sorted()
        let texts = dates.compactMap { TimestampFormat.string(from: $0) }
        #expect(texts == texts.sorted())
    }
}
