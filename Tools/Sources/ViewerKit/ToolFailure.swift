public import Foundation
import TelemetryModels
import TelemetryTransport

/// The failure of a command: a message with a suggestion, and the exit code of the process.
public struct ToolFailure: Error, LocalizedError, Sendable, Equatable {
    /// The exit codes in use, named and numbered as in sysexits.h.
    public enum Code: Int32, Sendable, CaseIterable {
        /// A command failed, or a check found problems.
        case failed = 1
        /// The input is invalid.
        case data = 65
        /// The named client, scenario, store or file does not exist.
        case notFound = 66
        /// The store is unavailable.
        case unavailable = 69
        case cannotCreate = 73
        case inputOutput = 74
        /// The client has not answered yet.
        case notYet = 75
        case noPermission = 77
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var errorDescription: String? { message }

    /// Converts any error.
    public init(describing error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as TelemetryTransportError where error.code == .unauthorized:
            self.init(.noPermission, "\(error.message) Run as the user who owns the store; for details: telemetry doctor")
        case let error as TelemetryTransportError: self.init(Self.code(of: error.code), error.message)
        case let error as CocoaError where error.code == .fileReadNoPermission || error.code == .fileWriteNoPermission:
            self.init(.noPermission, error.localizedDescription)
        case let error as CocoaError: self.init(.inputOutput, error.localizedDescription)
        case is TelemetryRecordError: self.init(.data, error.localizedDescription)
        default: self.init(.failed, error.localizedDescription)
        }
    }

    static func code(of code: TelemetryTransportError.Code) -> Code {
        switch code {
        case .notFound: .notFound
        case .invalidArgument, .corrupted: .data
        case .unauthorized: .noPermission
        case .quotaExceeded: .cannotCreate
        case .unavailable, .rateLimited, .closed: .unavailable
        default: .failed
        }
    }
}
