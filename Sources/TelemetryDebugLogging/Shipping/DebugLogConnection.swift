#if DEBUG
import Foundation
import Synchronization
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The process's one session for debug logs.
///
/// On Linux the process can crash if a session is deallocated while a task ends, so there is one session, which is never
/// released, and a delegate routes callbacks by task.
final class DebugLogConnection: Sendable {
    static let shared = DebugLogConnection()

    private let session: URLSession
    private let delegate = DebugLogReplyReader()

    private init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// - Throws: The session's error; `CancellationError` if the calling task is cancelled.
    func reply(to request: URLRequest) async throws -> DebugLogReply {
        let task = session.dataTask(with: request)
        let id = task.taskIdentifier
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                delegate.expect(id, continuation)
                // A cancellation before this line had no waiter to resume.
                if Task.isCancelled {
                    delegate.end(id, .failure(CancellationError()))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            task.cancel()
            delegate.end(id, .failure(CancellationError()))
        }
    }
}

/// Collects the responses of a session's tasks, by task number.
private final class DebugLogReplyReader: NSObject, URLSessionDataDelegate, Sendable {
    /// The maximum number of bytes that are read of a response, so that an endless response does not fill memory.
    private static let bodyLimit = 64 * 1024

    private struct Exchange {
        let continuation: CheckedContinuation<DebugLogReply, any Error>
        var reply: DebugLogReply?
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])

    func expect(_ id: Int, _ continuation: CheckedContinuation<DebugLogReply, any Error>) {
        exchanges.withLock { $0[id] = Exchange(continuation: continuation) }
    }

    /// Resumes the caller waiting for the task, once.
    func end(_ id: Int, _ result: Result<DebugLogReply, any Error>) {
        exchanges.withLock { $0.removeValue(forKey: id) }?.continuation.resume(with: result)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let response = response as? HTTPURLResponse
        let reply = DebugLogReply(
            status: response?.statusCode ?? 0,
            retryAfter: response?.value(forHTTPHeaderField: "Retry-After").flatMap(Int64.init).flatMap { seconds in
                (0...86_400).contains(seconds) ? .seconds(seconds) : nil
            })
        exchanges.withLock { $0[dataTask.taskIdentifier]?.reply = reply }
        // Only the body of a refusal is needed. A short body of another response is still received, so that the connection can be
        // reused.
        let isShort = (0...Int64(Self.bodyLimit)).contains(response?.expectedContentLength ?? 0)
        if isShort || (400..<500).contains(reply.status) {
            completionHandler(.allow)
        } else {
            end(dataTask.taskIdentifier, .success(reply))
            completionHandler(.cancel)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        let full: DebugLogReply? = exchanges.withLock { exchanges in
            guard let read = exchanges[id]?.reply?.body.count else { return nil }
            exchanges[id]?.reply?.body.append(data.prefix(Self.bodyLimit - read))
            return read + data.count >= Self.bodyLimit ? exchanges[id]?.reply : nil
        }
        guard let full else { return }
        end(id, .success(full))
        dataTask.cancel()
    }

    /// Redirections are not followed, because a redirected POST becomes a GET.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let id = task.taskIdentifier
        let reply = exchanges.withLock { $0[id]?.reply }
        if let error {
            end(id, .failure(error))
        } else if let reply {
            end(id, .success(reply))
        } else {
            end(id, .failure(URLError(.badServerResponse)))
        }
    }
}
#endif
