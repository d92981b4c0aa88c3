#if DEBUG
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLRequest {
    /// The request's correlation identifier; nil if it has none, or one that is not a UUID.
    public var correlationId: UUID? {
        value(forHTTPHeaderField: DebugCorrelation.headerField).flatMap(UUID.init(uuidString:))
    }

    /// Sets the request's correlation identifier and returns it: the given one, the request's existing one, the task's, or a new
    /// one, in this order.
    @discardableResult
    public mutating func correlate(_ id: UUID? = nil) -> UUID {
        let id = id ?? correlationId ?? DebugCorrelation.current ?? UUID()
        setValue(id.uuidString, forHTTPHeaderField: DebugCorrelation.headerField)
        return id
    }
}
#endif
