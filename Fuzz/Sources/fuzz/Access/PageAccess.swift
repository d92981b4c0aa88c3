import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTransport

@testable import TelemetryHTTP

/// The library's readers of the relay's pages.
enum PageAccess {
    /// Returns nil if a line cannot be read.
    static func events(inLines page: [UInt8]) -> [TelemetryEvent]? { EventLines.decode(all: page) }

    /// Returns nil if the page cannot be read.
    static func events(inJSON page: [UInt8]) -> [TelemetryEvent]? { TelemetryEventPage(relayBody: Data(page))?.events }
}
