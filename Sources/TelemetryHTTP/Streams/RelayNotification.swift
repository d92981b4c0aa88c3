import Foundation
import TelemetryModels
import TelemetryStorage
import TelemetryTransport

extension TelemetryNotification {
    /// The notification for an occurrence on the stream; nil where consumers need none.
    ///
    /// The relay sends `ready` where it does not know what was missed; consumers then have to look at everything once.
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
