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
        form?.sorted { $0.key < $1.key }.map { "\(PercentCoding.encode($0.key))=\(PercentCoding.encode($0.value))" }
            .joined(separator: "&")
    }
}

/// That an issuer does not answer, or not as OpenID Connect says.
struct IssuerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
