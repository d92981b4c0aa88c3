import Foundation
import InMemoryTracing
import Logging
import TelemetryLogging
import TelemetryModels
import TelemetryOTLP
import TelemetrySwiftLog
import TelemetryTracing
import TelemetryTransport
import Testing
import Tracing

struct TracedEventsTests {
    private static let ids: [String: TelemetryValue] = [
        "trace_id": .string(TraceContextTests.trace), "span_id": .string(TraceContextTests.span),
    ]
    private let context = ServiceContext.traced("00-\(TraceContextTests.trace)-\(TraceContextTests.span)-01")
    private let transport = InMemoryTelemetryTransport()
    private let logger: TelemetryLogger
    private let instrument = TraceparentInstrument()
    private var source: TelemetryTraceSource { .propagated(by: instrument) }

    init() async {
        logger = TelemetryLogger(transport: transport)
        await logger.activate(enabled: true)
        await logger.updateScenarios(["Checkout": .init(isEnabled: true)])
    }

    private func events() async throws -> [TelemetryEvent] {
        await logger.flush()
        return try await transport.fetchAllEvents()
    }

    @Test("Events carry the trace and the span of the task's service context, in this task and in child tasks")
    func taskAndChildTasks() async throws {
        let scenario = logger.scenario("Checkout")
        await ServiceContext.withValue(context) {
            scenario.log("handle", attributes: ["items": 3], tracedBy: source)
            async let child: Void = logger.logEvent(name: "child", scenario: "Checkout", tracedBy: source)
            await child
        }
        scenario.log("outside", tracedBy: source)
        let attributes = try await events().map(\.attributes)
        #expect(attributes == [Self.ids.merging(["items": 3]) { own, _ in own }, Self.ids, [:]])
    }

    @Test("Messages of swift-log carry them through the metadata provider")
    func swiftLog() async throws {
        let handler = TelemetryLogHandler(
            label: "Checkout", logger: logger, scenario: nil, metadataProvider: source.metadataProvider)
        let log = Logger(label: "Checkout") { _ in handler }
        ServiceContext.withValue(context) { log.info("inside") }
        log.info("outside")
        let events = try await events()
        #expect(events.map { $0.attributes["trace_id"] } == [Self.ids["trace_id"], nil])
        #expect(events.map { $0.attributes["span_id"] } == [Self.ids["span_id"], nil])
    }

    @Test("OTLP maps them to the record's identifiers")
    func otlp() async throws {
        ServiceContext.withValue(context) { logger.scenario("Checkout").log("handle", tracedBy: source) }
        let request = String(decoding: TelemetryOTLPEncoder().encode(try await events()), as: UTF8.self)
        #expect(request.contains("\"traceId\":\"\(TraceContextTests.trace)\",\"spanId\":\"\(TraceContextTests.span)\""))
        #expect(!request.contains("trace_id"))
    }

    @Test("While the scenario is off, neither the context is read nor an argument evaluated")
    func off() async throws {
        await logger.updateScenarios([:])
        let erased: any TelemetryLogging = logger
        ServiceContext.withValue(context) {
            logger.scenario("Checkout").log("handle", property1: failing(), tracedBy: source)
            erased.logEvent(name: "call", scenario: "Checkout", property1: failing(), tracedBy: source)
            let handler = TelemetryLogHandler(
                label: "Checkout", logger: logger, scenario: nil, metadataProvider: source.metadataProvider)
            Logger(label: "Checkout") { _ in handler }.error("message")
        }
        #expect(instrument.injections == 0)
        #expect(try await events().isEmpty)
    }

    private func failing() -> String {
        Issue.record("the argument was evaluated")
        return ""
    }

    @Test("An event's own identifiers are kept")
    func ownIdentifiers() async throws {
        ServiceContext.withValue(context) {
            logger.scenario("Checkout").log("handle", attributes: ["trace_id": "own"], tracedBy: source)
        }
        #expect(try await events().map(\.attributes) == [["trace_id": "own"]])
    }

    @Test("The header's name is case-insensitive")
    func header() {
        let source = TelemetryTraceSource.propagated(by: TraceparentInstrument(header: "Traceparent"))
        #expect(source.traceContext(of: context)?.spanId == TraceContextTests.span)
    }

    @Test("A tracer that propagates no W3C context has no identifiers unless the host reads its key")
    func otherTracer() {
        let tracer = InMemoryTracer()
        let own = TelemetryTraceSource { context in
            context.inMemorySpanContext.flatMap { span in
                TelemetryTraceContext(traceId: Self.padded(span.traceID, to: 32), spanId: Self.padded(span.spanID, to: 16))
            }
        }
        tracer.withSpan("request") { span in
            #expect(TelemetryTraceSource.propagated(by: tracer).current == nil)
            #expect(own.current?.traceId == Self.padded(span.context.inMemorySpanContext?.traceID ?? "", to: 32))
            #expect(own.current != nil)
        }
        #expect(own.current == nil)
    }

    /// The digits of an identifier, with zeros before them.
    private static func padded(_ text: String, to count: Int) -> String {
        let digits = text.filter(\.isNumber)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    @Test("Without an instrument, there are no identifiers")
    func noInstrument() {
        ServiceContext.withValue(context) { #expect(TelemetryTraceSource.propagated.current == nil) }
    }
}
