/// <https://developer.apple.com/documentation/swiftui/view>
@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// A view without a body; tests read it as nodes.
@MainActor
public protocol StandInView: View where Body == StandInEnd {
    var standInNodes: [StandInNode] { get }
}

extension StandInView {
    public var body: StandInEnd { StandInEnd() }
}

/// The body of views without one.
public struct StandInEnd: View {
    public typealias Body = StandInEnd
    public var body: StandInEnd { self }
}

/// <https://developer.apple.com/documentation/swiftui/emptyview>
public struct EmptyView: StandInView {
    nonisolated public init() {}
    public var standInNodes: [StandInNode] { [] }
}

/// A rendered view.
@MainActor
public struct StandInNode {
    public enum Kind: Sendable { case text, image, toggle, button, section, form, label, labeledContent, dialog, task, change }

    public let kind: Kind
    /// A text's key or the text itself, or an image's name.
    public var text = ""
    public var children: [StandInNode] = []
    public var modifiers: [String: String] = [:]
    public var isOn: Binding<Bool>?
    public var action: (() -> Void)?
    public var task: (() async -> Void)?
    /// The action when a value changes, with the old and the new value.
    public var change: ((Any, Any) -> Void)?

    init(_ kind: Kind) { self.kind = kind }

    /// The node and all its descendants.
    public var all: [StandInNode] { [self] + children.flatMap(\.all) }
    /// The texts of the node and its descendants.
    public var texts: [String] { all.filter { $0.kind == .text }.map(\.text) }

    /// The view's current nodes.
    public static func nodes(of view: some View) -> [StandInNode] {
        if let view = view as? any StandInView { return view.standInNodes }
        return view is StandInEnd ? [] : nodes(of: view.body)
    }
}

/// <https://developer.apple.com/documentation/swiftui/viewbuilder>
@resultBuilder
@MainActor
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> StandInGroup {
        var nodes: [StandInNode] = []
        for view in repeat each content { nodes += StandInNode.nodes(of: view) }
        return StandInGroup(standInNodes: nodes)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

extension Optional: View where Wrapped: View {
    public var body: StandInEnd { StandInEnd() }
}

extension Optional: StandInView where Wrapped: View {
    public var standInNodes: [StandInNode] { map { StandInNode.nodes(of: $0) } ?? [] }
}

/// Several views as nodes.
public struct StandInGroup: StandInView {
    public let standInNodes: [StandInNode]
}
