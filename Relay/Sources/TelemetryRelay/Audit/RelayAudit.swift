import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Records who did what over HTTP.
///
/// Whoever has a token decides how often it is refused, and that of a host is public. What they cause is therefore recorded at a limited
/// rate for each token and address; the next entry says how many were left out.
final class RelayAudit: Sendable {
    private let storage: any RelayAuditStorage
    private let limiter: RateLimiter<String>
    private let omitted = Mutex(0)

    /// The maximum number of entries of hosts and of refused requests, of one token and address: a minute, and at once.
    static let limit = (perMinute: 4, burst: 60)
    static let refusals: Set<HTTPResponse.Status> = [.unauthorized, .forbidden, .tooManyRequests]

    init(storage: any RelayAuditStorage, uptime: @escaping @Sendable () -> Duration) {
        self.storage = storage
        limiter = RateLimiter(perMinute: Self.limit.perMinute, burst: Self.limit.burst, uptime: uptime)
    }

    /// The number of entries that were left out since the last one that says so.
    var omittedEntries: Int { omitted.withLock(\.self) }

    /// Records what was done, unless it was a host.
    func record(
        _ action: RelayAuditEntry.Action, by caller: RelayCaller, client: String?, detail: @autoclosure () -> String
    ) async throws {
        guard caller.role != .host else { return }
        try await storage.append(RelayAuditEntry(action, by: caller.actor, client: client, detail: detail()))
    }

    /// Records a refused request of a known token.
    func recordRefusal(of actor: RelayActor, _ request: String, status: Int) async throws {
        let entry = RelayAuditEntry(.refuseRequest, by: actor, detail: request, status: status)
        guard let entry = limited(entry) else { return }
        try await storage.append(entry)
    }

    /// The entry to write for what a caller does; nil if a host causes too many.
    func admitted(_ entry: RelayAuditEntry, of caller: RelayCaller) -> RelayAuditEntry? {
        caller.role == .host ? limited(entry) : entry
    }

    private func limited(_ entry: RelayAuditEntry) -> RelayAuditEntry? {
        let source = "\(entry.actor.token ?? "") \(SourceNetwork.name(of: entry.actor.address ?? ""))"
        guard limiter.take(from: source) == nil else {
            omitted.withLock { $0 += 1 }
            return nil
        }
        let count = omitted.withLock { omitted in
            defer { omitted = 0 }
            return omitted
        }
        guard count > 0 else { return entry }
        var entry = entry
        var omission = AuditDetail()
        omission.add("omittedBefore", "\(count)")
        entry.detail = [omission.text, entry.detail].filter { !$0.isEmpty }.joined(separator: " ")
        return entry
    }
}

/// Records requests of known tokens that are refused.
struct RefusalAudit: RouterMiddleware {
    let audit: RelayAudit

    func handle(
        _ request: Request, context: RelayRequestContext, next: (Request, RelayRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            if let status = Problem(error)?.status, RelayAudit.refusals.contains(status), let actor = context.trace.actor {
                let route = "\(request.method.rawValue.prefix(20)) \(context.endpointPath ?? "none")"
                do {
                    try await audit.recordRefusal(of: actor, route, status: status.code)
                } catch let failure {
                    context.logger.error("a refused request cannot be recorded", metadata: ["error": "\(failure)"])
                }
            }
            throw error
        }
    }
}
