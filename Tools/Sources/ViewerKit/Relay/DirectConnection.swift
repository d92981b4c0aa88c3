import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests without following redirects, so that a token is sent only to the relay's URL.
///
/// On Linux only a session's delegate can reject redirects, and only for tasks without a completion handler.
final class DirectConnection: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var status = 0
        var body = Data()
        let continuation: CheckedContinuation<(body: Data, status: Int), any Error>
    }

    /// The maximum length of a response's body in bytes; a relay's description is far shorter.
    private static let maximumBytes = 1 << 20
    private static let delegate = DirectConnection()
    /// Never deallocated: on Linux, deallocating a session can end the process.
    private static let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)

    private let exchanges = Mutex<[Int: Exchange]>([:])

    static func send(_ request: URLRequest) async throws -> (body: Data, status: Int) {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                delegate.exchanges.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        exchanges.withLock { $0[dataTask.taskIdentifier]?.status = status }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return exchanges[dataTask.taskIdentifier]?.body.count ?? 0 > Self.maximumBytes
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            exchange.continuation.resume(throwing: error)
        } else {
            exchange.continuation.resume(returning: (exchange.body, exchange.status))
        }
    }
}
