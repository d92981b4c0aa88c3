import ViewerKit

/// A JSON Schema (draft 2020-12).
package struct MCPSchema: Sendable {
    /// A member of an object.
    package typealias Member = (name: String, schema: MCPSchema)

    /// The schema as JSON.
    let json: [UInt8]

    private init(_ type: String..., description: String? = nil, _ add: (inout JSONLine) -> Void = { _ in }) {
        var json = JSONLine()
        if type.count == 1 { json.add("type", type[0]) } else { json.add("type", type) }
        json.add("description", description)
        add(&json)
        self.json = Array(json.text.utf8)
    }

    package static func string(_ description: String? = nil, among values: [String] = []) -> Self {
        Self("string", description: description) { if !values.isEmpty { $0.add("enum", values) } }
    }

    package static func integer(_ description: String? = nil, in range: ClosedRange<Int>? = nil) -> Self {
        Self("integer", description: description) { json in
            json.add("minimum", range?.lowerBound)
            json.add("maximum", range?.upperBound)
        }
    }

    package static func boolean(_ description: String? = nil) -> Self { Self("boolean", description: description) }

    /// A number of seconds, or a string such as `5m`.
    package static func duration(_ description: String) -> Self { Self("number", "string", description: description) }

    package static func array(of element: Self, _ description: String? = nil) -> Self {
        Self("array", description: description) { $0.add("items", json: element.json) }
    }

    /// - Parameter isOpen: Whether an object may have other members.
    package static func object(
        _ members: [Member], required: [String] = [], isOpen: Bool = false, _ description: String? = nil
    ) -> Self {
        Self("object", description: description) { json in
            var properties = JSONLine()
            for member in members { properties.add(member.name, json: member.schema.json) }
            json.add("properties", properties)
            if !required.isEmpty { json.add("required", required) }
            if !isOpen { json.add("additionalProperties", false) }
        }
    }
}
