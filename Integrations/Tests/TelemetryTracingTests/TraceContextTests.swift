import TelemetryModels
import TelemetryTracing
import Testing
import Tracing

struct TraceContextTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let span = "00f067aa0ba902b7"

    @Test(
        "A valid traceparent of this or a later version is read",
        arguments: ["00-\(trace)-\(span)-01", "00-\(trace)-\(span)-00", "01-\(trace)-\(span)-01", "cc-\(trace)-\(span)-01-more"])
    func valid(traceparent: String) throws {
        let context = try #require(TelemetryTraceContext(traceparent: traceparent))
        #expect(context.traceId == Self.trace)
        #expect(context.spanId == Self.span)
        #expect(context.attributes == ["trace_id": .string(Self.trace), "span_id": .string(Self.span)])
    }

    @Test(
        "A traceparent that is not valid is ignored",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
            "0-\(trace)-\(span)-01", "00-\(trace.dropLast())-\(span)-01", "00-\(trace)-\(span)0-01", "00-\(trace)-\(span)-0g",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01", "00-\(trace)--\(span)-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-\(span)-01",
        ])
    func invalid(traceparent: String) { #expect(TelemetryTraceContext(traceparent: traceparent) == nil) }

    @Test("Identifiers become lower case")
    func lowerCase() throws {
        let context = try #require(TelemetryTraceContext(traceId: Self.trace.uppercased(), spanId: Self.span.uppercased()))
        #expect((context.traceId, context.spanId) == (Self.trace, Self.span))
    }

    @Test("The text of a service context becomes the values of a telemetry context, by the names of its keys")
    func serviceContext() {
        var service = ServiceContext.topLevel
        #expect(service.telemetryContext == [:])
        service[UserKey.self] = "4711"
        service[CountKey.self] = 1
        #expect(service.telemetryContext == ["user": "4711"])
    }

    private enum UserKey: ServiceContextKey {
        typealias Value = String
        static var nameOverride: String? { "user" }
    }

    private enum CountKey: ServiceContextKey { typealias Value = Int }
}
