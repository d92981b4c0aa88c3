#if DEBUG
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLRequest {
    /// The identifier that the request carries; nil where it carries none, or one that is no UUID.
    public var correlationId: UUID? {
        value(forHTTPHeaderField: DebugCorrelation.headerField).flatMap(UUID.init(uuidString:))
    }

    /// Puts a correlation identifier on the request: the one given, or the one that it carries already, or the task's, or a new
    /// one; returns it.
    @discardableResult
    public mutating func correlate(_ id: UUID? = nil) -> UUID {
        let id = id ?? correlationId ?? DebugCorrelation.current ?? UUID()
        setValue(id.uuidString, forHTTPHeaderField: DebugCorrelation.headerField)
        return id
    }
}
#endif
