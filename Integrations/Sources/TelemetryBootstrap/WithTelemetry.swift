public import Foundation
public import Logging
public import TelemetryLifecycle
public import TelemetryTransport

/// Runs a program's operation, while a viewer can turn its swift-log messages on and off by label.
///
/// Bootstraps swift-log's `LoggingSystem`, so a process calls it once, and before the loggers are created whose messages a viewer
/// shall read. Messages go to the console as before, and to the scenario that is named like their label while it is on. The call is
/// the consent of whoever runs the program: it requests telemetry, and a viewer approves it or not. An app whose users decide
/// calls ``/TelemetryLifecycle/TelemetryLifecycleService/enableTelemetry()`` when they do instead.
///
/// The operation starts once it is known which scenarios are on, a second later at most, and runs off the main actor. It must not
/// block the main thread, which telemetry uses. When it returns or throws, what it logged is delivered. If the store hangs, this
/// takes up to four times the configuration's `operationTimeout`; what was not delivered by then, or by a process that was killed,
/// waits in the platform's default spool directory for the next run. If the task is cancelled, so is the operation, and what it
/// logged is delivered as well. Problems of telemetry are messages of level warning at the console, and end nothing.
/// - Parameters:
///   - directory: The directory of a file store, which viewers share. If it cannot be used, the operation runs without telemetry.
///   - scenarios: The labels that a viewer can turn on.
///   - configuration: The configuration of the lifecycle service. Without a diagnostics handler, the console receives diagnostics.
///   - console: Returns the handler of a label that the program would have without telemetry.
///   - operation: What the program does.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
public func withTelemetry<Success: Sendable, Failure: Error>(
    in directory: URL, scenarios: [String], configuration: TelemetryLifecycleService.Configuration = .init(),
    console: @escaping @Sendable (_ label: String) -> any LogHandler = { StreamLogHandler.standardError(label: $0) },
    operation: @concurrent @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    let transport: FileTelemetryTransport
    do {
        transport = try FileTelemetryTransport(directory: directory)
    } catch {
        LoggingSystem.bootstrap(console)
        ProgramTelemetry.logger(console).warning("This run has no telemetry; its store cannot be used.", error: error)
        return try await operation()
    }
    return try await withTelemetry(
        over: transport, scenarios: scenarios, configuration: configuration, console: console, operation: operation)
}

/// Runs a program's operation, while a viewer can turn its swift-log messages on and off by label, over any transport.
///
/// See ``withTelemetry(in:scenarios:configuration:console:operation:)``.
/// - Parameters:
///   - transport: The store that program and viewers share.
///   - scenarios: The labels that a viewer can turn on.
///   - configuration: The configuration of the lifecycle service. Without a diagnostics handler, the console receives diagnostics.
///   - console: Returns the handler of a label that the program would have without telemetry.
///   - operation: What the program does.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
public func withTelemetry<Success: Sendable, Failure: Error>(
    over transport: any TelemetryTransporting, scenarios: [String],
    configuration: TelemetryLifecycleService.Configuration = .init(),
    console: @escaping @Sendable (_ label: String) -> any LogHandler = { StreamLogHandler.standardError(label: $0) },
    operation: @concurrent @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    let program = await ProgramTelemetry(transport: transport, configuration: configuration, console: console)
    LoggingSystem.bootstrap(program.handler)
    return try await program.run(scenarios, operation: operation)
}
