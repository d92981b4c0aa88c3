import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The options that select several clients instead of one.
struct ClientGroupOptions: ParsableArguments {
    @Flag(help: "All clients, instead of CLIENT.")
    var all = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var confirm: ConfirmOptions

    /// Whether several clients are selected.
    var isGiven: Bool { all || !conditions.texts.isEmpty }

    func validate() throws {
        if all, !conditions.texts.isEmpty { throw ValidationError("Give --all or --where, not both.") }
        guard isGiven else { return }
        for condition in try conditions.parsed() where !condition.isKnownToViewers {
            let names = TelemetryClientRecord.attributeNames.joined(separator: ", ")
            throw ValidationError(
                "--where cannot use \"\(condition.attribute.visible)\", because the store does not contain it. Attributes: "
                    + "\(names). A rule can use any attribute; see: telemetry rule add --help")
        }
    }

    /// Assigns the arguments: with --all or --where there is no CLIENT, so that the first one is what follows it.
    func assign(_ client: String?, _ rest: String? = nil) throws -> (client: String?, rest: String?) {
        guard isGiven else {
            guard let client else { throw ValidationError("Give CLIENT, or --all, or --where with a condition.") }
            return (client, rest)
        }
        guard rest == nil else { throw Self.isAmbiguous }
        return (nil, client)
    }

    static var isAmbiguous: ValidationError { ValidationError("Give CLIENT, or --all, or --where, not several of them.") }

    /// Rejects the options that only apply to several clients.
    func rejectConfirmation() throws {
        if !isGiven, confirm.isGiven { throw ValidationError("--yes and --dry-run require --all or --where.") }
    }

    /// The selected clients, by name.
    /// - Throws: `ToolFailure` if there are none.
    func selected(
        over transport: any TelemetryRecordTransport, _ aliases: ClientAliases
    ) async throws -> [TelemetryClientRecord] {
        let clients = try await transport.fetchTelemetryClients()
        guard !clients.isEmpty else {
            throw ToolFailure(.notFound, "There are no clients yet; a client appears when its user opts in.")
        }
        let conditions = try conditions.parsed().map { $0.resolving(aliases) }
        let selected = clients.filter { client in
            conditions.allSatisfy { $0.holds(for: client.attributes[$0.attribute]) }
        }
        guard !selected.isEmpty else {
            throw ToolFailure(
                .notFound,
                "None of \(counted(clients.count, "client")) meets the conditions. To see their attributes: "
                    + "telemetry clients --format json")
        }
        return selected.sorted { aliases.label(of: $0.clientId) < aliases.label(of: $1.clientId) }
    }
}
