import TelemetryModels
import TelemetryTransport

/// The client identifiers of this process.
///
/// The current one, and up to seven earlier ones, whose data it may still have to delete.
struct ClientIdentities: Sendable, Equatable {
    static let maximumCount = 8

    /// The current identifier, in normalization form C; nil if there is no client.
    private(set) var current: String?
    /// All identifiers, the newest first.
    private(set) var known: [String] = []

    /// - Throws: `.invalidArgument` for an identifier that is empty or too long; then nothing changes.
    mutating func set(_ clientId: String?) throws(TelemetryTransportError) {
        guard let clientId else {
            current = nil
            return
        }
        try TransportArguments.check(clientId: clientId)
        let name = ComposedForm.string(of: clientId)
        current = name
        known.removeAll { $0 == name }
        known.insert(name, at: 0)
        known.removeLast(max(known.count - Self.maximumCount, 0))
    }

    /// The identifiers that a request contains: only those it needs, so that identifiers are not linked without a reason.
    func names(for subject: RequestSubject) -> [String] {
        switch subject {
        case .current: return current.map { [$0] } ?? []
        case .anyKnown: return known
        case .clients(let clients):
            let named = known.filter { name in clients.contains { $0 == name } }
            return named.isEmpty ? Array(known.prefix(1)) : named
        }
    }
}

/// The clients whose data a request concerns.
enum RequestSubject: Sendable {
    /// The current client.
    case current
    /// Any of this process's clients: the request contains record names, which do not identify the client.
    case anyKnown
    /// These clients.
    case clients(Set<String>)
}
