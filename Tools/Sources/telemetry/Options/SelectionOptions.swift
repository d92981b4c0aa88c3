import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The options that select events by client, date and query.
struct SelectionOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help:
            "Only events of this client: an identifier, an unambiguous prefix, an alias, or a pattern with * and ?. May be repeated.",
        completion: Completions.clients)
    var client: [String] = []

    @Option(help: "Only events since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only events before this date.")
    var until: String?

    @OptionGroup var condition: WhereOption

    func validate() throws {
        _ = try Self.date(since, "--since")
        _ = try Self.date(until, "--until")
    }

    /// - Parameter console: Where to note selected clients that the store does not contain; nil throws for them.
    func resolved(
        over transport: any TelemetryTransporting, in store: StoreOptions, notingUnknownOn console: Console? = nil
    ) async throws -> EventCriteria {
        var criteria = EventCriteria()
        if !client.isEmpty {
            let found = try await store.resolver(over: transport).clients(client, acceptsUnknown: console != nil)
            if let console { try await note(found, over: transport, console) }
            let identifiers = found.identifiers.union(found.unknown)
            // A pattern also selects clients that appear while events are followed.
            criteria.clientPatterns = console == nil ? [] : found.patterns
            if identifiers.count == 1, criteria.clientPatterns.isEmpty {
                criteria.filter.clientId = identifiers.first
            } else {
                criteria.clients = identifiers
            }
        }
        criteria.filter.since = try Self.date(since, "--since")
        criteria.filter.until = try Self.date(until, "--until")
        criteria.filter.query = try condition.query()
        return criteria
    }

    /// Whether the options exclude all new events.
    func endsInThePast() throws -> Bool { try Self.date(until, "--until").map { $0 < .now } ?? false }

    /// Prints the selected clients that are unknown, and those without a record, whose events may still be stored.
    private func note(
        _ selection: ClientSelection, over transport: any TelemetryRecordTransport, _ console: Console
    ) async throws {
        selection.warnings.forEach(console.note)
        let known = Set(try await transport.fetchTelemetryClients().map(\.clientId))
        for clientId in selection.identifiers.subtracting(known).sorted() {
            console.note(
                "Client \"\(clientId.visible.fitted(to: 80))\" has no record now: it ended its telemetry, or was deleted.")
        }
    }

    private static func date(_ text: String?, _ option: String) throws -> Date? { try text.map { try date($0, option) } }

    /// The date that a user typed.
    static func date(_ text: String, _ option: String) throws -> Date {
        guard let date = DateParser.date(text, now: .now) else {
            throw ValidationError(
                "\(option) \"\(text)\" is not a valid date. Examples: 10m, 2h, 2026-11-21, \"2026-11-21 14:03\".")
        }
        return date
    }
}
