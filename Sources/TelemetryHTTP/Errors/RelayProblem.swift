import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

/// A relay's problem details: RFC 9457, and the members that the records' routes add.
struct RelayProblem: Sendable {
    struct Failure: Sendable {
        var recordName = ""
        var code = ""
        var detail = ""
        var record: TelemetryRecord?
    }

    var code = ""
    var title = ""
    var detail = ""
    var record: TelemetryRecord?
    var failures: [Failure] = []

    /// Returns nil if the body is not a JSON object of this form.
    init?(_ body: Data) {
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "code") { return scanner.read(&code) }
                if key.isIdentical(to: "title") { return scanner.read(&title) }
                if key.isIdentical(to: "detail") { return scanner.read(&detail) }
                if key.isIdentical(to: "record") {
                    record = scanner.wireRecord()
                    return record != nil
                }
                if key.isIdentical(to: "failures") {
                    return scanner.readArray { scanner in
                        guard let failure = Failure(&scanner) else { return false }
                        failures.append(failure)
                        return true
                    }
                }
                return scanner.skipValue()
            }
        }
        guard isRead else { return nil }
    }
}

extension RelayProblem.Failure {
    fileprivate init?(_ scanner: inout JSONScanner) {
        let isRead = scanner.readMembers { key, scanner in
            if key.isIdentical(to: "recordName") { return scanner.read(&recordName) }
            if key.isIdentical(to: "code") { return scanner.read(&code) }
            if key.isIdentical(to: "detail") { return scanner.read(&detail) }
            if key.isIdentical(to: "record") {
                record = scanner.wireRecord()
                return record != nil
            }
            return scanner.skipValue()
        }
        guard isRead, !recordName.isEmpty else { return nil }
    }
}
