public import Foundation
import Synchronization

/// Flushes a logger when the process is about to be suspended or ended, as long as the observer exists.
///
/// Waiting events are also kept in the spool. With a flush a viewer receives them before the app runs again. On systems without
/// these notifications, pass names of your own.
public final class TelemetryFlushObserver: Sendable {
    /// The notifications that Apple's systems post when an app enters the background or ends. They are spelled out, so that the
    /// logger does not import a user interface framework.
    public static let applicationNotifications: [Notification.Name] = [
        "UIApplicationDidEnterBackgroundNotification", "UIApplicationWillTerminateNotification",
        "NSExtensionHostDidEnterBackgroundNotification", "NSApplicationDidHideNotification",
        "NSApplicationWillTerminateNotification", "WKApplicationDidEnterBackgroundNotification",
    ].map { Notification.Name($0) }

    private let observers: Mutex<[any NSObjectProtocol]>
    private let flushes: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    private let center: NotificationCenter

    /// - Parameters:
    ///   - logger: The logger to flush; retained by the observer.
    ///   - names: The notifications that cause a flush.
    ///   - center: The center that posts the notifications.
    public init(
        flushing logger: any TelemetryLogging, at names: [Notification.Name] = TelemetryFlushObserver.applicationNotifications,
        of center: NotificationCenter = .default
    ) {
        let (stream, flushes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.center = center
        self.flushes = flushes
        task = Task {
            for await _ in stream { await logger.flush() }
        }
        observers = Mutex(
            names.map { name in
                center.addObserver(forName: name, object: nil, queue: nil) { _ in flushes.yield() }
            })
    }

    deinit {
        observers.withLock { observers in
            for observer in observers { center.removeObserver(observer) }
        }
        flushes.finish()
        task.cancel()
    }
}
