import Foundation
import HTTPTypes
import Hummingbird
import Logging
@_spi(Tooling) import TelemetrySystem

/// `/debug/logs`: stores batches and answers queries.
struct DebugLogRoutes: Sendable {
    let storage: any DebugLogStorage
    let access: RelayAccess
    let metrics: RelayMetrics
    let wait: PageWait
    let bodies: WaitingBodies
    let decoding: BodyDecoding
    let bodyLimit: Int
    let batchLimit: Int

    func add(to group: RouterGroup<RelayRequestContext>) {
        group.post("debug/logs") { request, context -> Response in
            do {
                try request.expectJSON()
                let body = try await request.boundedBody(limit: bodyLimit)
                guard let caller = context.trace.caller else { throw Problem.unauthorized("A valid token is required.") }
                try access.admitDebugLogs(bytes: body.readableBytes, of: caller)
                return try await RequestOwners.$current.withValue(caller.owners) {
                    try await bodies.run(body.readableBytes, for: caller) {
                        try await store(Data(body.readableBytesView), logger: context.logger)
                    }
                }
            } catch let error as Request.BadBody {
                return try .refusal(error.status, error.reason)
            }
        }
        group.get("debug/logs") { request, context -> Response in
            let query: DebugLogQuery
            do {
                query = try DebugLogQuery(QueryParameters.pairs(in: request.uri.query ?? "", plusIsSpace: false))
            } catch let error as DebugLogQuery.Malformed {
                return try .refusal(.badRequest, error.description)
            }
            return try await answer(context.logger) {
                let page = try await self.page(of: query, context)
                return try .json(
                    Found(
                        entries: page.entries, cursor: String(page.cursor), hasMore: page.hasMore,
                        newest: String(page.newest)))
            }
        }
    }

    /// Returns the page for a query, waiting for an entry if it asks for that.
    private func page(of query: DebugLogQuery, _ context: RelayRequestContext) async throws -> DebugLogPage {
        guard let caller = context.trace.caller else { throw Problem.unauthorized("A valid token is required.") }
        return try await wait.page(within: query.wait, for: caller, hints: storage.hints) { page in
            // A cursor above all numbers belongs to another relay: the client has to detect this at once.
            page.entries.isEmpty && !page.hasMore && query.cursor ?? 0 <= page.newest
        } read: { last in
            var query = query
            query.cursor = last?.cursor ?? query.cursor
            return try await RequestOwners.$current.withValue(caller.owners) { [query] in try await storage.page(of: query) }
        }
    }

    private func store(_ body: Data, logger: Logger) async throws -> Response {
        let batch: DebugLogBatch
        do {
            batch = try await decoding.run(body.count) { try DebugLogBatch(body: body) }
        } catch let problem as Problem {
            throw problem
        } catch let error as JSONReaderError {
            return try .refusal(.badRequest, "the body is not a batch: \(error.description)")
        } catch let error as DebugLog.Refusal {
            return try .refusal(.badRequest, "the body is not a batch: \(error.reason)")
        }
        guard batch.entries.count <= batchLimit else {
            return try .refusal(.contentTooLarge, "\(batch.entries.count) entries exceed the limit of \(batchLimit)")
        }
        let good = batch.good
        return try await answer(logger) {
            let new = good.isEmpty ? 0 : try await storage.store(good)
            let receipt = DebugLogReceipt(stored: new, duplicates: good.count - new, rejected: batch.refusals)
            metrics.count(receipt)
            if let first = receipt.rejected.first {
                // Counted in the metrics and answered; what anybody may send is not worth a line of the log each time.
                logger.debug(
                    "entries rejected", metadata: ["count": "\(receipt.rejected.count)", "first": "\(first.reason)"])
            }
            return try .json(receipt, status: receipt.rejected.isEmpty ? .ok : .badRequest)
        }
    }

    /// Responds to a storage failure with 503, so that the client keeps its batch.
    private func answer(_ logger: Logger, _ work: () async throws -> Response) async throws -> Response {
        do {
            return try await work()
        } catch let problem as Problem {
            throw problem
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            logger.error("the storage failed", metadata: ["error": "\(error)"])
            return try .json(["error": "the storage failed"], status: .serviceUnavailable, headers: [.retryAfter: "10"])
        }
    }

    private struct Found: Encodable {
        let entries: [DebugLog]
        let cursor: String
        let hasMore: Bool
        let newest: String

        private enum CodingKeys: String, CodingKey {
            case entries, cursor
            case hasMore = "has_more"
            case newest
        }
    }
}
