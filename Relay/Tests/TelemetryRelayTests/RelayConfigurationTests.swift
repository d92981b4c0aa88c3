import Foundation
import Testing

@testable import TelemetryRelay

struct RelayConfigurationTests {
    private func configuration(
        _ environment: [String: String] = [:], _ change: (inout RelayOptions) -> Void = { _ in }
    ) throws -> RelayConfiguration {
        var options = RelayOptions()
        change(&options)
        return try options.configuration(environment: environment) { _ in "secret\n" }
    }

    @Test("By default, the relay listens on this machine only, stores to a file and requires no token")
    func defaults() throws {
        let configuration = try configuration()
        #expect(configuration == RelayConfiguration())
        #expect(configuration.host == "127.0.0.1")
        #expect(configuration.port == 8377)
        #expect(configuration.database?.lastPathComponent == "relay.sqlite")
        #expect(configuration.token == nil)
    }

    @Test("A flag overrides an environment variable")
    func sources() throws {
        let environment = ["TELEMETRY_RELAY_PORT": "9000", "TELEMETRY_RELAY_CAPACITY": "5", "TELEMETRY_RELAY_DATABASE": "/a/b"]
        let configuration = try configuration(environment) { $0.numbers[.port] = 9001 }
        #expect(configuration.port == 9001)
        #expect(configuration.retention == DebugLogRetention(entries: 5, bytes: 2 << 30, age: 30 * 86_400))
        let bounds = try self.configuration(["TELEMETRY_RELAY_MAX_BYTES": "1048576"]) { $0.numbers[.maximumAge] = 2 }.retention
        #expect(bounds == DebugLogRetention(bytes: 1 << 20, age: 7200))
        #expect(configuration.database?.path == "/a/b")
        #expect(try self.configuration(environment) { $0.inMemory = true }.database == nil)
    }

    @Test("The age of the audit's entries is a number and a unit")
    func auditAge() throws {
        #expect(try configuration().auditAge == 400 * 86_400)
        let environment = ["TELEMETRY_RELAY_AUDIT_AGE": "2d", "TELEMETRY_RELAY_MAX_AGE": "1"]
        #expect(try configuration(environment).auditAge == 2 * 86_400)
        #expect(try configuration(environment) { $0.auditAge = "90m" }.auditAge == 5_400)
        for text in ["", "400", "0d", "-1d", "x"] {
            #expect(throws: RelayConfigurationError.self) { try configuration { $0.auditAge = text } }
        }
    }

    @Test("Messages have links if the page's URL is given, and events unless they are turned off")
    func messages() throws {
        let standard = try configuration()
        #expect(standard.publicURL == nil && standard.hasWebhookSamples)
        let environment = ["TELEMETRY_RELAY_PUBLIC_URL": "https://a.test/relay/", "TELEMETRY_RELAY_WEBHOOK_SAMPLES": "off"]
        #expect(try configuration(environment).publicURL == "https://a.test/relay")
        #expect(try !configuration(environment).hasWebhookSamples)
        #expect(try configuration(environment) { $0.publicURL = "http://b.test" }.publicURL == "http://b.test")
        #expect(try configuration(environment) { $0.webhookSamples = "on" }.hasWebhookSamples)
        for url in ["a.test", "ftp://a.test", "https://", "https://a.test/#x", "https://a.test?x"] {
            #expect(throws: RelayConfigurationError.self) { try configuration { $0.publicURL = url } }
        }
        #expect(throws: RelayConfigurationError.self) { try configuration { $0.webhookSamples = "yes" } }
    }

    @Test("An address that other machines can reach requires TLS or a proxy")
    func remote() throws {
        #expect(throws: RelayConfigurationError.self) { try configuration { $0.host = "0.0.0.0" } }
        #expect(throws: RelayConfigurationError.self) { try configuration(["TELEMETRY_RELAY_HOST": "10.0.0.1"]) }
        #expect(throws: RelayConfigurationError.self) { try configuration { $0.tlsKey = "key" } }
        let changes: [(inout RelayOptions) -> Void] = [
            { $0.allowRemote = true }, { $0.behindProxy = true },
            {
                $0.tlsCertificate = "certificate"
                $0.tlsKey = "key"
            },
        ]
        for change in changes {
            let open = try configuration {
                $0.host = "0.0.0.0"
                change(&$0)
            }
            #expect(!open.isLocal)
        }
    }

    @Test("A limit applies to both kinds unless it is set for one")
    func retentionPerKind() throws {
        let environment = [
            "TELEMETRY_RELAY_MAX_AGE": "5", "TELEMETRY_RELAY_EVENT_MAX_AGE": "7", "TELEMETRY_RELAY_DEDUPE_WINDOW": "1",
        ]
        let configuration = try configuration(environment) {
            $0.numbers[.capacity] = 10
            $0.numbers[.debugCapacity] = 20
        }
        #expect(configuration.retention.age == 5 * 3600)
        #expect(configuration.eventRetention.age == 7 * 3600)
        #expect(configuration.retention.entries == 20)
        #expect(configuration.eventRetention.capacity == 10)
        #expect(configuration.eventRetention.dedupeWindow == 3600)
    }

    @Test("Limits of what a relay holds have options")
    func heldLimits() throws {
        let configuration = try configuration(["TELEMETRY_RELAY_RECORD_MAX_BYTES": "2000000"]) {
            ($0.numbers[.waitingBytes], $0.numbers[.dedupeCapacity]) = (3_000_000, 4)
        }
        #expect(configuration.limits.waitingBytes == 3_000_000)
        #expect(configuration.limits.recordBytesInAll == 2_000_000)
        #expect(configuration.eventRetention.dedupeCapacity == 4)
    }

    @Test(
        "A rule for scenarios is a pattern and an age, a size or both",
        arguments: [
            ("Checkout=30d", "Checkout", 30 * 86_400, nil), ("Debug*=1d,100MB", "Debug*", 86_400, 100 << 20),
            ("a=2GB,90s", "a", 90, 2 << 30), ("*=1024KB", "*", nil, 1 << 20), ("a=b=5m", "a=b", 300, nil),
            ("a, b=1h", "a, b", 3_600, nil), ("a=1048576", "a", nil, 1 << 20),
            ("Cafe\u{301}=2097152B", "Caf\u{e9}", nil, 2 << 20),
        ] as [(String, String, TimeInterval?, Int?)])
    func retentionRule(text: String, pattern: String, age: TimeInterval?, bytes: Int?) throws {
        let rule = try RetentionRule(text)
        #expect(rule.scenario == NamePattern(pattern))
        #expect((rule.age, rule.bytes) == (age, bytes))
    }

    @Test(
        "Other texts are not rules for scenarios",
        arguments: [
            "", "=", "a", "=1d", "a=", "a=1", "a=1d,", "a=,1d", "a=1d,2d", "a=1MB,2MB", "a=1d,1MB,1h", "a=0d", "a=-1d", "a=1 d",
            "a=1w",
            "a=1D", "a=1mb", "a=512KB", "a=9999999999GB", "a=99999999999999999999MB", "a=1.5d", "a=\u{661}d", "a=40000d",
        ])
    func noRetentionRule(text: String) {
        let error = #expect(throws: RelayConfigurationError.self) { try configuration { $0.retain = ["b=1d", text] } }
        #expect(error?.description.hasSuffix("not \(text)") == true)
    }

    @Test("Flags replace the environment's rules for scenarios, which semicolons separate")
    func retentionRules() throws {
        let environment = ["TELEMETRY_RELAY_RETAIN": "a=1d;b*=2d,1MB"]
        let rules = [try RetentionRule("a=1d"), try RetentionRule("b*=2d,1MB")]
        #expect(try configuration(environment) { _ in }.eventRetention.rules == rules)
        #expect(try configuration(environment) { $0.retain = ["b*=2d,1MB"] }.eventRetention.rules == [rules[1]])
        #expect(try configuration { _ in }.eventRetention.rules == [])
    }

    @Test("Request limits apply to both kinds")
    func limits() throws {
        let configuration = try configuration(["TELEMETRY_RELAY_BODY_LIMIT": "100"]) { $0.numbers[.batchLimit] = 3 }
        #expect((configuration.bodyLimit, configuration.limits.bodyBytes) == (100, 100))
        #expect((configuration.batchLimit, configuration.limits.batchEvents) == (3, 3))
    }

    @Test(
        "The description of a server's address has neither its password nor its parameters",
        arguments: [
            ("postgresql://me:secret@host:5433/db?sslmode=require", "postgresql://me@host:5433/db"),
            ("postgres://me:se@cr/et?@host/db", "postgresql://me@…"),
            ("postgresql://me:se#cret@host/db", "postgresql://me@host/db"),
            ("postgresql://host/db?password=secret", "postgresql://host/db"),
            ("postgresql:///db", "postgresql:///db"), ("postgresql://me:secret@[::1]/db", "postgresql://me@[::1]/db"),
            ("postgresql://me:a:b/c@d@host", "postgresql://me@…"), ("postgresql://me:p@ss@host/db", "postgresql://me@…"),
        ])
    func server(text: String, description: String) throws {
        let url = try #require(RelayServerURL(text))
        #expect(url.description.hasPrefix(description))
        var configuration = RelayConfiguration()
        configuration.server = url
        for shown in ["\(url)", "\(configuration)", configuration.databaseDescription, String(reflecting: configuration)] {
            for secret in ["secret", "se@cr", "et?", "a:b"] { #expect(!shown.contains(secret), "\(shown)") }
        }
    }

    @Test("A server's address needs a relay that is built for PostgreSQL; the flag for memory overrides it")
    func serverOption() throws {
        #if PostgreSQL
        let configuration = try configuration { $0.database = "postgresql://me@host/db" }
        #expect(configuration.databaseDescription == "postgresql://me@host/db")
        #else
        let error = #expect(throws: RelayConfigurationError.self) {
            try self.configuration { $0.database = "postgresql://me:secret@host/db" }
        }
        #expect(error?.description.contains("--traits PostgreSQL") == true)
        #expect(error?.description.contains("secret") == false)
        #endif
        let inMemory = try self.configuration {
            $0.inMemory = true
            $0.database = "a"
        }
        #expect(inMemory.databaseDescription == "in memory")
    }

    @Test(
        "A malformed or out-of-range number is an error",
        arguments: [
            ("PORT", "x"), ("PORT", "65536"), ("BODY_LIMIT", "0"), ("BATCH_LIMIT", "-1"), ("CAPACITY", "0"),
            ("MAX_BYTES", "1000"), ("MAX_AGE", "0"),
        ])
    func badNumbers(name: String, value: String) {
        #expect(throws: RelayConfigurationError.self) { try configuration(["TELEMETRY_RELAY_\(name)": value]) }
    }

    @Test("A token can be given as text, in a file or as a hash; a malformed one is an error")
    func tokens() throws {
        let hash = "sha256:2BB80D537B1DA3E38BD30361AA855686BDE0EACD7162FEF6A25FE97BF527A25B"
        let token = try BearerToken(written: "secret")
        #expect(try BearerToken(written: hash) == token)
        #expect(try BearerToken(written: hash.lowercased() + "\n") == token)
        #expect(try configuration { $0.tokenFile = "file" }.token == token)
        #expect(token.matches(authorization: "Bearer secret"))
        #expect(!token.matches(authorization: "Bearer \(hash)"))
        for text in ["", " \n", "sha256:", "sha256:00", hash + "00", hash.replacing("2BB8", with: "2BBx")] {
            #expect(throws: RelayConfigurationError.self) { try BearerToken(written: text) }
        }
    }
}
