import ServiceLifecycle
import Shop
import TelemetryLifecycle
import UnixSignals

/// Lets the operator pause and resume telemetry by signals.
struct OperatorSignals: Service {
    let telemetry: TelemetryLifecycleService

    func run() async throws {
        for await signal in await UnixSignalsSequence(trapping: .sigusr1, .sigusr2).cancelOnGracefulShutdown() {
            if signal == .sigusr1 {
                await telemetry.pauseTelemetry()
                Output.line("[paused by the operator]")
            } else {
                await telemetry.resumeTelemetry()
                Output.line("[resumed by the operator]")
            }
        }
    }
}
