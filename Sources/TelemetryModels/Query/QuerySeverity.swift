/// How serious an event is, in ascending order. For the project's packages; not part of the interface.
@_spi(Tooling)
public enum QuerySeverity: String, Sendable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical, alert, emergency

    /// The severity with a name, which is compared without regard to case; nil for another name.
    public init?(name: String) {
        let name = name.utf8.count <= 9 ? name.lowercased() : ""
        switch name {
        case "warn": self = .warning
        case "fatal": self = .critical
        default: self.init(rawValue: name)
        }
    }

    /// The severity of an event: by its attribute `severity`, otherwise by its attribute `level`, otherwise by its level.
    package init(attribute: (String) -> TelemetryValue?, level: TelemetryLogLevel) {
        func named(_ key: String) -> Self? {
            if case .string(let name)? = attribute(key) { Self(name: name) } else { nil }
        }
        self = named("severity") ?? named("level") ?? (level == .info ? .info : .debug)
    }

    package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
