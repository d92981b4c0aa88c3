import Foundation
import TelemetrySystem
import TelemetryTransport

/// The response of `GET /v1/server`.
struct RelayInformation: Sendable {
    var name = ""
    var version = ""
    var api = 0
    var role = ""
    var limits = RequestLimits()

    /// Returns nil if the body is not a relay's response.
    init?(_ body: Data) {
        var hasAPI = false
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "name") { return scanner.read(&name) }
                if key.isIdentical(to: "version") { return scanner.read(&version) }
                if key.isIdentical(to: "role") { return scanner.read(&role) }
                if key.isIdentical(to: "api") {
                    hasAPI = true
                    return scanner.read(&api)
                }
                if key.isIdentical(to: "limits") { return limits.read(&scanner) }
                return scanner.skipValue()
            }
        }
        guard isRead, hasAPI else { return nil }
    }
}

extension RequestLimits {
    fileprivate mutating func read(_ scanner: inout JSONScanner) -> Bool {
        let isRead = scanner.readMembers { key, scanner in
            if key.isIdentical(to: "bodyBytes") { return scanner.read(&bodyBytes) }
            if key.isIdentical(to: "batchEvents") { return scanner.read(&batchEvents) }
            if key.isIdentical(to: "saveRecords") { return scanner.read(&saveRecords) }
            if key.isIdentical(to: "page") { return scanner.read(&page) }
            if key.isIdentical(to: "waitSeconds") { return scanner.read(&waitSeconds) }
            return scanner.skipValue()
        }
        // A limit of zero is treated as one.
        bodyBytes = max(bodyBytes, 1)
        batchEvents = max(batchEvents, 1)
        saveRecords = max(saveRecords, 1)
        page = max(page, 1)
        waitSeconds = min(max(waitSeconds, 1), 3_600)
        return isRead
    }
}
