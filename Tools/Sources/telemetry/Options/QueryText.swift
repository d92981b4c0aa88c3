import ArgumentParser
@_spi(Tooling) import TelemetryModels
import ViewerKit

/// Queries on the command line.
enum QueryText {
    static func query(_ text: String) throws -> TelemetryQuery { try parse(text) { try TelemetryQuery($0) } }

    /// A query without pipes.
    static func filter(_ text: String) throws -> TelemetryQuery { try parse(text) { try TelemetryQuery(filter: $0) } }

    /// - Throws: an error with the text and a mark under the error's position.
    private static func parse(_ text: String, _ parse: (String) throws -> TelemetryQuery) throws -> TelemetryQuery {
        do {
            return try parse(text)
        } catch let error as TelemetryQueryError {
            let before = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self).visible
            let mark = String(repeating: " ", count: before.displayWidth) + "^"
            throw ValidationError("\(error.message)\n  \(text.visible)\n  \(mark)")
        }
    }
}
