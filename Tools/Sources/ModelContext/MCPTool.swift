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
        case texts
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
        case .texts: .array(of: .string(), description)
        }
    }

    /// Describes what is wrong with a value; nil if it is valid.
    fileprivate func fault(of value: JSONValue) -> String? {
        switch (kind, value) {
        case (.text, .string): nil
        case (.choice(let values), .string(let text)):
            values.contains(text) ? nil : "must be one of: \(values.joined(separator: ", "))"
        case (.choice(let values), _): "must be one of: \(values.joined(separator: ", "))"
        case (.integer(let range), _):
            value.integer.map(range.contains) == true ? nil : "must be an integer from \(range.lowerBound) to \(range.upperBound)"
        case (.duration(let range), _):
            value.seconds.map(range.contains) == true
                ? nil
                : "must be a duration of \(DurationText.compact(seconds: range.lowerBound)) to "
                    + "\(DurationText.compact(seconds: range.upperBound)), as a number of seconds or a text such as 5m"
        case (.texts, .array(let values)): values.allSatisfy { $0.text != nil } ? nil : "must be an array of strings"
        case (.texts, _): "must be an array of strings"
        case (.text, _): "must be a string"
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
    package func texts(_ name: String) -> [String] {
        if case .array(let values)? = values[name] { values.compactMap(\.text) } else { [] }
    }
}

/// Reports the progress of a call to its client.
package struct MCPProgress: Sendable {
    package let report: @Sendable (_ done: Double, _ total: Double?, _ message: String) async -> Void
}

extension JSONValue {
    fileprivate var integer: Int? { if case .int(let number) = self { Int(exactly: number) } else { nil } }

    fileprivate var seconds: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        case .string(let text): DurationText.seconds(text)
        default: nil
        }
    }
}
