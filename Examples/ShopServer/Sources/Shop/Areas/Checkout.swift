import Hummingbird
import Logging
import Metrics
import Synchronization

/// Places orders.
final class Checkout: Sendable {
    private let logger = Logger(label: Area.checkout.rawValue)
    private let catalogue: Catalogue
    private let payments = Payments()
    private let orders = Counter(label: "shop.orders")
    private let lastNumber = Atomic(0)

    init(catalogue: Catalogue) { self.catalogue = catalogue }

    func place(_ request: OrderRequest) throws -> Order {
        guard (1...100).contains(request.quantity) else {
            logger.warning("order refused", metadata: ["quantity": "\(request.quantity)"])
            throw HTTPError(.badRequest, message: "The quantity must be between 1 and 100.")
        }
        let cents = try catalogue.product(request.product).cents * request.quantity
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        try payments.charge(cents, to: request.card, order: number)
        orders.increment()
        logger.info(
            "order placed",
            metadata: ["order": "\(number)", "product": "\(request.product)", "quantity": "\(request.quantity)"])
        return Order(number: number, product: request.product, quantity: request.quantity, cents: cents)
    }
}
