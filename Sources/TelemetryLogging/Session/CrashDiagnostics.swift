#if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
import Foundation
import MetricKit
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Logs what MetricKit reports about the crashes of ended sessions. It exists while telemetry is on: MetricKit has reports only about
/// processes that asked for its manager, and delivers them to a later process (see `MXMetricManager` in Apple's documentation).
final class CrashDiagnostics: NSObject, MXMetricManagerSubscriber, Sendable {
    private struct State {
        /// The reported sessions, by the number of their process.
        var sessions: [Int32: String] = [:]
        /// Reports that are not logged yet, because their session is unknown or nothing is recorded.
        var waiting: [(process: Int32, event: CapturedEvent)] = []
    }

    /// In bytes of UTF-8.
    private static let reasonLimit = 1_024
    private static let waitingLimit = 8

    private let capture: EventCapture
    private let state = Mutex(State())

    init(capture: EventCapture) {
        self.capture = capture
        super.init()
        MXMetricManager.shared.add(self)
    }

    func end() { MXMetricManager.shared.remove(self) }

    /// Adds sessions whose end was reported.
    func add(_ ended: [EndedSession]) {
        state.withLock { state in
            for session in ended { state.sessions[session.mark.process.number] = session.mark.session }
        }
        log()
    }

    func didReceive(_ payloads: [MXDiagnosticPayload]) {
        let reports = payloads.flatMap { $0.crashDiagnostics ?? [] }.map { ($0.metaData.pid, event(about: $0)) }
        keep(reports)
        log()
    }

    private func keep(_ reports: [(process: Int32, event: CapturedEvent)]) {
        state.withLock { $0.waiting = ($0.waiting + reports).suffix(Self.waitingLimit) }
    }

    /// Logs the reports whose session is known, if events are recorded now.
    func log() {
        let known = state.withLock { state in
            let known = state.waiting.compactMap { report in
                state.sessions.removeValue(forKey: report.process).map { (report.process, session: $0, report.event) }
            }
            state.waiting.removeAll { report in known.contains { $0.0 == report.process } }
            return known
        }
        for (process, session, event) in known {
            var described = event
            described.attributes["session"] = .string(session)
            let event = described
            guard !capture.record(own: { [event] }) else { continue }
            state.withLock { $0.sessions[process] = session }
            keep([(process, event)])
        }
    }

    /// The event of a report, without its session.
    private func event(about diagnostic: MXCrashDiagnostic) -> CapturedEvent {
        let signal = diagnostic.signal.map { EndedSession.name(ofSignal: $0.int32Value) }
        func text(_ string: String, _ limit: Int) -> TelemetryValue {
            .string(TextLimits.cut(capture.redactor?.redacted(string) ?? string, to: limit))
        }
        var attributes: [String: TelemetryValue] = [
            "appVersion": .string(diagnostic.applicationVersion),
            "backtrace": text(
                CallStackText.text(ofTree: diagnostic.callStackTree.jsonRepresentation()), BacktraceReports.textLimit(in: capture)
            ),
        ]
        attributes["signal"] = signal.map(TelemetryValue.string)
        attributes["terminationReason"] = diagnostic.terminationReason.map { text($0, Self.reasonLimit) }
        attributes["exceptionType"] = diagnostic.exceptionType.map { .int($0.int64Value) }
        attributes["exceptionCode"] = diagnostic.exceptionCode.map { .int($0.int64Value) }
        return CapturedEvent(
            name: TelemetryLogger.diagnosticEventName, scenario: nil, level: .info, property1: signal, attributes: attributes,
            secondsSinceReference: capture.secondsSinceReference, thread: CurrentThread.number)
    }
}

/// A call stack as lines of text.
enum CallStackText {
    /// A frame is an object in an array of the frame before.
    private static let maximumFrames = 250

    /// The frames of the thread that crashed, as MetricKit orders them, and the identifiers of their binaries, by which a symbol is found.
    /// - Parameter tree: What `MXCallStackTree.jsonRepresentation()` returns. If it has another form, or more than ``maximumFrames``
    ///   frames are nested, it is the text.
    static func text(ofTree tree: Data) -> String {
        let frames = try? JSONReader.read(tree, maximumDepth: 4 + 2 * maximumFrames) { reader in
            var frames: [Frame] = []
            try reader.object { name, reader in
                guard name == "callStacks" else { return try reader.skip() }
                try reader.array { reader in
                    let stack = try stack(&reader)
                    if stack.isAttributed { frames += stack.frames }
                }
            }
            return frames
        }
        guard let frames, !frames.isEmpty else { return String(decoding: tree, as: UTF8.self) }
        var binaries: [String: String] = [:]
        for frame in frames { binaries[frame.identifier] = frame.binary }
        let lines = frames.enumerated().map { "\($0) \($1.binary) + \($1.offset) (0x\(String($1.address, radix: 16)))" }
        return (lines + [""] + binaries.map { "\($1) \($0)" }.sorted()).joined(separator: "\n")
    }

    private struct Frame {
        var binary = "?"
        var identifier = "?"
        var offset: Int64 = 0
        var address: UInt64 = 0
    }

    private static func stack(_ reader: inout JSONReader) throws -> (isAttributed: Bool, frames: [Frame]) {
        var isAttributed = false
        var frames: [Frame] = []
        try reader.object { name, reader in
            switch name {
            case "threadAttributed": isAttributed = try reader.bool()
            case "callStackRootFrames": try read(&reader, into: &frames)
            default: try reader.skip()
            }
        }
        return (isAttributed, frames)
    }

    /// Reads an array of frames, each followed by those in it.
    private static func read(_ reader: inout JSONReader, into frames: inout [Frame]) throws {
        try reader.array { reader in
            let index = frames.count
            frames.append(Frame())
            try reader.object { name, reader in
                switch name {
                case "binaryName": frames[index].binary = try reader.string()
                case "binaryUUID": frames[index].identifier = try reader.string()
                case "offsetIntoBinaryTextSegment": frames[index].offset = Int64(try reader.numberText()) ?? 0
                case "address": frames[index].address = UInt64(try reader.numberText()) ?? 0
                case "subFrames": try read(&reader, into: &frames)
                default: try reader.skip()
                }
            }
        }
    }
}
#else
/// This system reports nothing.
struct CrashDiagnostics {
    init(capture: EventCapture) {}
    func add(_ ended: [EndedSession]) {}
    func log() {}
    func end() {}
}
#endif
