/// What a query can ask of an event, or of a row of the table before it. For the project's packages; not part of the interface.
@_spi(Tooling)
public enum QueryField: Sendable, Hashable {
    case client, session, scenario, level, severity, name, text, time, sequence, id, thread, device, app
    case attribute(String)

    private static let prefix = "attributes."

    private static let fixed: [String: QueryField] = [
        "client": .client, "session": .session, "scenario": .scenario, "level": .level, "severity": .severity, "name": .name,
        "text": .text, "time": .time, "sequence": .sequence, "id": .id, "thread": .thread, "device": .device, "app": .app,
    ]
    /// The names of the fields that are not attributes.
    public static let builtInNames = fixed.keys.sorted()
    private static let names = Dictionary(uniqueKeysWithValues: fixed.map { ($1, $0) })

    /// The field of a name in a query.
    public init(_ name: String) {
        let scalars = name.unicodeScalars
        let isPrefixed = scalars.starts(with: Self.prefix.unicodeScalars)
        self = Self.fixed[name] ?? .attribute(isPrefixed ? String(scalars.dropFirst(Self.prefix.count)) : name)
    }

    /// The shortest name of the field.
    public var canonicalName: String {
        guard case .attribute(let key) = self else { return Self.names[self] ?? "" }
        return Self.fixed[key] != nil || key.unicodeScalars.starts(with: Self.prefix.unicodeScalars) ? Self.prefix + key : key
    }
}
