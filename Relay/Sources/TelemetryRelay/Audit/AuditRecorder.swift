import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Records who did what over HTTP.
///
/// A host's token is public. Entries that hosts and refused requests cause are limited, and say how many were left out.
final class AuditRecorder: Sendable {
    private let storage: any RelayAuditStorage
    private let sources: RateLimiter<String>
    private let all: RateLimiter<RelayAuditEntry.Action>
    private let omitted = Mutex(0)

    /// The maximum number of entries of one action that hosts or refused requests cause, of one token and address: a minute, and at once.
    static let limit = (perMinute: 4, burst: 60)
    /// The same of all tokens and addresses.
    static let totalLimit = (perMinute: 60, burst: 1_000)
    static let refusals: Set<HTTPResponse.Status> = [.unauthorized, .forbidden, .tooManyRequests]

    init(storage: any RelayAuditStorage, uptime: @escaping @Sendable () -> Duration) {
        self.storage = storage
        sources = RateLimiter(perMinute: Self.limit.perMinute, burst: Self.limit.burst, uptime: uptime)
        all = RateLimiter(perMinute: Self.totalLimit.perMinute, burst: Self.totalLimit.burst, uptime: uptime)
    }

    /// The number of entries that were left out since the relay began.
    var omittedEntries: Int { omitted.withLock(\.self) }

    /// Records what was done, unless it was a host.
    func record(
        _ action: RelayAuditEntry.Action, by caller: RelayCaller, client: String?, detail: @autoclosure () -> String
    ) async throws {
        guard caller.role != .host else { return }
        try await storage.append(RelayAuditEntry(action, by: caller.actor, client: client, detail: detail()))
    }

    /// Records that an account signed in.
    func recordSignIn(of actor: RelayActor) async throws { try await storage.append(RelayAuditEntry(.signIn, by: actor)) }

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
        let source = [entry.action.rawValue, entry.actor.token ?? "", SourceNetwork.name(of: entry.actor.address ?? "")]
        let isAdmitted = sources.take(from: source.joined(separator: " ")) == nil && all.take(from: entry.action) == nil
        let count = omitted.withLock { omitted in
            if !isAdmitted { omitted += 1 }
            return omitted
        }
        guard isAdmitted, count > 0 else { return isAdmitted ? entry : nil }
        let detail = ["omittedSoFar=\(count)", entry.detail].filter { !$0.isEmpty }.joined(separator: " ")
        return RelayAuditEntry(entry.action, by: entry.actor, client: entry.client, detail: detail, status: entry.status)
    }
}

/// Records requests of known tokens that are refused.
struct RefusalAudit: RouterMiddleware {
    let audit: AuditRecorder

    func handle(
        _ request: Request, context: RelayRequestContext, next: (Request, RelayRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            if let status = Problem(error)?.status, AuditRecorder.refusals.contains(status), let actor = context.trace.actor {
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
