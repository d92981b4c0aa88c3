public import Foundation

/// A field's value as the server stores it.
public enum ServerValue: Sendable, Hashable {
    case string(String)
    case int(Int64)
    case double(Double)
    case date(Date)

    /// The approximate size in bytes.
    var bytes: Int { if case .string(let text) = self { text.utf8.count } else { 8 } }
}

/// A record as the server stores it.
public struct ServerRecord: Sendable, Hashable {
    public let type: String
    public let name: String
    public var fields: [String: ServerValue]
    /// The version; nil until the server has stored one.
    public var tag: String?
    public var creator: String?
    public var created: Date?

    public init(type: String, name: String, fields: [String: ServerValue] = [:], tag: String? = nil) {
        self.type = type
        self.name = name
        self.fields = fields
        self.tag = tag
    }

    var bytes: Int { fields.reduce(name.utf8.count) { $0 + $1.key.utf8.count + $1.value.bytes } }
}

/// An error with one of CloudKit's codes.
public struct ServerFault: Error, Sendable {
    public let code: Int
    public let message: String
    public let retryAfter: Double?
    /// With `serverRecordChanged`: the stored record.
    public let stored: ServerRecord?
    /// With `partialFailure`: the failures, by name.
    public let partial: [String: ServerFault]

    public init(
        code: Int, message: String, retryAfter: Double? = nil, stored: ServerRecord? = nil,
        partial: [String: ServerFault] = [:]
    ) {
        self.partial = partial
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.stored = stored
    }
}

/// The codes of CloudKit's errors that the server uses: <https://developer.apple.com/documentation/cloudkit/ckerror/code>.
public enum FaultCode {
    public static let partialFailure = 2
    public static let networkUnavailable = 3
    public static let networkFailure = 4
    public static let serviceUnavailable = 6
    public static let requestRateLimited = 7
    public static let notAuthenticated = 9
    public static let permissionFailure = 10
    public static let unknownItem = 11
    public static let invalidArguments = 12
    public static let serverRecordChanged = 14
    public static let serverRejectedRequest = 15
    public static let operationCancelled = 20
    public static let batchRequestFailed = 22
    public static let zoneBusy = 23
    public static let limitExceeded = 27
    public static let serverResponseLost = 34
}
