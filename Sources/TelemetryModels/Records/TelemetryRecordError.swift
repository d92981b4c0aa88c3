public import Foundation

/// Why a record could not be read or written as a value.
public enum TelemetryRecordError: Error, LocalizedError, Sendable, Equatable {
    /// The value has no record identifier, which an update requires.
    case missingRecordID
    /// The record is of this type instead of the expected one.
    case unexpectedRecordType(String)
    /// The record lacks this field, or holds a value of the wrong type in it. Carries the field's stored name.
    case missingField(String)
    /// A command's action is not known to this version.
    case invalidAction(String)
    /// A command's status is not known to this version.
    case invalidStatus(String)

    public var errorDescription: String? {
        switch self {
        case .missingRecordID: "The value has no record identifier, so there is no stored record to update."
        case .unexpectedRecordType(let type): "The record is of type \"\(type)\", which is not the one expected."
        case .missingField(let field): "The record lacks the field \"\(field)\", or it holds a value of another type."
        case .invalidAction(let action): "The command's action \"\(action)\" is not known to this version."
        case .invalidStatus(let status): "The command's status \"\(status)\" is not known to this version."
        }
    }
}
