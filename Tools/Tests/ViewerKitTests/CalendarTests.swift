import Foundation
@_spi(Tooling) import TelemetryModels
import Testing

@testable import ViewerKit

/// Dates are written and parsed in the proleptic Gregorian calendar in every year of the stored form.
struct CalendarTests {
    /// Two days of each year with their strings.
    private static let days: [(text: String, date: Date)] = {
        var first = -719_162
        return (1...9_999).flatMap { (year: Int) -> [(text: String, date: Date)] in
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            defer { first += isLeap ? 366 : 365 }
            // January and March: before and after a leap day that the Julian and the Gregorian calendar may differ in.
            return [(1, 0), (3, isLeap ? 60 : 59)].map { (month: Int, before: Int) in
                let day = year * 7 % 31 + 1
                let seconds = Double(first + before + day - 1) * 86_400 + 43_200
                return (String(format: "%04d-%02d-%02d", year, month, day), Date(timeIntervalSince1970: seconds))
            }
        }
    }()

    @Test("Dates of all years from 1 to 9999 are written in the stored form and for users")
    func written() {
        let time = TimeText(timeZone: .gmt)
        for (text, date) in Self.days {
            #expect(TimestampText.string(nearest: date) == "\(text)T12:00:00.000Z")
            #expect(time.dayAndTime(date) == "\(text) 12:00:00.000")
        }
    }

    @Test("Dates of all years from 1 to 9999 are parsed, with and without a time zone")
    func typed() {
        let now = Date(timeIntervalSince1970: 0)
        for (text, date) in Self.days {
            #expect(DateParser.date("\(text)T12:00:00Z", now: now) == date)
            #expect(DateParser.date("\(text)T13:30:00+01:30", now: now) == date)
            #expect(DateParser.date("\(text) 12:00", now: now, timeZone: .gmt) == date)
        }
    }

    @Test("An exported event of any year decodes as the same event, to the stored precision")
    func exported() throws {
        var json = EventJSON()
        let texts = ["0001-01-01T00:00:00.000Z", "1500-03-01T00:00:00.123456789Z", "9999-12-31T23:59:59.999999999Z"]
        for text in texts {
            let stored =
                #"{"eventId":"e","sessionId":"s","eventName":"n","eventTimestamp":"\#(text)","attributes":{"d":{"date":"\#(text)"}}}"#
            let event = try JSONDecoder().decode(TelemetryEvent.self, from: Data(stored.utf8))
            var bytes: [UInt8] = []
            json.append(event, to: &bytes)
            #expect(try JSONDecoder().decode(TelemetryEvent.self, from: Data(bytes)) == event, "\(text)")
        }
    }

    @Test("Dates are written in a time zone, or in UTC if the local date is out of range")
    func zones() throws {
        let east = TimeText(timeZone: try #require(TimeZone(secondsFromGMT: 7_200)))
        let west = TimeText(timeZone: try #require(TimeZone(secondsFromGMT: -7_200)))
        let last = Date(timeIntervalSince1970: 253_402_300_799.5)
        #expect(east.dayAndTime(Date(timeIntervalSince1970: 0.123)) == "1970-01-01 02:00:00.123")
        #expect(west.time(Date(timeIntervalSince1970: 0.1239)) == "22:00:00.123")
        #expect(east.dayAndTime(last) == "9999-12-31 23:59:59.500")
        #expect(west.dayAndTime(Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01 00:00:00.000")
    }

    @Test(
        "A day that is not in the calendar is rejected",
        arguments: ["1500-02-29", "1582-13-01", "2026-02-29", "0000-01-01", "10000-01-01"])
    func noDays(text: String) { #expect(DateParser.date(text, now: .now, timeZone: .gmt) == nil) }
}
