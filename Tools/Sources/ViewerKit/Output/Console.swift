public import Foundation
import Synchronization
public import TelemetryModels

/// Standard output and standard error of a command, each written in whole lines.
public final class Console: Sendable {
    public let style: Style
    /// How many columns a line of standard output has; nil where it is no terminal.
    public var width: Int? { output.width }
    public var isTerminal: Bool { output.isTerminal }

    private let output = Descriptor(number: 1)
    private let errors = Descriptor(number: 2)
    /// A line that is written over by the next one.
    private let isProgressShown = Mutex(false)
    private let told = Mutex<Set<String>>([])
    private let corruption = Atomic(false)
    private let outputLoss = Mutex<(@Sendable (_ errorNumber: Int32) -> Void)?>(nil)

    /// Whether anything in the store could not be read.
    public var hasMetCorruption: Bool { corruption.load(ordering: .relaxed) }

    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        style = Style(isOn: output.isTerminal && !isPlain)
    }

    /// Sets what happens where standard output cannot be written to; otherwise the process then ends, with a message.
    public func onOutputLoss(_ handler: (@Sendable (_ errorNumber: Int32) -> Void)?) { outputLoss.withLock { $0 = handler } }

    /// Writes one line.
    public func line(_ text: String = "") {
        let failure = isProgressShown.withLock { shown in
            defer { shown = false }
            return output.write((shown ? "\r\u{1B}[K" : "") + text + "\n")
        }
        if let failure { lose(failure) }
    }

    /// Writes the question, and leaves the cursor behind it.
    public func ask(_ question: String) { write(Array(question.utf8)) }

    /// Writes bytes as they are.
    public func write(_ bytes: [UInt8]) {
        if let failure = output.write(bytes) { lose(failure) }
    }

    private func lose(_ errorNumber: Int32) {
        if let handler = outputLoss.withLock({ $0 }) { return handler(errorNumber) }
        note("telemetry: The output cannot be written: \(String(cString: strerror(errorNumber))).")
        exit(ToolFailure.Code.inputOutput.rawValue)
    }

    /// Shows how far something is, on a terminal only; the next line takes its place.
    public func progress(_ text: String) {
        guard output.isTerminal else { return }
        isProgressShown.withLock { shown in
            let fitting = text.fitted(to: max(1, (output.width ?? 80) - 1))
            output.write("\r\u{1B}[K" + fitting)
            shown = true
        }
    }

    /// Takes away what ``progress(_:)`` shows.
    public func endProgress() {
        isProgressShown.withLock { shown in
            if shown { output.write("\r\u{1B}[K") }
            shown = false
        }
    }

    /// Tells what the store found odd, each thing once.
    public func diagnose(_ diagnostic: TelemetryDiagnostic, isVerbose: Bool) {
        let isCorrupt = diagnostic.kind == .corruptFile
        if isCorrupt { corruption.store(true, ordering: .relaxed) }
        guard isVerbose || isCorrupt || diagnostic.kind == .storageFailed else { return }
        guard told.withLock({ $0.insert(diagnostic.message).inserted }) else { return }
        note("telemetry: \(diagnostic.message.visible)")
    }

    /// Writes one line to standard error.
    public func note(_ text: String) {
        endProgress()
        errors.write(text + "\n")
    }
}
