/// The contents of a CloudKit schema file that the server enforces.
///
/// The grammar: <https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow>.
public struct ServerSchema: Sendable {
    public enum Permission: String, Sendable { case read = "READ", create = "CREATE", write = "WRITE" }

    public struct Field: Sendable {
        public let type: String
        public let isQueryable: Bool
        public let isSortable: Bool
    }

    public struct RecordType: Sendable {
        public var fields: [String: Field] = [:]
        /// The permissions of each role.
        public var grants: [String: Set<Permission>] = [:]
    }

    /// A line that cannot be read as part of a schema.
    public struct Fault: Error, Sendable { public let line: String }

    public private(set) var types: [String: RecordType] = [:]
    public private(set) var roles: Set<String> = []

    /// - Throws: ``Fault``.
    public init(_ text: String) throws {
        var current: String?
        for line in text.split(separator: "\n") {
            var words = line.split { " ,();".contains($0) }.map { $0.filter { $0 != "\"" } }
            switch words.first {
            case nil: if line.contains(")") { current = nil }
            case "DEFINE": continue
            case "CREATE" where words.count == 3 && words[1] == "ROLE": roles.insert(words[2])
            case "RECORD" where words.count == 3 && words[1] == "TYPE":
                current = words[2]
                types[words[2]] = RecordType()
            case "GRANT":
                guard let type = current, let to = words.firstIndex(of: "TO"), to + 1 < words.count else {
                    throw Fault(line: "\(line)")
                }
                let permissions = try words[1..<to].map { word in
                    guard let permission = Permission(rawValue: word) else { throw Fault(line: "\(line)") }
                    return permission
                }
                let role = words[to + 1]
                guard ["_world", "_icloud", "_creator"].contains(role) || roles.contains(role) else {
                    throw Fault(line: "\(line)")
                }
                types[type]?.grants[role, default: []].formUnion(permissions)
            default:
                guard let type = current, words.count >= 2 else { throw Fault(line: "\(line)") }
                let name = words.removeFirst()
                let options = words.dropFirst()
                guard ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE"].contains(words[0]),
                    options.allSatisfy(["QUERYABLE", "SORTABLE", "SEARCHABLE"].contains)
                else { throw Fault(line: "\(line)") }
                types[type]?.fields[name] = Field(
                    type: words[0], isQueryable: options.contains("QUERYABLE"), isSortable: options.contains("SORTABLE"))
            }
        }
    }

    /// The type, created on demand if the environment allows it, as in development: every field is indexed.
    mutating func useType(_ name: String) {
        guard types[name] == nil else { return }
        types[name] = RecordType(
            fields: [
                "___createTime": Field(type: "TIMESTAMP", isQueryable: true, isSortable: true),
                "___recordID": Field(type: "REFERENCE", isQueryable: true, isSortable: false),
            ],
            grants: ["_world": [.read], "_icloud": [.create], "_creator": [.write]])
    }

    mutating func useField(_ name: String, holding value: ServerValue, in type: String) {
        guard types[type]?.fields[name] == nil else { return }
        types[type]?.fields[name] = Field(type: value.schemaType, isQueryable: true, isSortable: true)
    }
}

extension ServerValue {
    var schemaType: String {
        switch self {
        case .string: "STRING"
        case .int: "INT64"
        case .double: "DOUBLE"
        case .date: "TIMESTAMP"
        }
    }
}
