import ViewerKit

/// A document that a client can read.
package struct MCPResource: Sendable {
    package let uri: String
    let name: String
    let title: String
    let description: String
    let text: String

    private static let mediaType = "text/markdown"

    /// - Parameter text: Markdown.
    package init(uri: String, name: String, title: String, description: String, text: String) {
        (self.uri, self.name, self.title, self.description, self.text) = (uri, name, title, description, text)
    }

    var json: JSONLine {
        var json = JSONLine()
        json.add("uri", uri)
        json.add("name", name)
        json.add("title", title)
        json.add("description", description)
        json.add("mimeType", Self.mediaType)
        return json
    }

    var contents: JSONLine {
        var contents = JSONLine()
        contents.add("uri", uri)
        contents.add("mimeType", Self.mediaType)
        contents.add("text", text)
        return contents
    }
}
