import Foundation
import TelemetryModels
import TelemetrySystem
package import TelemetryTransport

/// The contents of this transport's cursors, which stay valid across processes.
///
/// An index follows the records with a delay, so an event may appear after one that was received later. Reading therefore starts
/// before the cursor's position, and skips the events that the cursor has seen.
package struct CloudKitEventCursor: Sendable, Equatable {
    /// The position of the last event that was read.
    package var position: CloudKitEventPosition
    /// The position up to which nothing is read again, because another filter has read it.
    package var floor: CloudKitEventPosition?
    /// The hash of the filter to which `seen` applies.
    package var filter: UInt64
    /// The events shortly before the position that were returned, by their positions' names, with their times.
    package var seen: [UInt64: Double]

    package init(position: CloudKitEventPosition, floor: CloudKitEventPosition?, filter: UInt64, seen: [UInt64: Double]) {
        self.position = position
        self.floor = floor
        self.filter = filter
        self.seen = seen
    }

    private static let version = "ck1"

    package var cursor: TelemetryCursor {
        let times = seen.sorted { $0.key < $1.key }.map { "\(Self.text($0.key)).\(Self.text($0.value.bitPattern))" }
        return TelemetryCursor(
            rawValue: [
                Self.version, Self.text(position), floor.map(Self.text) ?? "", Self.text(filter), times.joined(separator: ","),
            ].joined(separator: ";"))
    }

    /// - Throws: `.invalidArgument` for text that is not a cursor of this transport.
    package init(_ cursor: TelemetryCursor) throws {
        let parts = cursor.rawValue.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == Self.version, let position = Self.position(parts[1]),
            let filter = Self.number(parts[3])
        else { throw Self.foreign(cursor) }
        self.init(position: position, floor: nil, filter: filter, seen: [:])
        if !parts[2].isEmpty {
            guard let floor = Self.position(parts[2]) else { throw Self.foreign(cursor) }
            self.floor = floor
        }
        for entry in parts[4].split(separator: ",") {
            let pair = entry.split(separator: ".")
            guard pair.count == 2, let name = Self.number(pair[0]), let time = Self.number(pair[1]) else {
                throw Self.foreign(cursor)
            }
            seen[name] = Double(bitPattern: time)
        }
    }

    private static func foreign(_ cursor: TelemetryCursor) -> TelemetryTransportError {
        .invalidArgument("\"\(cursor.rawValue.prefix(100))\" is not a cursor of this store.")
    }

    private static func text(_ number: UInt64) -> String { String(number, radix: 36) }

    private static func text(_ position: CloudKitEventPosition) -> String {
        [position.received.bitPattern, UInt64(bitPattern: position.index), position.name].map(text).joined(separator: ".")
    }

    private static func number(_ text: Substring) -> UInt64? { UInt64(text, radix: 36) }

    private static func position(_ text: Substring) -> CloudKitEventPosition? {
        let numbers = text.split(separator: ".").compactMap(number)
        guard numbers.count == 3 else { return nil }
        return CloudKitEventPosition(
            received: Double(bitPattern: numbers[0]), index: Int64(bitPattern: numbers[1]), name: numbers[2])
    }
}

extension TelemetryEventFilter {
    /// A hash that is the same for equal filters in every process.
    var stableHash: UInt64 {
        func text(_ names: some Sequence<String>) -> String {
            names.map { CanonicalForm.text(of: $0).debugDescription }.sorted().joined(separator: ",")
        }
        let parts = [
            clientId.map { text([$0]) }, sessionId.map { text([$0]) }, scenarios.map { text($0) },
            levels.map { text($0.map(\.rawValue)) }, names.map { text($0) },
            since.map { "\($0.timeIntervalSinceReferenceDate)" }, until.map { "\($0.timeIntervalSinceReferenceDate)" },
            query?.description.debugDescription,
        ]
        return FNV1a.hash(parts.map { $0 ?? "-" }.joined(separator: ";"))
    }
}
