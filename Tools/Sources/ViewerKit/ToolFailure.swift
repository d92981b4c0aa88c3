public import Foundation
import TelemetryModels
import TelemetryTransport

/// Why a command ended without doing what it was asked: one sentence, what to do next, and the process's exit code.
public struct ToolFailure: Error, LocalizedError, Sendable, Equatable {
    /// The exit codes in use, named and numbered as in sysexits.h.
    public enum Code: Int32, Sendable, CaseIterable {
        /// What was asked was tried, and the answer is no: a command failed, a check found something wrong.
        case failed = 1
        /// What was given is not what it should be.
        case data = 65
        /// There is nothing by that name.
        case notFound = 66
        /// The store cannot be used now.
        case unavailable = 69
        case cannotCreate = 73
        case inputOutput = 74
        /// No answer yet; it may still come.
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

    /// The failure that any error amounts to.
    public init(describing error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as TelemetryTransportError where error.code == .unauthorized:
            self.init(.noPermission, "\(error.message) Run as the user who owns the store; telemetry doctor tells more.")
        case let error as TelemetryTransportError: self.init(Self.code(of: error.code), error.message)
        case let error as CocoaError where error.code == .fileReadNoPermission || error.code == .fileWriteNoPermission:
            self.init(.noPermission, error.localizedDescription)
        case let error as CocoaError: self.init(.inputOutput, error.localizedDescription)
        case is TelemetryRecordError: self.init(.data, error.localizedDescription)
        default: self.init(.failed, error.localizedDescription)
        }
    }

    private static func code(of code: TelemetryTransportError.Code) -> Code {
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
