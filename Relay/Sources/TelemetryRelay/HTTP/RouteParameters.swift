/// What a route takes beside its path and body: nothing else is read, and any other parameter of a query is refused.
struct RouteParameters: Sendable, Hashable {
    /// The names that a query may have.
    var query: Set<String> = []
    /// Whether a host says which clients it is.
    var provesClients = false
    /// Whether `Last-Event-ID` says where an earlier stream ended.
    var resumes = false

    /// The headers that the route reads beside `Authorization`.
    var headers: Set<String> {
        var headers: Set<String> = []
        if provesClients { headers.formUnion(["Telemetry-Client", "Telemetry-Client-Key"]) }
        if resumes { headers.insert("Last-Event-ID") }
        return headers
    }
}
