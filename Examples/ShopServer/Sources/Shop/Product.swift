import Hummingbird

struct Product: ResponseCodable {
    let id: Int
    let name: String
    let cents: Int
}
