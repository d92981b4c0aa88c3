public import Foundation
import Synchronization

/// Flushes a logger when the process is about to be suspended or ended, for as long as the observer lives.
///
/// What waits is safe in the spool anyway; flushing at these moments lets a viewer see it before the app runs again. On
/// systems without such notifications it observes what it is given.
public final class TelemetryFlushObserver: Sendable {
    /// What Apple's systems post when an app goes to the background or ends. By name: the logger needs no user interface.
    public static let applicationNotifications: [Notification.Name] = [
        "UIApplicationDidEnterBackgroundNotification", "UIApplicationWillTerminateNotification",
        "NSExtensionHostDidEnterBackgroundNotification", "NSApplicationDidHideNotification",
        "NSApplicationWillTerminateNotification", "WKApplicationDidEnterBackgroundNotification",
    ].map { Notification.Name($0) }

    private let observers: Mutex<[any NSObjectProtocol]>
    private let moments: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    private let center: NotificationCenter

    /// - Parameters:
    ///   - logger: What is flushed; kept until the observer ends.
    ///   - names: The notifications at which it is.
    ///   - center: Where the notifications are posted.
    public init(
        flushing logger: any TelemetryLogging, at names: [Notification.Name] = TelemetryFlushObserver.applicationNotifications,
        of center: NotificationCenter = .default
    ) {
        let (stream, moments) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.center = center
        self.moments = moments
        task = Task {
            for await _ in stream { await logger.flush() }
        }
        observers = Mutex(
            names.map { name in
                center.addObserver(forName: name, object: nil, queue: nil) { _ in moments.yield() }
            })
    }

    deinit {
        observers.withLock { observers in
            for observer in observers { center.removeObserver(observer) }
        }
        moments.finish()
        task.cancel()
    }
}
