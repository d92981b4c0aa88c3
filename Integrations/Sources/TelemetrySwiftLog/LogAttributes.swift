import Logging
@_spi(Tooling) import TelemetryLogging
import TelemetryModels

/// The attributes of a message's event.
enum LogAttributes {
    /// The names of the attributes that metadata cannot replace.
    private static let ownNames = ["source", "file", "line", "function", "level"]

    /// Calls the body with each of the attributes that metadata cannot replace.
    @inline(__always)
    private static func forEachOwn(of event: LogEvent, _ body: (_ name: String, _ value: TelemetryValue) -> Void) {
        body("source", .string(event.source))
        body("file", .string(event.file))
        body("line", .int(Int64(clamping: event.line)))
        body("function", .string(event.function))
        body("level", .string(event.level.rawValue))
    }

    private static func isOwn(_ name: String) -> Bool { name.utf8.count <= 8 && ownNames.contains(name) }

    /// The prefix of metadata with the name of an own attribute.
    private static let prefix = "metadata."

    /// The attributes of a message, with different names.
    /// - Parameters:
    ///   - event: The message; its metadata take precedence over the others.
    ///   - provided: The metadata of the provider, which take precedence over the handler's.
    ///   - handler: The metadata of the handler.
    static func attributes(
        of event: LogEvent, provided: Logger.Metadata?, handler: Logger.Metadata
    ) -> [(key: String, value: TelemetryValue)] {
        let (explicit, provided) = (event.metadata ?? [:], provided ?? [:])
        guard event.error == nil, isPlain(handler), isPlain(provided), isPlain(explicit) else {
            var attributes: [String: TelemetryValue] = [:]
            addOwn(of: event, to: &attributes)
            let provided = handler.merging(provided) { _, provided in provided }
            add(provided.merging(explicit) { _, explicit in explicit }, to: &attributes)
            return Array(attributes)
        }
        var attributes: [(key: String, value: TelemetryValue)] = []
        attributes.reserveCapacity(explicit.count + provided.count + handler.count + ownNames.count)
        for (key, value) in explicit { attributes.append((key, .string(recorded(value)))) }
        for (key, value) in provided where explicit[key] == nil { attributes.append((key, .string(recorded(value)))) }
        for (key, value) in handler where explicit[key] == nil && provided[key] == nil {
            attributes.append((key, .string(recorded(value))))
        }
        forEachOwn(of: event) { attributes.append(($0, $1)) }
        return attributes
    }

    /// Whether all names and values become attributes as they are.
    private static func isPlain(_ metadata: Logger.Metadata) -> Bool {
        metadata.allSatisfy { key, value in
            switch value {
            case .dictionary, .array: false
            case .string, .stringConvertible: !isOwn(key)
            }
        }
    }

    /// The text of a value, sensitive or not.
    static func text(of value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { text } else { value.description }
    }

    /// The text that is recorded of a value which is neither a dictionary nor an array.
    private static func recorded(_ value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { return text }
        return value.attributes[TelemetrySensitivity.self] == .sensitive ? TelemetryRedaction.placeholder : value.description
    }

    /// Sets the attributes that metadata cannot replace.
    private static func addOwn(of event: LogEvent, to attributes: inout [String: TelemetryValue]) {
        if let error = event.error {
            attributes["error.message"] = .string("\(error)")
            attributes["error.type"] = .string(String(reflecting: type(of: error)))
        }
        forEachOwn(of: event) { attributes[$0] = $1 }
    }

    private static func add(_ metadata: Logger.Metadata, to attributes: inout [String: TelemetryValue]) {
        // Where two names are the same once they are flattened, the one that was written as it is takes precedence.
        var later: [(name: String, value: Logger.MetadataValue)] = []
        for (key, value) in metadata {
            switch value {
            case .dictionary, .array: later.append((key, value))
            case .string, .stringConvertible:
                if !isOwn(key) { set(key, to: value, in: &attributes) } else { later.append((prefix + key, value)) }
            }
        }
        if later.count > 1 { later.sort { $0.name < $1.name } }
        for (name, value) in later { flatten(value, named: name, into: &attributes) }
    }

    private static func flatten(
        _ value: Logger.MetadataValue, named name: String, into attributes: inout [String: TelemetryValue]
    ) {
        switch value {
        case .string, .stringConvertible: set(name, to: value, in: &attributes)
        case .dictionary(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                flatten(member, named: "\(name).\(key)", into: &attributes)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { flatten(element, named: "\(name).\(index)", into: &attributes) }
        }
    }

    private static func set(_ name: String, to value: Logger.MetadataValue, in attributes: inout [String: TelemetryValue]) {
        guard attributes[name] == nil else { return }
        attributes[name] = .string(recorded(value))
    }
}
