import Foundation
import JWTKit
import Logging

/// The configuration and the keys of an issuer, which are fetched when they are needed and every ten minutes.
actor IssuerKeys {
    private struct Known {
        let metadata: IssuerMetadata
        /// By identifier; empty for a key without one.
        let keys: [String: Key]
        /// When the fetch began.
        let time: Duration
    }

    /// A public key with the one algorithm that it is used with.
    struct Key: Sendable {
        let algorithm: String
        let verifier: JWTKeyCollection
    }

    /// How long what was fetched is used without another fetch.
    static let refreshInterval = Duration.seconds(600)
    /// How long it is used while fetches fail.
    static let maximumAge = Duration.seconds(86_400)
    /// The time between two fetches of which the first failed, or did not have a key that was looked for.
    static let retryInterval = Duration.seconds(10)
    /// The maximum number of keys.
    private static let maximumKeys = 100

    private let issuer: RelayIssuer
    private let send: IssuerRequest.Send
    private let uptime: @Sendable () -> Duration
    private let logger: Logger
    private var known: Known?
    /// When the last fetch began, whether it succeeded or not.
    private var tried: Duration?
    private var failure: (any Error)?
    private var fetching: Task<Void, Never>?

    init(
        issuer: RelayIssuer, send: @escaping IssuerRequest.Send, uptime: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        (self.issuer, self.send, self.uptime, self.logger) = (issuer, send, uptime, logger)
    }

    /// - Throws: ``IssuerError`` if it cannot be fetched.
    func metadata() async throws -> IssuerMetadata { try await current().metadata }

    /// The key with an identifier. Without one, the only key with this algorithm.
    /// - Returns: nil if the issuer has no such key.
    /// - Throws: ``IssuerError`` if the keys cannot be fetched.
    func key(_ id: String?, algorithm: String) async throws -> Key? {
        var known = try await current()
        // The issuer may have begun to use another one.
        if Self.key(id, algorithm, in: known) == nil, uptime() - (tried ?? .zero) >= Self.retryInterval {
            await fetch()
            known = try await current()
        }
        return Self.key(id, algorithm, in: known)
    }

    private static func key(_ id: String?, _ algorithm: String, in known: Known) -> Key? {
        guard id == nil else { return known.keys[id ?? ""].flatMap { $0.algorithm == algorithm ? $0 : nil } }
        let keys = known.keys.values.filter { $0.algorithm == algorithm }
        return keys.count == 1 ? keys.first : nil
    }

    private func current() async throws -> Known {
        let now = uptime()
        let isOld = known.map { now - $0.time >= Self.refreshInterval } ?? true
        if isOld, tried.map({ now - $0 >= Self.retryInterval }) ?? true || fetching != nil { await fetch() }
        guard let known, now - known.time < Self.maximumAge else {
            throw failure ?? IssuerError("its keys were not fetched for a day")
        }
        return known
    }

    /// Fetches, for all calls that wait.
    private func fetch() async {
        let task =
            fetching
            ?? Task {
                tried = uptime()
                do {
                    known = try await fetched()
                    failure = nil
                } catch {
                    if failure == nil {
                        logger.error(
                            "the issuer's keys cannot be fetched", metadata: ["issuer": "\(issuer.url)", "error": "\(error)"])
                    }
                    failure = error
                }
                fetching = nil
            }
        fetching = task
        await task.value
    }

    private func fetched() async throws -> Known {
        let time = uptime()
        let metadata = try IssuerMetadata(try await get(IssuerMetadata.url(of: issuer)), of: issuer)
        return Known(metadata: metadata, keys: try await Self.keys(in: try await get(metadata.keys)), time: time)
    }

    private func get(_ url: String) async throws -> Data {
        let answer = try await send(IssuerRequest(url: url))
        guard answer.status == 200 else { throw IssuerError("\(url) answers with status \(answer.status)") }
        return answer.body
    }

    /// The keys of a JSON Web Key Set (RFC 7517) for RS256 and ES256. Others are left out.
    private static func keys(in body: Data) async throws -> [String: Key] {
        guard let set = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            let list = set["keys"] as? [[String: Any]]
        else { throw IssuerError("its keys cannot be read") }
        var keys: [String: Key] = [:]
        for object in list.prefix(maximumKeys) where object["use"] as? String ?? "sig" == "sig" {
            guard let json = try? JSONSerialization.data(withJSONObject: object),
                var jwk = try? JSONDecoder().decode(JWK.self, from: json), let algorithm = algorithm(of: jwk)
            else { continue }
            let id = jwk.keyIdentifier?.string ?? ""
            // The collection would take the algorithm from the first token.
            (jwk.algorithm, jwk.keyIdentifier) = (algorithm, JWKIdentifier(string: id))
            guard let verifier = try? await JWTKeyCollection().add(jwk: jwk) else { continue }
            keys[id] = Key(algorithm: algorithm.rawValue, verifier: verifier)
        }
        return keys
    }

    private static func algorithm(of key: JWK) -> JWK.Algorithm? {
        let algorithm: JWK.Algorithm
        if key.keyType == .rsa {
            // RFC 7518, 3.3: at least 2048 bits.
            guard let modulus = key.modulus, modulus.utf8.count * 6 >= 2_048 else { return nil }
            algorithm = .rs256
        } else if key.keyType == .ecdsa, key.curve?.rawValue == "P-256" {
            algorithm = .es256
        } else {
            return nil
        }
        return key.algorithm == nil || key.algorithm == algorithm ? algorithm : nil
    }
}
