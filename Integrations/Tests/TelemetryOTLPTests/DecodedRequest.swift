import Foundation
import TelemetryModels
import TelemetryOTLP
import Testing

/// A request's JSON as dictionaries and arrays.
struct DecodedRequest {
    /// A resource with its log records.
    struct Resource {
        let attributes: [String: String]
        let records: [Record]
    }

    struct Record {
        let fields: [String: String]
        /// Each attribute's value as `kind:value`.
        let attributes: [String: String]
    }

    let resources: [Resource]

    init(_ events: TelemetryEvent..., service: String = "shop") throws {
        try self.init(Data(TelemetryOTLPEncoder(serviceName: service).encode(events)))
    }

    init(_ json: Data) throws {
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        resources = try #require(object["resourceLogs"] as? [[String: Any]]).map { logs in
            let resource = try #require(logs["resource"] as? [String: Any])
            let scopes = try #require(logs["scopeLogs"] as? [[String: Any]])
            #expect(scopes.count == 1)
            let scope = try #require(scopes.first?["scope"] as? [String: String])
            #expect(scope == ["name": "LiveTelemetry", "version": LiveTelemetryVersion.version])
            return Resource(
                attributes: try Self.attributes(resource),
                records: try #require(scopes.first?["logRecords"] as? [[String: Any]]).map { record in
                    var fields = record
                    if let body = record["body"] as? [String: String] { fields["body"] = body["stringValue"] }
                    fields["attributes"] = nil
                    return Record(fields: fields.mapValues { "\($0)" }, attributes: try Self.attributes(record))
                })
        }
    }

    var record: Record { get throws { try #require(resources.first?.records.first) } }

    private static func attributes(_ object: [String: Any]) throws -> [String: String] {
        let list = try #require(object["attributes"] as? [[String: Any]])
        let pairs = try list.map { attribute in
            let value = try #require((attribute["value"] as? [String: Any])?.first)
            return (try #require(attribute["key"] as? String), "\(value.key):\(value.value)")
        }
        #expect(Set(pairs.map(\.0)).count == pairs.count, "keys are unique")
        return Dictionary(pairs) { first, _ in first }
    }
}

extension TelemetryEvent {
    static let device = TelemetryDeviceInfo(
        deviceType: "Linux", deviceName: "web-1", deviceModel: "x86_64", osVersion: "6.1", appVersion: "2.4")

    static func sample(
        _ number: Int = 1, client: String? = "k7wq", name: String = "paid", timestamp: Date = Date(timeIntervalSince1970: 1),
        text: String? = nil, attributes: [String: TelemetryValue] = [:], scenario: String? = nil,
        level: TelemetryLogLevel = .info, device: TelemetryDeviceInfo = Self.device, thread: String = "7"
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e\(number)", clientId: client, sessionId: "s1", sequence: UInt64(number), name: name,
            timestamp: timestamp, device: device, threadId: thread, property1: text, attributes: attributes,
            scenario: scenario, level: level)
    }
}
