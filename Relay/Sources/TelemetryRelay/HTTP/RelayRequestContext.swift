public import Hummingbird
import NIOCore
import Synchronization

/// What the relay knows of a request while it answers it.
public struct RelayRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Noted for the access log, which is written outside of whoever finds out.
    let trace = RequestTrace()

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// What is noted of a request on its way; neither tokens nor keys.
final class RequestTrace: Sendable {
    private let name = Mutex<String?>(nil)
    private let admitted = Mutex<RelayCaller?>(nil)

    /// The name of the token that the request bears.
    var tokenName: String? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// Whom a middleware let in; nil where none looked.
    var caller: RelayCaller? {
        get { admitted.withLock { $0 } }
        set { admitted.withLock { $0 = newValue } }
    }
}
