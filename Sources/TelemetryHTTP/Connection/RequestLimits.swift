/// What a relay accepts in one request: the defaults of the interface, or what `GET /v1/server` returned.
struct RequestLimits: Sendable, Equatable {
    var bodyBytes = 4 << 20
    var batchEvents = 5_000
    var saveRecords = 400
    var page = 1_000
    var waitSeconds = 60
}
