import ArgumentParser
import TelemetryRelay

struct LimitOptions: ParsableArguments {
    @Option(help: "The largest body taken, in bytes (4194304; debug logs 1048576).")
    var bodyLimit: Int?
    @Option(help: "The most events or debug entries in a batch (5000; debug logs 1000).")
    var batchLimit: Int?
    @Option(help: "The most records in a save (400).")
    var saveLimit: Int?
    @Option(help: "The most events in a page (1000).")
    var pageLimit: Int?
    @Option(help: "How many new clients a minute one token may bring from one address (60); 0 for any number.")
    var newClientRate: Int?
    @Option(help: "How many requests a minute one client may make (120000); 0 for any number.")
    var clientRate: Int?
    @Option(help: "How many requests a minute one token may make (600000); 0 for any number.")
    var tokenRate: Int?

    var numbers: [RelayNumber: Int?] {
        [
            .bodyLimit: bodyLimit, .batchLimit: batchLimit, .saveLimit: saveLimit, .pageLimit: pageLimit,
            .newClientRate: newClientRate, .clientRate: clientRate, .tokenRate: tokenRate,
        ]
    }
}

/// What is said of both kinds holds for each, unless it is said of the one.
struct RetentionOptions: ParsableArguments {
    @Option(help: "How many events and how many debug entries are kept, the newest (1000000).")
    var capacity: Int?
    @Option(name: .customLong("max-bytes"), help: "How many bytes events and debug entries each use at most (2147483648).")
    var maximumBytes: Int?
    @Option(name: .customLong("max-age"), help: "How many hours events and debug entries are kept (720).")
    var maximumAge: Int?
    @Option(help: "How many events are kept.")
    var eventCapacity: Int?
    @Option(name: .customLong("event-max-bytes"), help: "How many bytes events use at most.")
    var eventMaximumBytes: Int?
    @Option(name: .customLong("event-max-age"), help: "How many hours an event is kept.")
    var eventMaximumAge: Int?
    @Option(help: "How many debug entries are kept.")
    var debugCapacity: Int?
    @Option(name: .customLong("debug-max-bytes"), help: "How many bytes debug entries use at most.")
    var debugMaximumBytes: Int?
    @Option(name: .customLong("debug-max-age"), help: "How many hours a debug entry is kept.")
    var debugMaximumAge: Int?
    @Option(help: "How many hours a deleted event is not stored again (168).")
    var dedupeWindow: Int?

    var numbers: [RelayNumber: Int?] {
        [
            .capacity: capacity, .maximumBytes: maximumBytes, .maximumAge: maximumAge, .eventCapacity: eventCapacity,
            .eventMaximumBytes: eventMaximumBytes, .eventMaximumAge: eventMaximumAge, .debugCapacity: debugCapacity,
            .debugMaximumBytes: debugMaximumBytes, .debugMaximumAge: debugMaximumAge, .dedupeWindow: dedupeWindow,
        ]
    }
}
