import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to the server.
struct Customer {
    let shop: URL

    func get(_ path: String) async throws -> (status: Int, text: String) { try await send(request(path)) }

    func order(
        product: Int = 3, quantity: Int = 2, card: String = "4000000000000002", user: String? = nil, trace: String? = nil
    ) async throws -> (status: Int, text: String) {
        var request = request("orders")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(user, forHTTPHeaderField: "x-user")
        request.setValue(trace, forHTTPHeaderField: "traceparent")
        request.httpBody = Data(#"{"product":\#(product),"quantity":\#(quantity),"card":"\#(card)"}"#.utf8)
        return try await send(request)
    }

    private func request(_ path: String) -> URLRequest { URLRequest(url: shop.appending(path: path)) }

    private func send(_ request: URLRequest) async throws -> (status: Int, text: String) {
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }
}
