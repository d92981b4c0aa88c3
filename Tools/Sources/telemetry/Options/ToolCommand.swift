import ArgumentParser
import ViewerKit

/// A command that reports a failure as one sentence on standard error.
protocol ToolCommand: AsyncParsableCommand {
    func perform(_ console: Console) async throws

    /// Converts an error that ``perform(_:)`` has thrown.
    func failure(describing error: any Error) async -> ToolFailure
}

extension ToolCommand {
    func failure(describing error: any Error) async -> ToolFailure { ToolFailure(describing: error) }

    func run() async throws {
        let console = Console()
        do {
            try await perform(console)
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch {
            let failure = await failure(describing: error)
            console.note("telemetry: \(failure.message.visible)")
            throw ExitCode(failure.code.rawValue)
        }
        // The readable part was shown; the exit code lets a script detect that the rest could not be read.
        if console.hasMetCorruption { throw ExitCode(ToolFailure.Code.data.rawValue) }
    }
}
