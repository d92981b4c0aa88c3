import Foundation

/// A request to an issuer, and what it answers.
struct IssuerRequest: Sendable, Equatable {
    /// Sends a request, without following redirects.
    typealias Send = @Sendable (IssuerRequest) async throws -> Answer

    struct Answer: Sendable {
        let status: Int
        let body: Data
    }

    let url: String
    /// The fields of a form to send; nil for a GET.
    var form: [String: String]?

    /// The form as `application/x-www-form-urlencoded`.
    var formText: String? {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
        return form?.sorted { $0.key < $1.key }.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }
}

/// That an issuer does not answer, or not as OpenID Connect says.
struct IssuerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
