@_spi(Tooling) public import TelemetryModels

@_spi(Tooling)
extension QuerySeverity {
    /// The words of loggers and of RFC 5424, other than the names of queries.
    private static let synonyms: [String: QuerySeverity] = [
        "verbose": .trace, "silly": .trace, "finest": .trace, "finer": .trace, "diagnostic": .debug, "diag": .debug,
        "fine": .debug, "information": .info, "informational": .info, "err": .error, "severe": .error, "crit": .critical,
        "dpanic": .critical, "panic": .critical, "emerg": .emergency,
    ]
    /// The numbers of RFC 5424, from 0 to 7.
    private static let numbers: [QuerySeverity] = [.emergency, .alert, .critical, .error, .warning, .notice, .info, .debug]

    /// Reads a logger's word, in any case: `WARN`, `error`, `Informational`, `DEBUG-4`. Returns nil for other words.
    public init?(word: String) {
        // slog writes levels between the named ones as a difference.
        let name = String(word.lowercased().prefix { $0 != "+" && $0 != "-" })
        guard let severity = QuerySeverity(name: name) ?? Self.synonyms[name] else { return nil }
        self = severity
    }

    /// Reads a logger's number: from 0 to 7 as in RFC 5424, from 10 as in pino and bunyan (10 trace, 20 debug, … 60 fatal).
    public init?(number: Int64) {
        switch number {
        case 0...7: self = Self.numbers[Int(number)]
        case 10..<20: self = .trace
        case 20..<30: self = .debug
        case 30..<40: self = .info
        case 40..<50: self = .warning
        case 50..<60: self = .error
        case 60...99: self = .critical
        default: return nil
        }
    }

    public init?(_ value: TelemetryValue) {
        switch value {
        case .string(let word): self.init(word: word)
        case .int(let number): self.init(number: number)
        default: return nil
        }
    }
}

extension TelemetryEvent {
    /// The attribute with an event's severity.
    public static let severityAttribute = "severity"

    /// The severity in the attribute `severity`, or in the attribute `level`, which a handler of swift-log writes. Without them the
    /// event's level: debug for diagnostic, otherwise info.
    package var severity: QuerySeverity { statedSeverity ?? (level == .diagnostic ? .debug : .info) }

    /// The severity in the attributes; nil if there is none.
    package var statedSeverity: QuerySeverity? {
        guard !attributes.isEmpty else { return nil }
        return attributes[Self.severityAttribute].flatMap { QuerySeverity($0) }
            ?? attributes["level"].flatMap { QuerySeverity($0) }
    }
}
