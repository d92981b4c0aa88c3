public import Foundation
import Synchronization
public import TelemetryModels

/// Standard output and standard error of a command, written in whole lines.
public final class Console: Sendable {
    public let style: Style
    /// The columns of standard output, or nil if it is not a terminal.
    public var width: Int? { output.width }
    public var isTerminal: Bool { output.isTerminal }

    private let output: Descriptor
    private let errors: Descriptor
    /// Whether a progress line is shown, which the next output removes.
    private let isProgressShown = Mutex(false)
    private let printedMessages = Mutex<Set<String>>([])
    private let corruption = Atomic(false)
    private let outputLoss = Mutex<(@Sendable (_ errorNumber: Int32) -> Void)?>(nil)

    /// Whether a part of the store could not be read.
    public var hasMetCorruption: Bool { corruption.load(ordering: .relaxed) }

    public convenience init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(output: Descriptor(number: 1), errors: Descriptor(number: 2), environment: environment)
    }

    init(output: Descriptor, errors: Descriptor, environment: [String: String]) {
        (self.output, self.errors) = (output, errors)
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        style = Style(isOn: output.isTerminal && !isPlain)
    }

    /// Sets the handler for failed writes to standard output. By default the process ends with a message.
    public func onOutputLoss(_ handler: (@Sendable (_ errorNumber: Int32) -> Void)?) { outputLoss.withLock { $0 = handler } }

    /// Writes one line.
    public func line(_ text: String = "") { write(Array("\(text)\n".utf8)) }

    /// Writes the question without a line end.
    public func ask(_ question: String) { write(Array(question.utf8)) }

    /// Writes the bytes unchanged.
    public func write(_ bytes: [UInt8]) {
        endProgress()
        if let failure = output.write(bytes) { handleOutputLoss(failure) }
    }

    private func handleOutputLoss(_ errorNumber: Int32) {
        if let handler = outputLoss.withLock({ $0 }) { return handler(errorNumber) }
        note("telemetry: Cannot write the output: \(String(cString: strerror(errorNumber))).")
        exit(ToolFailure.Code.inputOutput.rawValue)
    }

    /// Shows a progress line on standard error, if that is a terminal. It replaces the line before, until ``endProgress()`` or the
    /// next output removes it.
    public func progress(_ text: String) {
        guard let width = errors.width else { return }
        isProgressShown.withLock { shown in
            errors.write("\r\u{1B}[K" + text.fitted(to: max(1, width - 1)))
            shown = true
        }
    }

    /// Removes the progress line.
    public func endProgress() {
        isProgressShown.withLock { shown in
            if shown { errors.write("\r\u{1B}[K") }
            shown = false
        }
    }

    /// Performs an operation. If it takes longer than a second, a progress line has the text and the time that has passed.
    public func withProgress<Success>(
        _ text: @escaping @Sendable () -> String, clock: some Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation, of operation: () async throws -> Success
    ) async throws -> Success {
        guard errors.isTerminal else { return try await operation() }
        defer { endProgress() }
        let start = clock.now
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                while true {
                    try await clock.sleep(for: .seconds(1))
                    let seconds = start.duration(to: clock.now) / .seconds(1)
                    self.progress("… \(text()), \(DurationText.string(seconds: seconds))")
                }
            }
            return try await operation()
        }
    }

    /// Prints a diagnostic of the store, each message once.
    public func diagnose(_ diagnostic: TelemetryDiagnostic, isVerbose: Bool) {
        let isCorrupt = diagnostic.kind == .corruptFile
        if isCorrupt { corruption.store(true, ordering: .relaxed) }
        guard isVerbose || isCorrupt || diagnostic.kind == .storageFailed else { return }
        guard printedMessages.withLock({ $0.insert(diagnostic.message).inserted }) else { return }
        note("telemetry: \(diagnostic.message.visible)")
    }

    /// Writes one line to standard error.
    public func note(_ text: String) {
        endProgress()
        errors.write(text + "\n")
    }
}
