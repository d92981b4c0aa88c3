import ArgumentParser
import ViewerKit

/// A command whose failures are told in one sentence on standard error.
protocol ToolCommand: AsyncParsableCommand {
    func perform(_ console: Console) async throws
}

extension ToolCommand {
    func run() async throws {
        let console = Console()
        do {
            try await perform(console)
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch {
            let failure = ToolFailure(describing: error)
            console.note("telemetry: \(failure.message.visible)")
            throw ExitCode(failure.code.rawValue)
        }
        // What could be read was shown; that something could not must not go unseen in a script.
        if console.hasMetCorruption { throw ExitCode(ToolFailure.Code.data.rawValue) }
    }
}
