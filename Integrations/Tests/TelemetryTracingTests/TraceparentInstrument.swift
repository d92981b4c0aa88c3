import Synchronization
import Tracing

/// Propagates the `traceparent` in a service context, and counts how often it was asked to.
final class TraceparentInstrument: Instrument {
    private let count = Atomic(0)
    private let header: String

    init(header: String = "traceparent") { self.header = header }

    var injections: Int { count.load(ordering: .relaxed) }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.traceparent = extractor.extract(key: header, from: carrier)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        count.add(1, ordering: .relaxed)
        injector.inject("vendor=1", forKey: "tracestate", into: &carrier)
        if let traceparent = context.traceparent { injector.inject(traceparent, forKey: header, into: &carrier) }
    }
}

extension ServiceContext {
    private enum TraceparentKey: ServiceContextKey { typealias Value = String }

    var traceparent: String? {
        get { self[TraceparentKey.self] }
        set { self[TraceparentKey.self] = newValue }
    }

    /// A context with this `traceparent`.
    static func traced(_ traceparent: String) -> ServiceContext {
        var context = ServiceContext.topLevel
        context.traceparent = traceparent
        return context
    }
}
