/// The query parameters and headers that a route reads. Any other query parameter is refused.
struct RouteParameters: Sendable, Hashable {
    /// The names of query parameters.
    var query: Set<String> = []
    /// Whether a host must send its client headers.
    var provesClients = false
    /// Whether the route reads `Last-Event-ID` to resume a stream.
    var resumes = false

    /// The headers that the route reads, in addition to `Authorization`.
    var headers: Set<String> {
        var headers: Set<String> = []
        if provesClients { headers.formUnion(["Telemetry-Client", "Telemetry-Client-Key"]) }
        if resumes { headers.insert("Last-Event-ID") }
        return headers
    }
}
