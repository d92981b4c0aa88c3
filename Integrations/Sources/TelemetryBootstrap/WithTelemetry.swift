public import Foundation
public import Logging
public import TelemetryLifecycle
public import TelemetryTransport

/// Runs a program's operation, while a viewer can turn its swift-log messages on and off by label.
///
/// Bootstraps swift-log's `LoggingSystem`, so a process calls it once, and before the loggers are created whose messages a viewer
/// shall read. Messages go to the console as before, and to the scenario that is named like their label while it is on. A message of
/// level info at the console names the client.
///
/// The call is the consent of whoever runs the program: each run requests telemetry if it is not requested, and a viewer approves it
/// or not. If a viewer ended it while the program did not run, the next run deletes the client's data, and requests it as another
/// client. An app whose users decide calls ``/TelemetryLifecycle/TelemetryLifecycleService/enableTelemetry()`` when they do instead.
///
/// The operation starts once it is known which scenarios are on, a second after the store was opened at most, and runs off the main
/// actor. It must not block the main thread, which telemetry uses. When it returns or throws, what it logged is delivered. If the store hangs, this
/// takes up to four times the configuration's `operationTimeout`; what was not delivered by then, or by a process that was killed,
/// waits in the spool directory for the next run. If the task is cancelled, so is the operation, and what it
/// logged is delivered as well. Problems of telemetry are messages of level warning at the console, and end nothing.
/// - Parameters:
///   - directory: The directory of a file store, which viewers share. If it cannot be used, the operation runs without telemetry.
///   - scenarios: The labels that a viewer can turn on.
///   - configuration: The configuration of the lifecycle service. Without a diagnostics handler, the console receives diagnostics.
///   - console: Returns the handler of a label that the program would have without telemetry.
///   - metadataProvider: The metadata of the task that logs, for the console and for events.
///   - operation: What the program does.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
public func withTelemetry<Success: Sendable, Failure: Error>(
    in directory: URL, scenarios: [String], configuration: TelemetryLifecycleService.Configuration = .init(),
    console: @escaping @Sendable (_ label: String) -> any LogHandler = { StreamLogHandler.standardError(label: $0) },
    metadataProvider: Logger.MetadataProvider? = nil,
    operation: @concurrent @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    let transport: FileTelemetryTransport
    var configuration = configuration
    if configuration.diagnostics == nil { configuration.diagnostics = ProgramTelemetry.diagnostics(at: console) }
    do {
        transport = try FileTelemetryTransport(
            directory: directory, configuration: .init(diagnostics: configuration.diagnostics))
    } catch {
        LoggingSystem.bootstrap({ label, _ in console(label) }, metadataProvider: metadataProvider)
        ProgramTelemetry.logger(console).warning("This run has no telemetry; its store cannot be used.", error: error)
        return try await operation()
    }
    return try await withTelemetry(
        over: transport, scenarios: scenarios, configuration: configuration, console: console,
        metadataProvider: metadataProvider, operation: operation)
}

/// Runs a program's operation, while a viewer can turn its swift-log messages on and off by label, over any transport.
///
/// See ``withTelemetry(in:scenarios:configuration:console:metadataProvider:operation:)``.
/// - Parameters:
///   - transport: The store that program and viewers share.
///   - scenarios: The labels that a viewer can turn on.
///   - configuration: The configuration of the lifecycle service. Without a diagnostics handler, the console receives diagnostics.
///   - console: Returns the handler of a label that the program would have without telemetry.
///   - metadataProvider: The metadata of the task that logs, for the console and for events.
///   - operation: What the program does.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
public func withTelemetry<Success: Sendable, Failure: Error>(
    over transport: any TelemetryTransporting, scenarios: [String],
    configuration: TelemetryLifecycleService.Configuration = .init(),
    console: @escaping @Sendable (_ label: String) -> any LogHandler = { StreamLogHandler.standardError(label: $0) },
    metadataProvider: Logger.MetadataProvider? = nil,
    operation: @concurrent @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    let program = await ProgramTelemetry(transport: transport, configuration: configuration, console: console)
    LoggingSystem.bootstrap({ label, _ in program.handler(label) }, metadataProvider: metadataProvider)
    return try await program.run(scenarios, operation: operation)
}
