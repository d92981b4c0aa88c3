package import TelemetryLifecycle
package import TelemetryTransport

/// The shared part of the app delegates: handling pushes, and registering for them.
@MainActor
package final class TelemetryPushHandler {
    private let register: @MainActor () -> Void
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var nextTask = 0

    /// - Parameter register: Registers the app for remote notifications.
    package init(register: @escaping @MainActor () -> Void) { self.register = register }

    /// The service that receives pushes. The app registers for them once the service receives commands, so only while telemetry
    /// is on. It never unregisters, because other parts of the app may need pushes.
    package var lifecycle: TelemetryLifecycleService? {
        didSet {
            oldValue?.onCommandProcessingChange = nil
            lifecycle?.onCommandProcessingChange = { [register] isProcessing in
                if isProcessing { register() }
            }
        }
    }

    /// Passes a notification to the service.
    /// - Parameter completion: Called once, with whether the notification was for this client.
    package func handle(_ notification: TelemetryNotification?, completion: @escaping @MainActor (Bool) -> Void) {
        guard let lifecycle, let notification else { return completion(false) }
        let id = nextTask
        nextTask += 1
        tasks[id] = Task { [weak self] in
            completion(await lifecycle.handleRemoteNotification(notification))
            self?.tasks[id] = nil
        }
    }

    /// Reports that the system did not register the app.
    package func registrationFailed(_ error: any Error) { lifecycle?.reportRegistrationFailure(error) }

    /// Returns when every notification is handled.
    package func finished() async { while let task = tasks.values.first { await task.value } }
}
