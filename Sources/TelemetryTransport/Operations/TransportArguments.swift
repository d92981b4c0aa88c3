package import TelemetryModels

/// The requirements for identifiers and limits passed to a transport.
package enum TransportArguments {
    /// The maximum length of a client's identifier, in bytes of UTF-8.
    package static let maximumClientIdBytes = 1_024

    /// - Throws: `.invalidArgument` for an identifier that is empty or too long.
    package static func check(clientId: String) throws(TelemetryTransportError) {
        guard !clientId.isEmpty else { throw .invalidArgument("A client identifier must not be empty.") }
        guard clientId.utf8.count <= maximumClientIdBytes else {
            throw .invalidArgument(
                "A client identifier has at most \(maximumClientIdBytes) bytes of UTF-8; this one has \(clientId.utf8.count).")
        }
    }

    /// - Throws: `.invalidArgument` for a record of the events' type: events are appended, not saved.
    package static func check(_ records: [TelemetryRecord]) throws(TelemetryTransportError) {
        guard let event = records.first(where: { $0.recordType == TelemetrySchema.recordType }) else { return }
        throw .invalidArgument("The record \(event.recordID.recordName) is an event; events are appended, not saved.")
    }

    /// - Throws: `.invalidArgument` for a page size below 1.
    package static func check(limit: Int) throws(TelemetryTransportError) {
        guard limit >= 1 else { throw .invalidArgument("The limit of a page must be at least 1; it is \(limit).") }
    }
}
