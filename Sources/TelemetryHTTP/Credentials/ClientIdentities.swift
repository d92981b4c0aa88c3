import TelemetryModels
import TelemetryTransport

/// The identifiers that this process has had as a client.
///
/// The present one, and up to seven before it, under which it may still have to delete what it left.
struct ClientIdentities: Sendable, Equatable {
    static let maximumCount = 8

    /// The present identifier, in form C; nil where there is no client.
    private(set) var current: String?
    /// Every identifier, the newest first.
    private(set) var known: [String] = []

    /// - Throws: `.invalidArgument` for an identifier that is empty or too long; then nothing changes.
    mutating func set(_ clientId: String?) throws(TelemetryTransportError) {
        guard let clientId else {
            current = nil
            return
        }
        try NameRules.check(clientId: clientId)
        let name = ComposedForm.string(of: clientId)
        current = name
        known.removeAll { $0 == name }
        known.insert(name, at: 0)
        known.removeLast(max(known.count - Self.maximumCount, 0))
    }

    /// The identifiers that a request names: no more than it needs, so that an identifier is not linked to an earlier one
    /// without reason.
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

/// Whose data a request is about.
enum RequestSubject: Sendable {
    /// The present client's.
    case current
    /// Any client's that this process has been: the request names records, and those do not say whose they are.
    case anyKnown
    /// These clients'.
    case clients(Set<String>)
}
