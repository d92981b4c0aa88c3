import Foundation
import JWTKit
import Logging

/// The configuration and the keys of an issuer, which are fetched when they are needed and every ten minutes.
actor IssuerKeys {
    private struct Known {
        let metadata: IssuerMetadata
        let keys: [Key]
        /// When the fetch began.
        let time: Duration

        /// The key with an identifier. Without one, the only key with this algorithm.
        func key(_ id: String?, _ algorithm: String) -> Key? {
            let found = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
            return found.count == 1 ? found.first : nil
        }
    }

    /// A public key with the one algorithm that it is used with.
    struct Key: Sendable {
        let id: String?
        let algorithm: String
        let verifier: JWTKeyCollection
    }

    /// How long what was fetched is used without another fetch.
    static let refreshInterval = Duration.seconds(600)
    /// How long it is used while fetches fail.
    static let maximumAge = Duration.seconds(86_400)
    /// The time between the end of a fetch that failed and the next one.
    static let retryInterval = Duration.seconds(10)
    /// The maximum number of fetches for keys that are not known, a minute and at once. Anyone can make up such a key.
    static let searches = (perMinute: 6, burst: 5)
    /// The maximum number of keys.
    private static let maximumKeys = 100

    private let issuer: RelayIssuer
    private let send: IssuerRequest.Send
    private let uptime: @Sendable () -> Duration
    private let logger: Logger
    private let searches: RateLimiter<String>
    private var known: Known?
    /// Why the last fetch failed, and when it ended; nil if it succeeded.
    private var failure: (error: IssuerError, time: Duration)?
    private var fetching: Task<Void, Never>?

    init(
        issuer: RelayIssuer, send: @escaping IssuerRequest.Send, uptime: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        (self.issuer, self.send, self.uptime, self.logger) = (issuer, send, uptime, logger)
        searches = RateLimiter(perMinute: Self.searches.perMinute, burst: Self.searches.burst, uptime: uptime)
    }

    /// - Throws: ``IssuerError`` if it cannot be fetched.
    func metadata() async throws -> IssuerMetadata { try await current().metadata }

    /// The key with an identifier. Without one, the only key with this algorithm.
    /// - Returns: nil if the issuer has no such key.
    /// - Throws: ``IssuerError`` if the keys cannot be fetched now.
    func key(_ id: String?, algorithm: String) async throws -> Key? {
        if let key = try await current().key(id, algorithm) { return key }
        // The issuer may have begun to use another one.
        guard fetching != nil || searches.take(from: "") == nil else { throw IssuerError("its keys were fetched too often") }
        await fetch()
        if let failure { throw failure.error }
        return try await current().key(id, algorithm)
    }

    private func current() async throws -> Known {
        let now = uptime()
        if let known, now - known.time < Self.maximumAge {
            guard now - known.time >= Self.refreshInterval, mayFetch(now) else { return known }
            // Only the first fetch that fails delays requests.
            if failure == nil { await fetch() } else { startFetch() }
            return self.known ?? known
        }
        if mayFetch(now) { await fetch() }
        guard let known, uptime() - known.time < Self.maximumAge else {
            throw failure?.error ?? IssuerError("its keys were not fetched for a day")
        }
        return known
    }

    private func mayFetch(_ now: Duration) -> Bool {
        fetching != nil || failure.map { now - $0.time >= Self.retryInterval } ?? true
    }

    /// Fetches once for all calls that wait.
    private func fetch() async { await startFetch().value }

    @discardableResult
    private func startFetch() -> Task<Void, Never> {
        if let fetching { return fetching }
        let task = Task {
            do throws(IssuerError) {
                known = try await fetched()
                failure = nil
            } catch {
                if failure == nil {
                    logger.error(
                        "the issuer's keys cannot be fetched", metadata: ["issuer": "\(issuer.url)", "error": "\(error)"])
                }
                failure = (error, uptime())
            }
            fetching = nil
        }
        fetching = task
        return task
    }

    private func fetched() async throws(IssuerError) -> Known {
        let time = uptime()
        let metadata = try IssuerMetadata(try await get(IssuerMetadata.url(of: issuer)), of: issuer)
        return Known(metadata: metadata, keys: try await Self.keys(in: try await get(metadata.keys)), time: time)
    }

    private func get(_ url: String) async throws(IssuerError) -> Data {
        let answer: IssuerRequest.Answer
        do {
            answer = try await send(IssuerRequest(url: url))
        } catch {
            throw IssuerError("\(url) does not answer: \(error)")
        }
        guard answer.status == 200 else { throw IssuerError("\(url) answers with status \(answer.status)") }
        return answer.body
    }

    /// The keys of a JSON Web Key Set (RFC 7517) for RS256 and ES256. Others are left out.
    private static func keys(in body: Data) async throws(IssuerError) -> [Key] {
        guard let set = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            let list = set["keys"] as? [[String: Any]]
        else { throw IssuerError("its keys cannot be read") }
        var keys: [Key] = []
        for object in list.prefix(maximumKeys) where object["use"] as? String ?? "sig" == "sig" {
            guard let json = try? JSONSerialization.data(withJSONObject: object),
                var jwk = try? JSONDecoder().decode(JWK.self, from: json), let algorithm = algorithm(of: jwk)
            else { continue }
            let id = jwk.keyIdentifier?.string
            // The collection would take the algorithm from the first token.
            (jwk.algorithm, jwk.keyIdentifier) = (algorithm, JWKIdentifier(string: id ?? ""))
            guard let verifier = try? await JWTKeyCollection().add(jwk: jwk) else { continue }
            keys.append(Key(id: id, algorithm: algorithm.rawValue, verifier: verifier))
        }
        guard !keys.isEmpty else { throw IssuerError("it has no key for RS256 or ES256") }
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
