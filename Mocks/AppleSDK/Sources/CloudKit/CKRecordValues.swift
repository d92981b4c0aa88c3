public import FakeCloudKitServer
public import Foundation

/// Converts values for the server.
public typealias StandInValue = ServerValue

extension String: CKRecordValueProtocol, __CKRecordObjCValue {
    public var serverValue: StandInValue { .string(self) }
}

extension Date: CKRecordValueProtocol, __CKRecordObjCValue {
    public var serverValue: StandInValue { .date(self) }
}

extension Int64: CKRecordValueProtocol {
    public var serverValue: StandInValue { .int(self) }
}

extension Double: CKRecordValueProtocol {
    public var serverValue: StandInValue { .double(self) }
}

extension NSNumber: __CKRecordObjCValue, CKRecordValueProtocol {
    public var serverValue: StandInValue {
        ["d", "f"].contains(String(cString: objCType)) ? .double(doubleValue) : .int(int64Value)
    }
}

extension ServerValue {
    /// The object that a field returns: numbers are `NSNumber`.
    var object: any __CKRecordObjCValue {
        switch self {
        case .string(let text): text
        case .date(let date): date
        case .int(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        }
    }
}
