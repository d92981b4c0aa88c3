import Foundation
@_spi(Tooling) import TelemetryModels

/// Shows entries of a relay's audit.
public struct AuditListing {
    /// Stands for the client of a read or a deletion of events that was not limited to one.
    public static let anyClient = "any client"

    private let entries: [AuditEntry]
    private let aliases: ClientAliases
    private let time: TimeText

    public init(_ entries: [AuditEntry], aliases: ClientAliases, time: TimeText = TimeText()) {
        self.entries = entries
        self.aliases = aliases
        self.time = time
    }

    /// A row for each entry.
    public func table(style: Style) -> Table {
        var table = Table([
            .whole("time", priority: 9), .text("token", priority: 8), .text("role", priority: 3), .text("address", priority: 2),
            .text("action", priority: 9), .text("client", priority: 7), .number("status", priority: 4),
            .text("detail", priority: 6),
        ])
        for entry in entries {
            let client = entry.client.map(aliases.label) ?? (entry.concernsAnyClient ? Self.anyClient : "–")
            let isRefused = entry.status.map { $0 >= 400 } ?? false
            table.add([
                .init(TimestampText.date(from: entry.time).map(time.dayAndTime) ?? entry.time),
                .init(entry.token ?? "–", look: style.tinted), .init(entry.role ?? "–"), .init(entry.address ?? "–"),
                .init(entry.action), .init(client),
                .init(entry.status.map(String.init) ?? "–", look: isRefused ? style.red : { $0 }),
                .init(entry.detail ?? ""),
            ])
        }
        return table
    }
}

extension AuditEntry {
    /// The entry with the relay's names.
    public var jsonLine: JSONLine {
        var line = JSONLine()
        line.add("number", number)
        line.add("time", time)
        line.add("token", token)
        line.add("role", role)
        line.add("address", address)
        line.add("action", action)
        line.add("client", client)
        line.add("detail", detail)
        line.add("status", status)
        return line
    }
}
