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
    private let name = Mutex<String?>(nil)
    private let admitted = Mutex<RelayCaller?>(nil)

    /// The name of the request's token.
    var tokenName: String? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// The caller that a middleware authenticated; nil if none did.
    var caller: RelayCaller? {
        get { admitted.withLock { $0 } }
        set { admitted.withLock { $0 = newValue } }
    }
}
