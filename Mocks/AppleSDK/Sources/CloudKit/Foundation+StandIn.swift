import FakeCloudKitServer
public import Foundation

// Foundation on Linux has neither predicates with a format nor sort descriptors with a key. These have the signatures of Apple's.
// A predicate passes its format and arguments to the server when it is evaluated with a ``PredicateReader``.

extension NSPredicate {
    /// <https://developer.apple.com/documentation/foundation/nspredicate/init(format:argumentarray:)>
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        let carried = (arguments ?? []).map(ServerQuery.Argument.init(argument:))
        self.init { reader, _ in
            guard let reader = reader as? PredicateReader else { return false }
            reader.read = (predicateFormat, carried)
            return true
        }
    }

    func standIn() throws -> (format: String, arguments: [ServerQuery.Argument]) {
        let reader = PredicateReader()
        guard evaluate(with: reader), let read = reader.read else {
            throw CKError(standIn: .invalidArguments, message: "The predicate was not created from a format.")
        }
        return try (
            read.format,
            read.arguments.map { argument in
                guard let argument else {
                    throw CKError(standIn: .invalidArguments, message: "The argument's class is not valid in a query.")
                }
                return argument
            }
        )
    }
}

private final class PredicateReader {
    var read: (format: String, arguments: [ServerQuery.Argument?])?
}

extension ServerQuery.Argument {
    fileprivate init?(argument: Any) {
        switch argument {
        case let value as any CKRecordValueProtocol: self = .value(value.serverValue)
        case let values as [any CKRecordValueProtocol]: self = .values(values.map(\.serverValue))
        case let values as [String]: self = .values(values.map { .string($0) })
        default: return nil
        }
    }
}

/// Stands for a record in a sort descriptor's key path.
final class StandInSortKey: NSObject {
    var creationDate = 0.0
    var other = 0.0
}

extension NSSortDescriptor {
    /// <https://developer.apple.com/documentation/foundation/nssortdescriptor/init(key:ascending:)>
    public convenience init(key: String?, ascending: Bool) {
        self.init(
            keyPath: key == "creationDate" ? \StandInSortKey.creationDate : \StandInSortKey.other, ascending: ascending)
    }
}
