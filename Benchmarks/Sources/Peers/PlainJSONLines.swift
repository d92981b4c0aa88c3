public import Foundation
public import TelemetryModels

/// Writes each event with all of its fields as one line, through Foundation's coders.
public struct PlainJSONLines {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    public init() {}

    public func encode(_ events: ArraySlice<TelemetryEvent>) throws -> Data {
        var data = Data()
        for event in events {
            data.append(try encoder.encode(event))
            data.append(UInt8(ascii: "\n"))
        }
        return data
    }

    public func decode(_ data: Data) throws -> [TelemetryEvent] {
        try data.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(TelemetryEvent.self, from: $0) }
    }
}
