import Hummingbird
import Logging

/// The products.
struct Catalogue: Sendable {
    private static let names = ["Apple", "Bread", "Cheese", "Dates", "Eggs", "Flour", "Grapes", "Honey", "Ink", "Jam"]
    private let logger = Logger(label: Area.catalogue.rawValue)
    private let products = names.enumerated().map { index, name in Product(id: index + 1, name: name, cents: 100 + index * 45) }

    func list() -> [Product] {
        logger.debug("products listed", metadata: ["count": "\(products.count)"])
        return products
    }

    func product(_ id: Int) throws -> Product {
        guard let product = products.first(where: { $0.id == id }) else {
            logger.info("product not found", metadata: ["product": "\(id)"])
            throw HTTPError(.notFound)
        }
        logger.debug("product viewed", metadata: ["product": "\(id)", "name": "\(product.name)"])
        return product
    }
}
