#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// The system's pasteboard, if there is one.
@MainActor
enum TelemetryPasteboard {
    static var isAvailable: Bool {
        #if (canImport(UIKit) && !os(watchOS) && !os(tvOS)) || canImport(AppKit)
        true
        #else
        false
        #endif
    }

    static func copy(_ text: String) {
        #if canImport(UIKit) && !os(watchOS) && !os(tvOS)
        UIPasteboard.general.string = text
        #elseif canImport(AppKit)
        NSPasteboard.general.clearContents()
        NSPasteboard.general.setString(text, forType: .string)
        #endif
    }
}
