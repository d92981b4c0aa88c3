import Foundation
import ModelContext
@_spi(Tooling) import TelemetryArticles
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The store on which the tools work.
struct MCPStore: Sendable {
    let location: StoreLocation
    let transport: any TelemetryTransporting
    let aliases: ClientAliases
    /// The name with which commands are sent.
    let issuer: String
    /// The maximum number of seconds for which a scenario is enabled.
    let maximumLease: TimeInterval

    var resolver: ClientResolver { ClientResolver(transport: transport, aliases: aliases) }

    /// The tools, without those that send commands if only reading is allowed.
    func tools(isReadOnly: Bool) -> [MCPTool] {
        let all =
            ListingTools(store: self).all + EventTools(store: self).all + [WaitingTool(store: self).tool]
            + SessionTools(store: self).all + ControlTools(store: self).all
        return all.filter { !isReadOnly || !$0.controls }
    }

    /// The parameters that select events.
    static let selection = [
        MCPParameter("client", .text, clientHelp),
        MCPParameter("scenario", .text, "Only events of this scenario."),
        MCPParameter("session", .text, "Only events of this session."),
        MCPParameter(
            "query", .text,
            "A filter in the query language, such as status:>=500 \"card declined\". See the resource \(MCPResource.queryLanguage.uri)."
        ),
        MCPParameter("since", .text, "Only events since this date: 10m (ago), 2h, 2026-11-21T14:03:00Z."),
    ]

    static let clientHelp = "A client's identifier, an unambiguous prefix of it, or its alias, as list_clients shows them."

    /// The events that the arguments for ``selection`` select, and whether they exclude some events of a session.
    func filter(_ arguments: MCPArguments) async throws -> (filter: TelemetryEventFilter, isNarrow: Bool) {
        var filter = TelemetryEventFilter.all
        if let client = arguments.text("client") { filter.clientId = try await resolver.identifier(client) }
        filter.sessionId = arguments.text("session")
        if let scenario = arguments.text("scenario") { filter.scenarios = [scenario] }
        if let since = arguments.text("since") { filter.since = try Self.date(since) }
        if let query = arguments.text("query") { filter.query = try TelemetryQuery(filter: query) }
        return (filter, filter.scenarios != nil || filter.since != nil || filter.query != nil)
    }

    static func date(_ text: String) throws -> Date {
        guard let date = DateParser.date(text, now: .now) else {
            throw ToolFailure(
                .data, "since \"\(text.visible.fitted(to: 80))\" is not a valid date. Examples: 10m, 2h, 2026-11-21T14:03:00Z.")
        }
        return date
    }

    /// Explains an error. It may name clients and scenarios.
    func failure(describing error: any Error) async -> String {
        guard let error = error as? TelemetryQueryError else {
            return await "\(location.failure(describing: error).message) \(MCPEvents.notice)"
        }
        let page = MCPResource.queryLanguage.uri
        return "The query is invalid at byte \(error.offset): \(error.message) For the language, read \(page)."
    }
}

extension MCPStore {
    /// What a client is told before its first call.
    static let instructions = """
        LiveTelemetry shows what running apps do. An app's user has opted in, and a person has approved it. list_clients shows the apps, \
        list_scenarios what each can record. What is not recorded yet: enable_scenario for a few minutes, wait_for_events, read_events. For \
        counts, percentiles and groups: query. \(MCPEvents.notice)
        """
}

extension MCPResource {
    static let queryLanguage = MCPResource(
        uri: "telemetry://query-language", name: "query-language", title: "The query language",
        description: "How to ask: fields, terms, pipes and limits.",
        text: Articles.askingQuestions)
}
