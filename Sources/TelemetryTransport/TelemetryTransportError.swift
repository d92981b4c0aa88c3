public import Foundation
public import TelemetryModels

/// An error of a transport, with a code that callers can act on.
public struct TelemetryTransportError: Error, LocalizedError, Sendable {
    /// The kind of error, for callers that act on it.
    public let code: Code
    /// One sentence for a developer.
    public let message: String
    /// With `.conflict`: the stored record.
    public let serverRecord: TelemetryRecord?
    /// With `.partialFailure`: which records failed, and why.
    public let failures: [TelemetryRecord.ID: TelemetryTransportError]
    /// How long to wait before the next try, if the store specifies it.
    public let retryAfter: Duration?
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error; the parameters are the properties of the same names.
    public init(
        code: Code, message: String, serverRecord: TelemetryRecord? = nil,
        failures: [TelemetryRecord.ID: TelemetryTransportError] = [:], retryAfter: Duration? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.serverRecord = serverRecord
        self.failures = failures
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// Whether the same call may succeed later: `.rateLimited` and `.unavailable`.
    public var isRetryable: Bool { code == .rateLimited || code == .unavailable }

    public var errorDescription: String? { message }
}

extension TelemetryTransportError {
    /// The kind of failure. A struct, so that later versions can add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The record to change does not exist.
        public static let notFound = Self("notFound")
        /// The stored version is not the expected one.
        public static let conflict = Self("conflict")
        /// The call can never succeed with these arguments.
        public static let invalidArgument = Self("invalidArgument")
        /// The caller is not allowed to do this.
        public static let unauthorized = Self("unauthorized")
        /// Too many calls; a later one may succeed.
        public static let rateLimited = Self("rateLimited")
        /// The store cannot be reached or used now; a later call may succeed.
        public static let unavailable = Self("unavailable")
        /// The store is full, or the call is too large for it.
        public static let quotaExceeded = Self("quotaExceeded")
        /// The stored data cannot be read.
        public static let corrupted = Self("corrupted")
        /// The transport was closed.
        public static let closed = Self("closed")
        /// Some of several records failed; see ``TelemetryTransportError/failures``.
        public static let partialFailure = Self("partialFailure")

        public var description: String { name }
    }
}

extension TelemetryTransportError: CustomStringConvertible {
    public var description: String { "\(code): \(message)" }
}

extension TelemetryTransportError {
    package static func conflict(with stored: TelemetryRecord) -> Self {
        Self(
            code: .conflict, message: "Another version of the record \"\(stored.recordID)\" is stored.", serverRecord: stored)
    }

    package static func notFound(_ id: TelemetryRecord.ID) -> Self {
        Self(code: .notFound, message: "No record \"\(id)\" is stored.")
    }

    /// Runs the evaluation of a query.
    /// - Throws: `.quotaExceeded` if the query exceeds a limit of the language.
    package static func evaluating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as TelemetryQueryError {
            throw Self(code: .quotaExceeded, message: error.message, cause: error)
        }
    }

    package static func invalidArgument(_ message: String) -> Self { Self(code: .invalidArgument, message: message) }

    /// The error of saving records: nil if none failed, the failure itself if only one record was to be saved, otherwise
    /// `.partialFailure`.
    package static func outcome(
        of failures: [TelemetryRecord.ID: TelemetryTransportError], among count: Int
    ) -> TelemetryTransportError? {
        guard let first = failures.values.first else { return nil }
        if count == 1 { return first }
        return Self(
            code: .partialFailure, message: "\(failures.count) of \(count) records were not saved.", failures: failures)
    }
}
