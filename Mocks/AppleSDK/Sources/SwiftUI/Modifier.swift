/// <https://developer.apple.com/documentation/swiftui/viewmodifier>
@MainActor
@preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    /// <https://developer.apple.com/documentation/swiftui/viewmodifier/content>
    typealias Content = StandInGroup
    /// <https://developer.apple.com/documentation/swiftui/viewmodifier/body(content:)>
    @ViewBuilder func body(content: Content) -> Body
}

extension View {
    /// <https://developer.apple.com/documentation/swiftui/view/modifier(_:)>
    nonisolated public func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
        ModifiedContent(content: self, modifier: modifier)
    }

    /// <https://developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)>
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some View {
        var node = StandInNode(.change)
        node.change = { old, new in
            if let old = old as? Value, let new = new as? Value { action(old, new) }
        }
        return StandInGroup(standInNodes: StandInNode.nodes(of: self) + [node])
    }
}

/// <https://developer.apple.com/documentation/swiftui/modifiedcontent>
public struct ModifiedContent<Content, Modifier> {
    let content: Content
    let modifier: Modifier
}

extension ModifiedContent: View, StandInView where Content: View, Modifier: ViewModifier {
    public var standInNodes: [StandInNode] {
        StandInNode.nodes(of: modifier.body(content: StandInGroup(standInNodes: StandInNode.nodes(of: content))))
    }
}

/// <https://developer.apple.com/documentation/swiftui/scenephase>
public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

/// <https://developer.apple.com/documentation/swiftui/environmentvalues>
public struct EnvironmentValues {
    /// <https://developer.apple.com/documentation/swiftui/environmentvalues/scenephase>
    public var scenePhase: ScenePhase { .active }
}

/// <https://developer.apple.com/documentation/swiftui/environment>
@propertyWrapper
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    /// <https://developer.apple.com/documentation/swiftui/environment/init(_:)>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}
