public import Foundation
@_spi(Tooling) import TelemetryModels

/// The newest event of a client: its date, and the device and app that wrote it.
public struct ClientTrace: Sendable, Equatable {
    public let clientId: String
    public var lastEvent: Date?
    public var appVersion: String?
    public var deviceName: String?
    public var deviceModel: String?
    public var osVersion: String?
    public var libraryVersion: String?

    public init(clientId: String, lastEvent: Date? = nil) {
        self.clientId = clientId
        self.lastEvent = lastEvent
    }

    /// Reads the fields of an event, or of a header in a segment. Empty strings are nil.
    mutating func read(_ fields: [String: Any]) {
        func text(_ name: String) -> String? { (fields[name] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        appVersion = text("appVersion")
        deviceName = text("deviceName")
        deviceModel = text("deviceModel")
        osVersion = text("osVersion")
        libraryVersion = text("library")
    }
}

/// Reads the newest event of each client, without reading the older ones.
public struct ClientTraceReader: Sendable {
    private let location: StoreLocation

    public init(_ location: StoreLocation) { self.location = location }

    /// - Parameter clients: The clients to read from a relay, with one request each. A directory contains a folder for each
    ///   client, so all of them are read, also clients without a record.
    /// - Returns: The traces by client identifier. A client without events, or whose newest event cannot be read, has none.
    public func traces(of clients: Set<String>) async -> [String: ClientTrace] {
        switch location {
        case .directory(let directory):
            let traces = SegmentTraces(directory.url).all()
            return Dictionary(traces.map { ($0.clientId, $0) }, uniquingKeysWith: { $1 })
        case .relay(let relay):
            var traces: [String: ClientTrace] = [:]
            for client in clients { traces[client] = await trace(of: client, at: relay) }
            return traces
        }
    }

    private func trace(of client: String, at relay: RelayLocation) async -> ClientTrace? {
        guard let body = await RelayProbe(relay).newestEvent(ofClient: client),
            let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            let event = (object["events"] as? [[String: Any]])?.first
        else { return nil }
        let time = event["eventTimestamp"] as? String
        var trace = ClientTrace(clientId: client, lastEvent: time.flatMap(TimestampText.date(from:)))
        trace.read(event)
        return trace
    }
}
