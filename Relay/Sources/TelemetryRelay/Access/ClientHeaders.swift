import Foundation
import HTTPTypes
@_spi(Tooling) import TelemetryModels

/// The two headers with which a host names its clients and authenticates as them.
enum ClientHeaders {
    /// The maximum number of clients in one request.
    static let maximumClients = 8

    private static let clientName = HTTPField.Name("Telemetry-Client")
    private static let keyName = HTTPField.Name("Telemetry-Client-Key")

    /// The clients, each with the hash of its key; nil if neither header is present.
    /// - Throws: a 401 if one header is missing or either is malformed.
    static func keys(in headers: HTTPFields) throws(Problem) -> [RelayClientKey]? {
        let clients = clientName.flatMap { headers[$0] }
        let keys = keyName.flatMap { headers[$0] }
        guard clients != nil || keys != nil else { return nil }
        guard let clients, let keys else { throw .unauthorized("Telemetry-Client or Telemetry-Client-Key is missing.") }
        let identifiers = try list(clients).map(identifier)
        let hashes = try list(keys).map(hash)
        guard identifiers.count == hashes.count, (1...maximumClients).contains(identifiers.count) else {
            throw .unauthorized("The client headers must list the same number of values, 1 to \(maximumClients).")
        }
        var found: [RelayClientKey] = []
        for (clientId, hash) in zip(identifiers, hashes) {
            if let earlier = found.first(where: { $0.clientId == clientId }) {
                guard earlier.hash == hash else { throw .unauthorized("Telemetry-Client lists one client with two keys.") }
            } else {
                found.append(RelayClientKey(clientId: clientId, hash: hash))
            }
        }
        return found
    }

    private static func list(_ value: String) -> [Substring] {
        // One part more than there may be, to be refused.
        value.split(separator: ",", maxSplits: maximumClients, omittingEmptySubsequences: false).map { part in
            var bytes = part.utf8
            while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
            while let last = bytes.last, isSpace(last) { bytes.removeLast() }
            return Substring(bytes)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func identifier(_ text: Substring) throws(Problem) -> String {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let decoded = PercentCoding.decode(text),
            (1...ClientIdentifier.maximumBytes).contains(decoded.utf8.count)
        else { throw .unauthorized("Telemetry-Client is not a percent-encoded identifier.") }
        return ClientIdentifier.normalized(decoded)
    }

    private static func hash(_ text: Substring) throws(Problem) -> Data {
        guard text.utf8.count == 64, let key = PercentCoding.bytes(ofHexadecimal: text) else {
            throw .unauthorized("Telemetry-Client-Key is not 64 hexadecimal digits.")
        }
        return Data(SHA256.digest(of: key))
    }
}
