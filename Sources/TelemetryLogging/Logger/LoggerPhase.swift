/// Where a logger stands.
enum LoggerPhase: Sendable, Equatable {
    /// Not activated: events are held.
    case holding
    /// Not activated, and turned off meanwhile: events are refused.
    case refusing
    case on
    case off
    case shutDown

    enum Effect: Sendable, Equatable {
        case nothing
        /// Take events, deliver nothing yet.
        case hold
        /// Take events and deliver.
        case run
        /// Refuse events and forget what waits.
        case discard
    }

    var acceptsEvents: Bool { self == .holding || self == .on }

    mutating func activate(enabled: Bool) -> Effect {
        let wasOn = self == .on
        self = enabled ? .on : .off
        if enabled { return wasOn ? .nothing : .run }
        return .discard
    }

    mutating func setEnabled(_ isEnabled: Bool) -> Effect {
        switch (self, isEnabled) {
        case (.holding, false):
            self = .refusing
            return .discard
        case (.refusing, true):
            self = .holding
            return .hold
        case (.on, false):
            self = .off
            return .discard
        case (.off, true):
            self = .on
            return .run
        case (.holding, true), (.refusing, false), (.on, true), (.off, false), (.shutDown, _):
            return .nothing
        }
    }
}
