@_spi(Tooling) package import TelemetryModels
package import ViewerKit

/// What a client can call.
package struct MCPTool: Sendable {
    package let name: String
    let title: String
    let description: String
    let parameters: [MCPParameter]
    /// The members of a result.
    let result: [MCPSchema.Member]
    /// Whether it sends commands.
    package let controls: Bool
    /// Whether it may take something away.
    let isDestructive: Bool
    /// Whether it waits for what may never happen, so that the end of the input ends it.
    let waits: Bool
    package let call: @Sendable (MCPArguments, MCPProgress) async throws -> MCPResult

    package init(
        name: String, title: String, description: String, parameters: [MCPParameter], result: [MCPSchema.Member],
        controls: Bool = false, isDestructive: Bool = false, waits: Bool = false,
        call: @escaping @Sendable (MCPArguments, MCPProgress) async throws -> MCPResult
    ) {
        (self.name, self.title, self.description, self.parameters) = (name, title, description, parameters)
        (self.result, self.controls, self.isDestructive, self.waits) = (result, controls, isDestructive, waits)
        self.call = call
    }

    var json: JSONLine {
        var annotations = JSONLine()
        annotations.add("readOnlyHint", !controls)
        annotations.add("destructiveHint", isDestructive)
        annotations.add("idempotentHint", !controls)
        annotations.add("openWorldHint", true)
        var json = JSONLine()
        json.add("name", name)
        json.add("title", title)
        json.add("description", description)
        json.add(
            "inputSchema",
            json: MCPSchema.object(
                parameters.map { ($0.name, $0.schema) }, required: parameters.filter(\.isRequired).map(\.name)
            ).json)
        json.add("outputSchema", json: MCPSchema.object(result, required: ["summary"]).json)
        json.add("annotations", annotations)
        return json
    }
}

/// What a call returns.
package struct MCPResult: Sendable {
    /// An object as JSON.
    let json: String

    package init(_ object: JSONLine) { json = object.text }
}

/// A parameter of a tool, from which its schema and the check of its values come.
package struct MCPParameter: Sendable {
    package enum Kind: Sendable {
        case text
        case choice([String])
        case integer(ClosedRange<Int>)
        /// In seconds.
        case duration(ClosedRange<Double>)
        case strings
    }

    package let name: String
    let kind: Kind
    let description: String
    let isRequired: Bool

    package init(_ name: String, _ kind: Kind, _ description: String, isRequired: Bool = false) {
        (self.name, self.kind, self.description, self.isRequired) = (name, kind, description, isRequired)
    }

    var schema: MCPSchema {
        switch kind {
        case .text: .string(description)
        case .choice(let values): .string(description, among: values)
        case .integer(let range): .integer(description, in: range)
        case .duration: .duration(description + " In seconds, or with a unit: 90s, 5m, 2h.")
        case .strings: .array(of: .string(), description)
        }
    }

    /// Describes what is wrong with a value; nil if it is valid.
    fileprivate func fault(of value: JSONValue) -> String? {
        switch kind {
        case .text: value.text == nil ? "must be a string" : nil
        case .choice(let values):
            value.text.map(values.contains) == true ? nil : "must be one of: \(values.joined(separator: ", "))"
        case .integer(let range):
            value.integer.map(range.contains) == true ? nil : "must be an integer from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            value.seconds.map(range.contains) == true
                ? nil
                : "must be a duration of \(DurationText.compact(seconds: range.lowerBound)) to "
                    + "\(DurationText.compact(seconds: range.upperBound)), as a number of seconds or a string such as 5m"
        case .strings: value.strings == nil ? "must be an array of strings" : nil
        }
    }
}

/// The arguments of a call, which have been checked.
package struct MCPArguments: Sendable {
    private let values: [String: JSONValue]

    /// - Throws: ``ToolFailure`` for an argument that is missing, unknown or invalid.
    package init(_ values: [String: JSONValue], of tool: MCPTool) throws {
        let known = tool.parameters.map(\.name)
        if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) {
            let list = known.isEmpty ? "It has none." : "Its arguments: \(known.joined(separator: ", "))."
            throw ToolFailure(.data, "\(tool.name) has no argument \"\(unknown.visible.fitted(to: 80))\". \(list)")
        }
        for parameter in tool.parameters {
            switch values[parameter.name] {
            case nil, .null?:
                if parameter.isRequired { throw ToolFailure(.data, "The argument \(parameter.name) is missing.") }
            case let value?:
                if let fault = parameter.fault(of: value) { throw ToolFailure(.data, "The argument \(parameter.name) \(fault).") }
            }
        }
        self.values = values.filter { $0.value != .null }
    }

    package func text(_ name: String) -> String? { values[name]?.text }
    package func integer(_ name: String) -> Int? { values[name]?.integer }
    package func seconds(_ name: String) -> Double? { values[name]?.seconds }
    package func strings(_ name: String) -> [String] { values[name]?.strings ?? [] }
}

/// Reports the progress of a call to its client.
package struct MCPProgress: Sendable {
    package let report: @Sendable (_ done: Double, _ total: Double?, _ message: String) async -> Void
}

extension JSONValue {
    fileprivate var integer: Int? { if case .int(let number) = self { Int(exactly: number) } else { nil } }

    /// The strings of an array; nil for another type, or if it has other elements.
    fileprivate var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap(\.text)
        return strings.count == values.count ? strings : nil
    }

    fileprivate var seconds: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        case .string(let text): DurationText.seconds(text)
        default: nil
        }
    }
}
