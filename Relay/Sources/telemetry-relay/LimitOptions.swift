import ArgumentParser
import TelemetryRelay

struct LimitOptions: ParsableArguments {
    @Option(help: "The maximum body size in bytes (4194304; debug logs 1048576).")
    var bodyLimit: Int?
    @Option(help: "The maximum number of events or debug entries in a batch (5000; debug logs 1000).")
    var batchLimit: Int?
    @Option(help: "The maximum number of records in a save (400).")
    var saveLimit: Int?
    @Option(help: "The maximum number of events or records in a page (1000).")
    var pageLimit: Int?
    @Option(help: "The maximum time for the evaluation of a query in seconds (10).")
    var queryTime: Int?
    @Option(help: "The maximum number of open streams and waiting requests per client (16).")
    var clientStreams: Int?
    @Option(help: "The maximum number of open streams and waiting requests per viewer or reader token (256).")
    var tokenStreams: Int?
    @Option(help: "The maximum number of connections (4096).")
    var connections: Int?
    @Option(help: "The maximum number of connections per address or IPv6 /64 (1024).")
    var addressConnections: Int?
    @Option(help: "The maximum size of all unanswered requests and unread responses in bytes (134217728).")
    var connectionBytes: Int?
    @Option(help: "The maximum size of all bodies that wait for the storage in bytes (67108864).")
    var waitingBytes: Int?
    @Option(help: "The maximum number of new clients a minute per token and address (60); 0 for no limit.")
    var newClientRate: Int?
    @Option(help: "The maximum number of requests a minute per client (120000); 0 for no limit.")
    var clientRate: Int?
    @Option(help: "The maximum number of requests a minute per token (600000); 0 for no limit.")
    var tokenRate: Int?
    @Option(help: "The maximum number of bytes of debug logs a minute per host token and address (16777216); 0 for no limit.")
    var debugRate: Int?

    var numbers: [RelayNumber: Int?] {
        [
            .bodyLimit: bodyLimit, .batchLimit: batchLimit, .saveLimit: saveLimit, .pageLimit: pageLimit,
            .queryTime: queryTime,
            .clientStreams: clientStreams, .tokenStreams: tokenStreams,
            .connections: connections, .addressConnections: addressConnections, .connectionBytes: connectionBytes,
            .waitingBytes: waitingBytes,
            .newClientRate: newClientRate, .clientRate: clientRate, .tokenRate: tokenRate, .debugRate: debugRate,
        ]
    }
}

/// Options for both kinds apply to each kind, unless its own option is set.
struct RetentionOptions: ParsableArguments {
    @Option(help: "The maximum number of events, and of debug entries, to keep (1000000).")
    var capacity: Int?
    @Option(name: .customLong("max-bytes"), help: "The maximum size of events, and of debug entries, in bytes (2147483648).")
    var maximumBytes: Int?
    @Option(name: .customLong("max-age"), help: "The maximum age of events and debug entries, in hours (720).")
    var maximumAge: Int?
    @Option(help: "The maximum number of events to keep.")
    var eventCapacity: Int?
    @Option(name: .customLong("event-max-bytes"), help: "The maximum size of events, in bytes.")
    var eventMaximumBytes: Int?
    @Option(name: .customLong("event-max-age"), help: "The maximum age of events, in hours.")
    var eventMaximumAge: Int?
    @Option(
        help: ArgumentHelp(
            "How long to keep the events of scenarios: a pattern with *, and an age, a size or both; the first that matches holds.",
            discussion: "Repeat it for several: --retain 'Checkout=30d' --retain 'Debug*=1d,100MB'", valueName: "scenario=limits")
    )
    var retain: [String] = []
    @Option(help: "The maximum number of debug entries to keep.")
    var debugCapacity: Int?
    @Option(name: .customLong("debug-max-bytes"), help: "The maximum size of debug entries, in bytes.")
    var debugMaximumBytes: Int?
    @Option(name: .customLong("debug-max-age"), help: "The maximum age of debug entries, in hours.")
    var debugMaximumAge: Int?
    @Option(
        name: .customLong("record-max-bytes"),
        help: """
            The size of records and subscriptions from which on clients with many save no more, in bytes (536870912). Tokens with a \
            scope stop at five quarters of it, hosts at six, viewers at eight.
            """)
    var recordMaximumBytes: Int?
    @Option(help: "How long the audit keeps who did what: a number and s, m, h or d (400d).")
    var auditAge: String?
    @Option(help: "The maximum number of deleted events that are not stored again (5000000).")
    var dedupeCapacity: Int?
    @Option(help: "How long a deleted event is not stored again, in hours (168).")
    var dedupeWindow: Int?

    var numbers: [RelayNumber: Int?] {
        [
            .capacity: capacity, .maximumBytes: maximumBytes, .maximumAge: maximumAge, .eventCapacity: eventCapacity,
            .eventMaximumBytes: eventMaximumBytes, .eventMaximumAge: eventMaximumAge, .debugCapacity: debugCapacity,
            .debugMaximumBytes: debugMaximumBytes, .debugMaximumAge: debugMaximumAge, .recordMaximumBytes: recordMaximumBytes,
            .dedupeWindow: dedupeWindow, .dedupeCapacity: dedupeCapacity,
        ]
    }
}
