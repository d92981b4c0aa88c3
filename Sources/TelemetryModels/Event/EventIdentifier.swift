import Synchronization

/// Identifiers of events: a random part that is generated once per process, a dash, and a number.
///
/// The random part has 128 bits, so processes, machines and restarts do not share one. Incrementing a counter costs a few
/// nanoseconds per event; generating a UUID per event costs more than a microsecond on Linux.
public enum EventIdentifier {
    private static let prefix = randomPrefix()
    private static let counter = Atomic<UInt64>(0)

    /// Returns an identifier that no other call returns, in this process or another.
    public static func unique() -> String {
        make(sessionId: prefix, sequence: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The identifier of the event with this number in a session whose identifier is unique: `<sessionId>-<sequence>`.
    public static func make(sessionId: String, sequence: UInt64) -> String {
        // Interpolation takes several times as long.
        var sessionId = sessionId
        return sessionId.withUTF8 { prefix in
            // A number of 64 bits has at most 20 digits.
            String(unsafeUninitializedCapacity: prefix.count + 21) { bytes in
                var end = bytes.initialize(fromContentsOf: prefix)
                bytes.initializeElement(at: end, to: UInt8(ascii: "-"))
                end += 1
                let first = end
                var rest = sequence
                repeat {
                    bytes.initializeElement(at: end, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                    rest /= 10
                    end += 1
                } while rest > 0
                bytes[first..<end].reverse()
                return end
            }
        }
    }

    /// 26 letters and digits that hold 128 random bits: Crockford's Base 32 in lower case.
    public static func randomPrefix() -> String {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let words = (generator.next(), generator.next())
        var text: [UInt8] = []
        for index in 0..<13 {
            text.append(alphabet[Int(truncatingIfNeeded: words.0 >> UInt64(5 * index)) & 31])
            text.append(alphabet[Int(truncatingIfNeeded: words.1 >> UInt64(5 * index)) & 31])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
