/// What a relay takes at once; told by `GET /v1/server`, and these unless the relay was configured otherwise.
struct RelayLimits: Sendable, Equatable {
    var bodyBytes = 4 << 20
    var batchEvents = 5_000
    var saveRecords = 400
    var page = 1_000
    var waitSeconds = 60
}
