public import TelemetryModels
public import Tracing

/// Reads the trace and the span of a service context.
///
/// There is no common key for identifiers in a `ServiceContext`. ``propagated`` works with every tracer that propagates W3C Trace
/// Context; ``init(_:)`` is for other tracers, and for reading a tracer's own key, which is faster.
public struct TelemetryTraceSource: Sendable {
    private let read: @Sendable (ServiceContext) -> TelemetryTraceContext?

    /// Creates a source.
    /// - Parameter read: Returns the identifiers in a service context; nil if it has none. It is called on the thread that logs,
    ///   and only for events that are recorded.
    public init(_ read: @escaping @Sendable (ServiceContext) -> TelemetryTraceContext?) { self.read = read }

    /// Reads what the current instrument propagates as `traceparent`.
    public static let propagated = TelemetryTraceSource { traceContext(of: $0, propagatedBy: InstrumentationSystem.instrument) }

    /// Reads what an instrument propagates as `traceparent`.
    public static func propagated(by instrument: any Instrument) -> TelemetryTraceSource {
        TelemetryTraceSource { traceContext(of: $0, propagatedBy: instrument) }
    }

    /// The identifiers in a service context; nil if it has none.
    public func traceContext(of context: ServiceContext) -> TelemetryTraceContext? { read(context) }

    /// The identifiers in the current task's service context; nil if it has none.
    public var current: TelemetryTraceContext? { ServiceContext.current.flatMap(read) }

    /// Adds the identifiers in the current task's service context to an event's attributes. An attribute of the event with the
    /// name of an identifier is kept, and then neither is added.
    public func attributes(adding attributes: [String: TelemetryValue] = [:]) -> [String: TelemetryValue] {
        let names = [TelemetryTraceContext.traceAttribute, TelemetryTraceContext.spanAttribute]
        guard !names.contains(where: { attributes[$0] != nil }), let current else { return attributes }
        return attributes.merging(current.attributes) { own, _ in own }
    }

    private static func traceContext(
        of context: ServiceContext, propagatedBy instrument: any Instrument
    ) -> TelemetryTraceContext? {
        var carrier = TraceparentInjector.Carrier()
        instrument.inject(context, into: &carrier, using: TraceparentInjector())
        return carrier.traceparent.flatMap { TelemetryTraceContext(traceparent: $0) }
    }
}
