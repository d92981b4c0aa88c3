public import Hummingbird
import NIOCore
import Synchronization

/// The context of a request.
public struct RelayRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Shared with the access log, which runs outside the code that sets it.
    let trace = RequestTrace()

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Information about a request that inner code adds; neither tokens nor keys.
final class RequestTrace: Sendable {
    private let known = Mutex<RelayActor?>(nil)
    private let admitted = Mutex<RelayCaller?>(nil)

    /// Whose token the request has, even if it was revoked or has expired; nil for an unknown token or none.
    var actor: RelayActor? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// The caller that a middleware authenticated; nil if none did.
    var caller: RelayCaller? {
        get { admitted.withLock { $0 } }
        set { admitted.withLock { $0 = newValue } }
    }
}
