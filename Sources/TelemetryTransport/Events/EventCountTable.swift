import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Counts events by client, session, scenario, level and hour.
struct EventCountTable {
    /// Where the client and the device of a session are found.
    struct Origin {
        let clientId: String?
        let device: TelemetryDeviceInfo
    }

    private struct SessionKey: Hashable {
        let client: ExactString
        let session: ExactString
    }

    private struct Key: Hashable {
        /// The places of the session and the scenario, and the level.
        let places: UInt64
        let hour: Int64
    }

    private struct Count {
        let key: Key
        var count: Int
        var first: Date
        var last: Date
        var lowest: UInt64
        var highest: UInt64
        var dropped: Int64
    }

    private static let unknownDevice = TelemetryDeviceInfo(
        deviceType: "", deviceName: "", deviceModel: "", osVersion: "", appVersion: "")

    private var sessions: [SessionKey: Int] = [:]
    private var names: [(session: String, origin: Origin?)] = []
    private var scenarios: [ExactString?: Int] = [:]
    private var scenarioNames: [String?] = []
    private var places: [Key: Int] = [:]
    private var all: [Count] = []

    /// Adds an event.
    mutating func add(_ event: TelemetryEvent) { add(event, client: event.clientId.map { "+" + $0 } ?? "") }

    /// Adds an event. `client` is a name of its client.
    mutating func add(_ event: TelemetryEvent, client: String) {
        let session = session(event.sessionId, client: client) { Origin(clientId: event.clientId, device: event.device) }
        let key = Self.key(session, scenario(event.scenario), event.level, EventTime.hour(of: event.timestamp))
        let drops = withUnsafePointer(to: event) { Int64(clamping: BatchSummaryBuilder.drops($0)) }
        add(
            Count(
                key: key, count: 1, first: event.timestamp, last: event.timestamp, lowest: event.sequence,
                highest: event.sequence, dropped: drops))
    }

    /// Adds the events of a summary, whose session and scenario have these places.
    mutating func add(_ cell: BatchSummary.Cell, session: Int, scenario: Int) {
        let first = EventTime.date(cell.first)
        add(
            Count(
                key: Self.key(session, scenario, cell.level, EventTime.hour(of: first)), count: Int(clamping: cell.count),
                first: first, last: EventTime.date(cell.last), lowest: cell.lowestSequence, highest: cell.highestSequence,
                dropped: Int64(clamping: cell.dropped)))
    }

    /// The place of a session. `client` is a name of its client.
    mutating func session(_ id: String, client: String, origin: () throws -> Origin?) rethrows -> Int {
        let key = SessionKey(client: ExactString(client), session: ExactString(id))
        if let known = sessions[key] {
            if names[known].origin == nil { names[known].origin = try origin() }
            return known
        }
        let found = try origin()
        sessions[key] = names.count
        names.append((id, found))
        return names.count - 1
    }

    /// The place of a scenario.
    mutating func scenario(_ name: String?) -> Int {
        let key = name.map(ExactString.init)
        if let known = scenarios[key] { return known }
        scenarios[key] = scenarioNames.count
        scenarioNames.append(name)
        return scenarioNames.count - 1
    }

    /// The counts so far.
    var counts: [TelemetryEventCount] {
        all.map { count in
            let session = names[Int(count.key.places >> 32)]
            return TelemetryEventCount(
                clientId: session.origin?.clientId, sessionId: session.session,
                scenario: scenarioNames[Int(count.key.places >> 1 & 0x7fff_ffff)],
                level: count.key.places & 1 == 0 ? .info : .diagnostic,
                hour: Date(timeIntervalSince1970: Double(count.key.hour) * 3_600), count: count.count, first: count.first,
                last: count.last, lowestSequence: count.lowest, highestSequence: count.highest, reportedDrops: count.dropped,
                device: session.origin?.device ?? Self.unknownDevice)
        }
    }

    private static func key(_ session: Int, _ scenario: Int, _ level: TelemetryLogLevel, _ hour: Int64) -> Key {
        Key(places: UInt64(session) << 32 | UInt64(scenario) << 1 | (level == .info ? 0 : 1), hour: hour)
    }

    private mutating func add(_ count: Count) {
        guard let place = places[count.key] else {
            places[count.key] = all.count
            return all.append(count)
        }
        let (total, isBeyond) = all[place].count.addingReportingOverflow(count.count)
        all[place].count = isBeyond ? .max : total
        all[place].first = min(all[place].first, count.first)
        all[place].last = max(all[place].last, count.last)
        all[place].lowest = min(all[place].lowest, count.lowest)
        all[place].highest = max(all[place].highest, count.highest)
        let (sum, overflow) = all[place].dropped.addingReportingOverflow(count.dropped)
        all[place].dropped = overflow ? .max : sum
    }
}
