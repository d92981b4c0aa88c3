@_spi(Tooling) import TelemetryModels

/// A field of an event that a query can name.
public struct EventField: Sendable, Hashable {
    /// The fields of every event by which events are counted.
    static let common = ["scenario", "name", "severity", "client", "app", "device"].map(EventField.init(name:))

    static let client = EventField(name: "client")

    /// The name in a query, without quotation marks.
    let name: String

    /// A field that is not an attribute.
    init(name: String) { self.name = name }

    /// An attribute, whatever its key is.
    init(attribute key: String) {
        let prefix = "attributes."
        let isAmbiguous = QueryField.builtInNames.contains(key) || key.unicodeScalars.starts(with: prefix.unicodeScalars)
        name = isAmbiguous ? prefix + key : key
    }

    /// The term for the events with this value; for a missing value, those without the field.
    func term(for value: String?) -> String {
        value.map { "\(Self.quoted(name)):=\(Self.quoted($0))" } ?? "-\(Self.quoted(name)):*"
    }

    /// The pipe that counts the most frequent values.
    var topPipe: String { "| top \(TopRequest.limit) \(Self.quoted(name))" }

    /// A string of the language. Scalars are compared, because a combining character may follow a quotation mark.
    public static func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
