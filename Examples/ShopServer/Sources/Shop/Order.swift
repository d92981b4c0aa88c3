import Hummingbird

/// What a customer sends.
struct OrderRequest: Decodable {
    let product: Int
    let quantity: Int
    let card: String
}

struct Order: ResponseCodable {
    let number: Int
    let product: Int
    let quantity: Int
    let cents: Int
}
