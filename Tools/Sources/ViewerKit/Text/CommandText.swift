public import TelemetryModels

/// Describes the result of a command, and what the user of the viewer can do about it.
public enum CommandText {
    /// A sentence for a command that its client did not execute.
    /// - Parameter client: The client's name.
    public static func failure(of command: TelemetryCommandRecord, client: String) -> String {
        let reason = command.errorMessage ?? "the client gave no reason"
        let sentence =
            switch command.status {
            case .rejected: "Client \(client) rejected the command: \(reason)"
            case .expired: "The command to client \(client) expired: \(reason)"
            case .superseded: "The command to client \(client) was superseded: \(reason)"
            default: "Client \(client) failed to execute the command: \(reason)"
            }
        return [sentence, advice(on: command.status)].compactMap(\.self).joined(separator: " ")
    }

    /// What to do about a command with this status; nil if the command's own message says it, or nothing is to be done.
    public static func advice(on status: TelemetrySchema.CommandStatus) -> String? {
        switch status {
        case .executed, .failed: nil
        case .pending: "Its client has not fetched it; to withdraw it: telemetry commands cancel COMMAND."
        case .rejected: "Only the app or its user can allow it; ask them, then send the command again."
        case .expired: "Send it again, with a later --expires or without one."
        case .superseded: "Nothing is to be done: a later command for the same scenario or pause took effect."
        }
    }
}
