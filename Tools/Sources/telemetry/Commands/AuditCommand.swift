import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct AuditCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who did what over a relay: approvals, commands, reads, deletions and others.",
        usage: "telemetry audit [options]",
        discussion: """
            Requires a relay, and a token with the role viewer or auditor. With --client, reads and deletions of events that were \
            not limited to one client are included, because they can concern this client too: their client is \
            "\(AuditListing.anyClient)".

            Examples:
              telemetry audit --client web-1 --since 30d
              telemetry audit --action events.export --action events.delete --all
              telemetry audit --token anna -n 200 -o json
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Option(
        name: .shortAndLong, help: "Only entries of this client, by its whole identifier or its alias.",
        completion: Completions.clients)
    var client: String?

    @Option(help: "Only entries of the token with this name.")
    var token: String?

    @Option(
        help: "Only entries with this action; may be repeated. Actions: \(AuditEntry.actions.joined(separator: ", ")).",
        completion: .list(AuditEntry.actions))
    var action: [String] = []

    @Option(help: "Only entries since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only entries before this date.")
    var until: String?

    @Option(
        name: [.long, .customLong("tail"), .customShort("n")],
        help: "Only this many of the newest entries. Default: \(Self.defaultCount).")
    var last: Int?

    @Flag(help: "All entries.")
    var all = false

    private static let defaultCount = 50

    func validate() throws {
        if let last, last < 1 { throw ValidationError("--last must be at least 1.") }
        if last != nil, all { throw ValidationError("Give --last or --all, not both.") }
        _ = try dates()
    }

    func perform(_ console: Console) async throws {
        let location = try store.located()
        guard let relay = location.relay else {
            throw ToolFailure(
                .data,
                "\(location.name.visible) is a directory. Only a relay has an audit: use --relay URL, or a relay's context.")
        }
        let aliases = try store.aliases()
        var filter = AuditReader.Filter()
        filter.client = client.map { aliases.identifiers[$0] ?? $0 }
        filter.token = token
        filter.actions = action
        (filter.since, filter.until) = try dates()
        let audit = AuditReader(relay)
        var (entries, hasEarlier): ([AuditEntry], Bool) = ([], false)
        if !all {
            (entries, hasEarlier) = try await audit.newest(last ?? Self.defaultCount, matching: filter)
        } else if output.format == .table {
            try await audit.readAll(matching: filter) { entries += $0 }
        } else {
            return try await printAll(audit, filter, console)
        }
        guard !entries.isEmpty else { return noteNothing(console) }
        output.print(
            entries.map(\.jsonLine), AuditListing(entries, aliases: aliases).table(style: console.style), console)
        if entries.contains(where: \.concernsAnyClient) { noteAnyClient(console) }
        if hasEarlier, last == nil { console.note("Earlier entries match, too. To see them: --last COUNT, or --all") }
    }

    /// Prints the objects of each page when it is read.
    private func printAll(_ audit: AuditReader, _ filter: AuditReader.Filter, _ console: Console) async throws {
        var (isEmpty, concernsAnyClient) = (true, false)
        try await audit.readAll(matching: filter) { entries in
            entries.forEach { console.line($0.jsonLine.text) }
            if !entries.isEmpty { isEmpty = false }
            if entries.contains(where: \.concernsAnyClient) { concernsAnyClient = true }
        }
        if isEmpty { noteNothing(console) }
        if concernsAnyClient { noteAnyClient(console) }
    }

    private func noteNothing(_ console: Console) {
        console.note(
            "No entries match.\(client == nil ? "" : " --client takes a client's whole identifier, or its alias.")")
    }

    private func noteAnyClient(_ console: Console) {
        guard let client else { return }
        let place = output.format == .table ? "with the client \"\(AuditListing.anyClient)\"" : "without a client"
        console.note(
            "Entries \(place) are reads and deletions of events that were not limited to one client. They can concern "
                + "\(client.visible.fitted(to: 80)) too.")
    }

    private func dates() throws -> (since: Date?, until: Date?) {
        (try since.map { try SelectionOptions.date($0, "--since") }, try until.map { try SelectionOptions.date($0, "--until") })
    }
}
