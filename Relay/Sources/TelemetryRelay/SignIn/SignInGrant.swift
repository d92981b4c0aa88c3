@_spi(Tooling) import TelemetrySystem

/// What an issuer gives tokens for: the body of `POST /v1/sign-in`.
struct SignInGrant: Equatable {
    /// The fields for the issuer's token endpoint.
    let form: [String: String]
    /// The nonce that the token must have; nil for a renewal.
    let nonce: String?

    /// Whether it is not the renewal of an earlier one.
    var isFirst: Bool { nonce != nil }

    /// Reads `{"code", "verifier", "redirectURI", "nonce"}` or `{"refreshToken"}`.
    /// - Throws: ``Problem``, or an error of the JSON.
    init(_ body: some Sequence<UInt8>) throws {
        var values: [String: String] = [:]
        try WireRecordBodies.object(body) { key, reader in values[key] = try WireRecord.text(&reader, key) }
        if let token = values["refreshToken"] {
            (form, nonce) = (["grant_type": "refresh_token", "refresh_token": token], nil)
            return
        }
        func value(_ key: String) throws -> String {
            guard let value = values[key], !value.isEmpty else { throw Problem.invalidArgument("\(key) is missing.") }
            return value
        }
        nonce = try value("nonce")
        form = [
            "grant_type": "authorization_code", "code": try value("code"), "code_verifier": try value("verifier"),
            "redirect_uri": try value("redirectURI"),
        ]
    }
}
