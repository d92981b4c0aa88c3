import Hummingbird
import Logging

/// Charges cards. Its messages contain the number as it was entered, which the redaction of the server's telemetry removes.
struct Payments: Sendable {
    private let logger = Logger(label: Area.payments.rawValue)

    func charge(_ cents: Int, to card: String, order: Int) throws {
        logger.debug("charging", metadata: ["order": "\(order)", "cents": "\(cents)", "card": "\(card)"])
        guard card.utf8.count == 16, card.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            logger.warning("card declined", metadata: ["order": "\(order)", "card": "\(card)"])
            throw HTTPError(.init(code: 402, reasonPhrase: "Payment Required"), message: "The card was declined.")
        }
        logger.info("card charged", metadata: ["order": "\(order)", "cents": "\(cents)"])
    }
}
