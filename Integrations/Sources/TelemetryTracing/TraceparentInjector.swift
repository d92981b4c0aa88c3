import Tracing

/// Keeps only the `traceparent` of what an instrument propagates.
struct TraceparentInjector: Injector {
    struct Carrier: Sendable {
        var traceparent: String?
    }

    func inject(_ value: String, forKey key: String, into carrier: inout Carrier) {
        // The names of HTTP headers are case-insensitive.
        if key.utf8.count == 11, key.lowercased() == "traceparent" { carrier.traceparent = value }
    }
}
