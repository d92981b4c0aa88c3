import Hummingbird
import Logging

/// Charges cards. Its messages contain the number as it was entered, which the redaction of the server's telemetry removes.
struct Payments: Sendable {
    /// A test card whose bank does not answer.
    private static let unanswered = "4000000000000119"

    private let logger = Logger(label: Area.payments.rawValue)

    func charge(_ cents: Int, to card: String, order: Int) throws {
        logger.debug(
            "charging", metadata: ["order": "\(order)", "cents": "\(cents)", "card": "\(card)", "digits": "\(card.utf8.count)"])
        // The article FindAFault finds out what is wrong with this.
        guard card.utf8.count == 16, card.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            logger.warning("card declined", metadata: ["order": "\(order)", "card": "\(card)"])
            throw HTTPError(.init(code: 402, reasonPhrase: "Payment Required"), message: "The card was declined.")
        }
        guard card != Self.unanswered else {
            logger.error("bank does not answer", metadata: ["order": "\(order)", "card": "\(card)", "status": "503"])
            throw HTTPError(.serviceUnavailable, message: "The bank does not answer. Try again later.")
        }
        logger.info("card charged", metadata: ["order": "\(order)", "cents": "\(cents)"])
    }
}
