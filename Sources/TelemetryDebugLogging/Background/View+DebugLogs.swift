#if DEBUG && canImport(SwiftUI)
public import SwiftUI
#if canImport(UIKit) && !os(watchOS)
import UIKit
#endif

extension View {
    /// Sends the waiting debug entries when the scene enters the background.
    public func flushesDebugLogsInBackground(_ logger: DebugLogger = .shared) -> some View {
        modifier(DebugLogBackgroundFlush(logger: logger))
    }
}

private struct DebugLogBackgroundFlush: ViewModifier {
    let logger: DebugLogger
    @Environment(\.scenePhase) private var scenePhase
    @State private var assertion = BackgroundAssertion()
    @State private var flush: Task<Void, Never>?

    // A memberwise initializer would be private where `State` is a macro.
    init(logger: DebugLogger) { self.logger = logger }

    func body(content: Content) -> some View {
        content.onChange(of: scenePhase) { _, phase in
            guard phase == .background else { return }
            assertion.begin()
            flush = Task {
                await logger.flush()
                assertion.end()
            }
        }
    }
}

/// Keeps the system from suspending the app before the request is complete.
@MainActor
private final class BackgroundAssertion {
    #if canImport(UIKit) && !os(watchOS)
    private var identifier = UIBackgroundTaskIdentifier.invalid

    func begin() {
        end()
        identifier = UIApplication.shared.beginBackgroundTask(withName: "debug-logs") { [weak self] in self?.end() }
    }

    func end() {
        guard identifier != .invalid else { return }
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
    }
    #else
    func begin() {}
    func end() {}
    #endif

    nonisolated init() {}
}
#endif
