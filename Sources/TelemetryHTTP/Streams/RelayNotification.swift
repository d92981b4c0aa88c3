import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

extension TelemetryNotification {
    /// Creates the notification for an occurrence on the stream; nil if consumers need none.
    ///
    /// The relay sends `ready` if it does not know which changes were missed; consumers then have to refresh everything.
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
            // Something changed, even if the event cannot be parsed.
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
