import Hummingbird
import Logging

/// Charges cards. Card numbers are not logged.
struct Payments: Sendable {
    private let logger = Logger(label: Area.payments.rawValue)

    func charge(_ cents: Int, to card: String, order: Int) throws {
        logger.debug("charging", metadata: ["order": "\(order)", "cents": "\(cents)"])
        guard card.utf8.count == 16, card.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            logger.warning("card declined", metadata: ["order": "\(order)"])
            throw HTTPError(.init(code: 402, reasonPhrase: "Payment Required"), message: "The card was declined.")
        }
        logger.info("card charged", metadata: ["order": "\(order)", "cents": "\(cents)"])
    }
}
