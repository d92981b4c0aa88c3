public import Foundation

/// What somebody did, as the audit records it.
public struct RelayAuditEntry: Sendable, Equatable {
    /// The raw values are those of `action` on the wire.
    public enum Action: String, Sendable, CaseIterable {
        case approveClient = "client.approve"
        case disapproveClient = "client.disapprove"
        case saveClient = "client.save"
        case createCommand = "command.create"
        case changeCommand = "command.change"
        case saveScenario = "scenario.save"
        case saveRule = "rule.save"
        case saveRecord = "record.save"
        case deleteRecord = "record.delete"
        case readEvents = "events.read"
        case exportEvents = "events.export"
        case countEvents = "events.count"
        case queryEvents = "events.query"
        case streamEvents = "events.stream"
        case endStream = "events.streamEnd"
        case deleteEvents = "events.delete"
        case refuseRequest = "request.refuse"
        case signIn = "session.signIn"
        case saveAlert = "alert.save"
        case removeAlert = "alert.delete"
        case testAlert = "alert.test"
        case createToken = "token.create"
        case revokeToken = "token.revoke"
        case createWebhook = "webhook.create"
        case removeWebhook = "webhook.remove"
        case restoreDatabase = "database.restore"

        /// Whether an entry without a client concerns the events of all clients.
        public var concernsEvents: Bool { rawValue.hasPrefix("events.") }
    }

    public let action: Action
    public let actor: RelayActor
    /// The client that it concerns; nil if it concerns none or all.
    public let client: String?
    /// The filters, or the fields that changed, with their values; never events. At most ``maximumDetail`` bytes.
    public let detail: String
    /// The HTTP status of the response; 200 for the relay's own commands, and for what was changed, even if other parts of the request
    /// failed.
    public let status: Int

    /// The maximum length of ``detail``, in bytes of UTF-8.
    public static let maximumDetail = 2_000

    public init(_ action: Action, by actor: RelayActor, client: String? = nil, detail: String = "", status: Int = 200) {
        self.action = action
        self.actor = actor
        self.client = client
        self.detail = Self.cut(detail, to: Self.maximumDetail)
        self.status = status
    }

    /// The beginning of a string, with a mark at its end if it is cut.
    /// - Parameter length: the maximum length of the result, in bytes.
    static func cut(_ text: String, to length: Int) -> String {
        guard text.utf8.count > length else { return text }
        let mark = "…"
        var cut = String.UnicodeScalarView()
        var rest = length - mark.utf8.count
        for scalar in text.unicodeScalars {
            rest -= UTF8.width(scalar)
            guard rest >= 0 else { break }
            cut.append(scalar)
        }
        return String(cut) + mark
    }
}

/// Who did something.
public struct RelayActor: Sendable, Equatable {
    /// The name of the token; nil without one.
    public var token: String?
    /// Nil for the relay's own commands.
    public var role: RelayRole?
    /// The address of the request; nil for the relay's own commands.
    public var address: String?

    public init(token: String? = nil, role: RelayRole? = nil, address: String? = nil) {
        self.token = token
        self.role = role
        self.address = address
    }

    /// Whoever may run the relay's own commands.
    public static let command = RelayActor()
}

/// An entry with its number and its time.
public struct RelayStoredAuditEntry: Sendable, Equatable {
    /// The number, at least 1. Later entries have greater numbers, without gaps.
    public let number: Int64
    /// When it was written, by the wall clock of the relay, to the millisecond.
    public let time: Date
    public let entry: RelayAuditEntry

    public init(number: Int64, time: Date, entry: RelayAuditEntry) {
        self.number = number
        self.time = time
        self.entry = entry
    }
}
