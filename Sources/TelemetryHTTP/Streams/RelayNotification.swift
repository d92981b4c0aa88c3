import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryNotification {
    /// What an occurrence on the stream of notifications tells its consumers; nil for nothing.
    ///
    /// `ready` comes where the relay cannot tell what was missed: then everything is to be looked at once.
    init?(_ occurrence: EventSource.Occurrence) {
        guard case .event(let event) = occurrence else { return nil }
        switch event.name {
        case "ready": self.init()
        case "record":
            var subscription: String?
            var type: String?
            var name: String?
            let isRead = Data(event.data.utf8).withScanner { scanner in
                scanner.readMembers { key, scanner in
                    if key.isIdentical(to: "subscriptionID") { return scanner.read(&subscription) }
                    if key.isIdentical(to: "recordType") { return scanner.read(&type) }
                    if key.isIdentical(to: "recordName") { return scanner.read(&name) }
                    return scanner.skipValue()
                }
            }
            // Something changed, even where it cannot be read what.
            guard isRead else {
                self.init()
                return
            }
            self.init(
                subscriptionID: subscription, recordType: type, recordID: name.map(TelemetryRecord.ID.init(recordName:)))
        default: return nil
        }
    }
}
