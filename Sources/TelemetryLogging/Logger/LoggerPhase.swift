/// The state of a logger.
enum LoggerPhase: Sendable, Equatable {
    /// Not activated: events are held.
    case holding
    /// Not activated, and turned off: events are refused.
    case refusing
    case on
    case off
    case shutDown

    enum Effect: Sendable, Equatable {
        case nothing
        /// Accept events without delivery.
        case hold
        /// Accept and deliver events.
        case run
        /// Refuse events and discard waiting ones.
        case discard
    }

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
