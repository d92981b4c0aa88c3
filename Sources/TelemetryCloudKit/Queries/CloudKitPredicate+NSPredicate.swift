#if canImport(CloudKit)
import CloudKit
import Foundation

extension CloudKitPredicate {
    /// Always from a format, because CloudKit does not accept `NSPredicate(value:)`.
    var predicate: NSPredicate { NSPredicate(format: format, argumentArray: arguments.map(\.object)) }
}

extension CloudKitPredicate.Argument {
    fileprivate var object: Any {
        switch self {
        case .field(let name): name
        case .string(let text): text
        case .strings(let texts): texts
        case .int(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .date(let date): date
        }
    }
}
#endif
