import Foundation
import TelemetryModels
import Testing

struct ScenarioStateTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000.123)

    @Test("By default a state is off, at the level diagnostic, without an end, and from the registration")
    func defaults() {
        let state = TelemetryScenarioState()
        #expect(!state.isEnabled && state.level == .diagnostic && state.expires == nil)
        #expect(state.source == .registration && state.suspendedUntil == nil)
    }

    @Test(
        "The stored form of a state",
        arguments: [
            (
                TelemetryScenarioState(),
                #"{"isEnabled":false,"level":"diagnostic","source":"registration"}"#
            ),
            (
                TelemetryScenarioState(
                    isEnabled: true, level: .info, expires: date, source: .rule("r:1"), suspendedUntil: date),
                #"{"expires":"2026-11-21T08:00:00.123Z","isEnabled":true,"level":"info","source":"rule:r:1","#
                    + #""suspendedUntil":"2026-11-21T08:00:00.123Z"}"#
            ),
        ])
    func storedForm(state: TelemetryScenarioState, text: String) throws {
        #expect(try json(state) == text)
        #expect(try fromJSON(text, as: TelemetryScenarioState.self) == state)
    }

    @Test("A state of a later version reads with the level info and the default source")
    func laterState() throws {
        let text = #"{"isEnabled":true,"level":"everything","source":"oracle","new":[1]}"#
        let state = try fromJSON(text, as: TelemetryScenarioState.self)
        #expect(state == TelemetryScenarioState(isEnabled: true, level: .info))
        #expect(try fromJSON(#"{"isEnabled":true}"#) == TelemetryScenarioState(isEnabled: true))
        #expect(throws: DecodingError.self) { try fromJSON("{}", as: TelemetryScenarioState.self) }
    }

    @Test("An end that cannot be stored reads as no end, or as one in the past")
    func extremeEnds() throws {
        var state = TelemetryScenarioState(isEnabled: true, expires: Date(timeIntervalSince1970: 1e15))
        #expect(try fromJSON(try json(state), as: TelemetryScenarioState.self).expires == nil)
        for seconds in [-1e15, .nan] {
            state.expires = Date(timeIntervalSince1970: seconds)
            let read = try fromJSON(try json(state), as: TelemetryScenarioState.self)
            #expect(read.hasExpired(at: Date(timeIntervalSince1970: -60_000_000_000)))
        }
    }

    @Test("A state has expired from its end on")
    func expiry() {
        let state = TelemetryScenarioState(isEnabled: true, expires: Self.date)
        #expect(!state.hasExpired(at: Self.date - 0.001))
        #expect(state.hasExpired(at: Self.date) && state.hasExpired(at: Self.date + 1))
        #expect(!TelemetryScenarioState(isEnabled: true).hasExpired(at: .distantFuture))
        #expect(TelemetryScenarioState(expires: Date(timeIntervalSince1970: .nan)).hasExpired(at: .distantPast))
    }

    @Test(
        "The stored form of a source",
        arguments: [
            (TelemetryScenarioState.Source.registration, "registration"), (.host, "host"), (.viewer, "viewer"),
            (.rule("abc"), "rule:abc"), (.rule(""), "rule:"), (.rule("\u{301}x"), "rule:\u{301}x"),
        ])
    func sources(source: TelemetryScenarioState.Source, text: String) throws {
        #expect(source.description == text)
        #expect(TelemetryScenarioState.Source(text) == source)
        #expect(try fromJSON(try json([source])) == [source])
    }

    @Test("A text that is not a source is nil", arguments: ["", "Host", "rule", "oracle", "rules:1"])
    func noSources(text: String) {
        #expect(TelemetryScenarioState.Source(text) == nil)
    }

    // MARK: Missing fields

    @Test("A scenario's record reads without optional fields as at the level diagnostic, without an end, from the registration")
    func scenario() throws {
        var record = TelemetryScenarioRecord(
            recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: Self.date
        ).toRecord()
        for field in ["logLevel", "expires", "source"] { record[field] = nil }
        let read = try TelemetryScenarioRecord(record: record)
        #expect(read.isEnabled && read.level == .diagnostic && read.expires == nil && read.source == .registration)
        record["logLevel"] = "everything"
        record["expires"] = "soon"
        record["source"] = 3
        let odd = try TelemetryScenarioRecord(record: record)
        #expect(odd.level == .info && odd.expires == nil && odd.source == .registration)
    }

    @Test("A client's record reads without optional fields as not paused and without a last-seen date")
    func client() throws {
        // Defaults are not written.
        let client = TelemetryClientRecord(recordID: "r", clientId: "c", isEnabled: true)
        #expect(Set(client.toRecord().fields.keys) == ["clientid", "created", "isEnabled"])
        let scenario = TelemetryScenarioRecord(recordID: "s", clientId: "c", scenarioName: "A", isEnabled: false)
        #expect(Set(scenario.toRecord().fields.keys) == ["clientid", "scenarioName", "isEnabled", "created"])
        var paused = client
        paused.isPaused = true
        var resumed = paused.toRecord()
        #expect(resumed.bool("isPaused") == true)
        resumed = try client.applying(to: resumed)
        #expect(resumed.bool("isPaused") == false)
        var record = TelemetryClientRecord(recordID: "r", clientId: "c", isEnabled: true, isPaused: true).toRecord()
        record["isPaused"] = nil
        let read = try TelemetryClientRecord(record: record)
        #expect(!read.isPaused && read.lastSeen == nil && read.appVersion == nil && read.libraryVersion == nil)
    }

    @Test("A command's record reads without optional fields; an integer is a valid lease")
    func command() throws {
        var record = TelemetryCommandRecord(recordID: "r", clientId: "c", action: .enableScenario, scenarioName: "Net")
            .toRecord()
        let fields = ["logLevel", "lease", "expires", "lookback", "issuer", "result"]
        #expect(fields.allSatisfy { record[$0] == nil })
        let read = try TelemetryCommandRecord(record: record)
        #expect(read.level == nil && read.lease == nil && read.expires == nil && read.lookback == nil)
        #expect(read.issuer == nil && read.result == nil)
        record["lease"] = 3600
        record["lookback"] = .double(1.5)
        record["logLevel"] = "info"
        let new = try TelemetryCommandRecord(record: record)
        #expect(new.lease == 3600 && new.lookback == 1.5 && new.level == .info)
    }
}
