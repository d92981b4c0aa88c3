import Foundation
package import TelemetryModels

/// The contents of the field ``CloudKitField/overflow``.
package struct CloudKitOverflow: Codable, Equatable, Sendable {
    /// The record's name, if CloudKit's is a hash of it.
    package var name: String?
    package var fields: [String: TelemetryValue]?

    package init(name: String? = nil, fields: [String: TelemetryValue]? = nil) {
        self.name = name
        self.fields = fields
    }

    package init?(text: String) {
        guard let overflow = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = overflow
    }

    /// Returns nil if there is nothing to store.
    package func text() throws -> String? {
        if name == nil, fields?.isEmpty ?? true { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
