public import TelemetryModels
import TelemetrySystem

/// The places of the values in an event's line, which are found in one pass without creating strings, for the project's packages; not
/// part of the interface.
///
/// Only lines in the form that ``EventLineEncoder`` and the relay write have one: with the keys in their order, without unknown keys, and
/// with white space only in the attributes. The header is not known: a number may be one that it does not explain.
@_spi(Tooling)
public struct EventLineOutline: Sendable {
    /// A string, or its number in a table of the header.
    public enum Text: Sendable {
        /// The place of the string, without the quotation marks.
        case string(Range<Int>)
        case number(UInt64)
    }

    public enum Time: Sendable {
        /// Nanoseconds after the header's start.
        case offset(Int64)
        /// The place of the date, without the quotation marks.
        case date(Range<Int>)
    }

    public private(set) var sequence: Int64 = 0
    /// Whether the line has `"sequence":0`, which the relay writes for an event that it received in JSON with this number.
    public private(set) var hasExplicitZero = false
    /// Nil for the session, a dash and the sequence.
    public private(set) var identifier: Text?
    public private(set) var time = Time.offset(0)
    public private(set) var name = Text.number(0)
    public private(set) var thread: Text?
    /// Nil if it is the header's; contains nil if the event has none.
    public private(set) var scenario: Text??
    public private(set) var level: TelemetryLogLevel?
    /// The place of the event's text, with the quotation marks.
    public private(set) var text: Range<Int>?
    /// The place of the object.
    public private(set) var attributes: Range<Int>?
    /// Whether all strings that can be compared are ASCII without escapes.
    public private(set) var isPlain = true
    /// Whether the attributes' names are different and ASCII without escapes, and their values are strings, Booleans, integers, and
    /// numbers with a fraction that every reader reads as the same double.
    public private(set) var hasPlainAttributes = true
    /// Whether the attributes' names are different and ASCII without escapes, and their values can be read.
    public private(set) var hasReadableAttributes = true

    /// With more attributes, their names are not compared.
    private static let comparedAttributes = 16
    /// Every decimal number with so many digits differs from its neighbours as a double.
    private static let exactDigits = 15
    /// Every integer with so many digits fits into 64 bits.
    private static let integerDigits = 18

    /// Nil for a line in another form.
    public init?(_ line: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(line)
        guard scanner.consume(exactly: "{\"seq\":"), let sequence = Self.whole(&scanner, line).flatMap({ Int64(exactly: $0) })
        else {
            return nil
        }
        self.sequence = sequence
        if sequence == 0, scanner.consume(exactly: ",\"sequence\":0") { hasExplicitZero = true }
        if scanner.consume(exactly: ",\"id\":") {
            guard let identifier = text(&scanner, line) else { return nil }
            self.identifier = identifier
        }
        guard scanner.consume(exactly: ",\"time\":"), let time = time(&scanner, line), scanner.consume(exactly: ",\"name\":"),
            let name = text(&scanner, line)
        else { return nil }
        (self.time, self.name) = (time, name)
        if scanner.consume(exactly: ",\"thread\":") {
            guard let thread = text(&scanner, line) else { return nil }
            self.thread = thread
        }
        if scanner.consume(exactly: ",\"scenario\":") {
            if scanner.consume(exactly: "null") {
                scenario = .some(nil)
            } else {
                guard let scenario = text(&scanner, line) else { return nil }
                self.scenario = scenario
            }
        }
        if scanner.consume(exactly: ",\"level\":") {
            guard let place = Self.string(&scanner, line)?.place,
                let level = TelemetryLogLevel(bytes: UnsafeBufferPointer(rebasing: line[place]))
            else { return nil }
            self.level = level
        }
        if scanner.consume(exactly: ",\"text\":") {
            guard let string = Self.string(&scanner, line) else { return nil }
            text = string.place.lowerBound - 1..<string.place.upperBound + 1
        }
        if scanner.consume(exactly: ",\"attributes\":"), !readAttributes(&scanner, line) { return nil }
        guard scanner.consume(exactly: "}"), scanner.position == line.count else { return nil }
    }

    private mutating func text(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> Text? {
        if let number = Self.whole(&scanner, line) { return .number(number) }
        guard let string = Self.string(&scanner, line) else { return nil }
        if !string.isPlain { isPlain = false }
        return .string(string.place)
    }

    private mutating func time(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> Time? {
        if let date = Self.string(&scanner, line) {
            if !date.isPlain { isPlain = false }
            return .date(date.place)
        }
        let start = scanner.position
        guard let offset = TimeOffset.nanoseconds(&scanner) else { return nil }
        let first = line[start] == UInt8(ascii: "-") ? start + 1 : start
        let hasLeadingZero =
            line[first] == UInt8(ascii: "0") && first + 1 < scanner.position && line[first + 1] != UInt8(ascii: ".")
        return hasLeadingZero ? nil : .offset(offset)
    }

    /// A number in digits, without zeros before it; nil, with nothing consumed, for anything else.
    private static func whole(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> UInt64? {
        var digits = scanner
        let start = scanner.position
        guard let number = digits.digits(), digits.position == start + 1 || line[start] != UInt8(ascii: "0") else { return nil }
        scanner = digits
        return number
    }

    /// A valid string without white space before it; nil, with nothing consumed, for anything else.
    private static func string(
        _ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>
    ) -> (place: Range<Int>, isPlain: Bool)? {
        let start = scanner.position
        var attempt = scanner
        guard start < line.count, line[start] == UInt8(ascii: "\""), let raw = attempt.rawString() else { return nil }
        let isPlain = !raw.hasEscapes && raw.bytes.isASCII
        guard isPlain || JSONScanner.isText(raw.bytes) else { return nil }
        scanner = attempt
        return (start + 1..<scanner.position - 1, isPlain)
    }

    private mutating func readAttributes(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = scanner.position
        guard start < line.count, line[start] == UInt8(ascii: "{") else { return false }
        var attempt = scanner
        if skipAttributes(&attempt, line) {
            scanner = attempt
        } else {
            (hasPlainAttributes, hasReadableAttributes) = (false, false)
            guard scanner.skipValue() else { return false }
        }
        attributes = start..<scanner.position
        return true
    }

    private mutating func skipAttributes(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard scanner.consume(exactly: "{") else { return false }
        if scanner.consume(exactly: "}") { return true }
        var names: [Range<Int>] = []
        repeat {
            guard names.count < Self.comparedAttributes, let name = Self.string(&scanner, line), name.isPlain,
                scanner.consume(exactly: ":")
            else { return false }
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(line)[name.place])
            for known in names where known.count == name.place.count {
                if bytes.elementsEqual(UnsafeRawBufferPointer(line)[known]) { return false }
            }
            names.append(name.place)
            guard skipAttributeValue(&scanner, line) else { return false }
        } while scanner.consume(exactly: ",")
        return scanner.consume(exactly: "}")
    }

    private mutating func skipAttributeValue(_ scanner: inout JSONScanner, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = scanner.position
        guard start < line.count else { return false }
        switch line[start] {
        case UInt8(ascii: "\""): return Self.string(&scanner, line) != nil
        case UInt8(ascii: "t"): return scanner.consume(exactly: "true")
        case UInt8(ascii: "f"): return scanner.consume(exactly: "false")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let number = scanner.rawNumber() else { return false }
            if Self.isPlain(number) { return true }
            hasPlainAttributes = false
            return JSONScanner.number(number) != nil
        case UInt8(ascii: "{"):
            hasPlainAttributes = false
            return scanner.value() != nil
        default: return false
        }
    }

    /// Whether a JSON number is an integer of 64 bits, or a number with a fraction in its only spelling without an exponent.
    private static func isPlain(_ number: UnsafeBufferPointer<UInt8>) -> Bool {
        let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number[...]
        guard let point = digits.firstIndex(of: UInt8(ascii: ".")) else {
            return digits.count <= integerDigits && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
                && (digits.count == number.count || digits.first != UInt8(ascii: "0"))
        }
        return digits.count - 1 <= exactDigits && digits.last != UInt8(ascii: "0")
            && digits[(point + 1)...].allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }
}
