public import Tracing

/// Propagates W3C Trace Context: the trace of the caller, with a span for each request. A server with a tracing backend uses its
/// tracer instead.
public struct TraceparentInstrument: Instrument {
    private static let header = "traceparent"

    public init() {}

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        // 00-, 32 digits of the trace, a hyphen, and so on; what is not valid is ignored when it is read.
        let bytes = extractor.extract(key: Self.header, from: carrier)?.utf8
        context.span = Span(trace: bytes.flatMap { $0.count == 55 ? String($0.dropFirst(3).prefix(32)) : nil })
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.span else { return }
        injector.inject(span.traceparent, forKey: Self.header, into: &carrier)
    }

    /// The identifiers of a request. They are formatted only when they are read.
    struct Span: Sendable {
        /// The caller's trace; nil for a new one.
        let trace: String?
        let high = UInt64.random(in: 1...UInt64.max)
        let low = UInt64.random(in: 0...UInt64.max)
        let id = UInt64.random(in: 1...UInt64.max)

        var traceparent: String { "00-\(trace ?? Self.hex(high) + Self.hex(low))-\(Self.hex(id))-01" }

        private static func hex(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
    }
}

extension ServiceContext {
    private enum SpanKey: ServiceContextKey { typealias Value = TraceparentInstrument.Span }

    fileprivate var span: TraceparentInstrument.Span? {
        get { self[SpanKey.self] }
        set { self[SpanKey.self] = newValue }
    }
}
