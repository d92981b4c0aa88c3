/// <https://developer.apple.com/documentation/swiftui/form>
public struct Form: StandInView {
    private let content: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/form/init(content:)>
    public init(@ViewBuilder content: () -> some View) { self.content = StandInNode.nodes(of: content()) }

    public var standInNodes: [StandInNode] { [.init(.form, content)] }
}

/// <https://developer.apple.com/documentation/swiftui/section>
public struct Section: StandInView {
    private let content: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/section/init(content:header:footer:)>
    public init(
        @ViewBuilder content: () -> some View, @ViewBuilder header: () -> some View, @ViewBuilder footer: () -> some View
    ) {
        self.content = StandInNode.nodes(of: header()) + StandInNode.nodes(of: content()) + StandInNode.nodes(of: footer())
    }

    /// <https://developer.apple.com/documentation/swiftui/section/init(content:footer:)>
    public init(@ViewBuilder content: () -> some View, @ViewBuilder footer: () -> some View) {
        self.init(content: content, header: { EmptyView() }, footer: footer)
    }

    /// <https://developer.apple.com/documentation/swiftui/section/init(content:)>
    public init(@ViewBuilder content: () -> some View) {
        self.init(content: content, header: { EmptyView() }, footer: { EmptyView() })
    }

    public var standInNodes: [StandInNode] { [.init(.section, content)] }
}

/// <https://developer.apple.com/documentation/swiftui/foreach>
public struct ForEach: StandInView {
    public let standInNodes: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/foreach/init(_:id:content:)>
    public init<Data: RandomAccessCollection>(
        _ data: Data, id: KeyPath<Data.Element, some Hashable>, @ViewBuilder content: (Data.Element) -> some View
    ) {
        standInNodes = data.flatMap { StandInNode.nodes(of: content($0)) }
    }
}

/// <https://developer.apple.com/documentation/swiftui/visibility>
public enum Visibility: Sendable { case automatic, visible, hidden }

extension View {
    /// <https://developer.apple.com/documentation/swiftui/view/accessibilitylabel(_:)>
    public func accessibilityLabel(_ label: Text) -> some View { modified { $0.modifiers["accessibilityLabel"] = label.text } }

    /// <https://developer.apple.com/documentation/swiftui/view/accessibilityvalue(_:)>
    public func accessibilityValue(_ value: Text) -> some View { modified { $0.modifiers["accessibilityValue"] = value.text } }

    /// <https://developer.apple.com/documentation/swiftui/view/accessibilityhint(_:)>
    public func accessibilityHint(_ hint: Text) -> some View { modified { $0.modifiers["accessibilityHint"] = hint.text } }

    /// <https://developer.apple.com/documentation/swiftui/view/disabled(_:)>
    nonisolated public func disabled(_ disabled: Bool) -> some View { modifier(StandInDisabling(isDisabled: disabled)) }

    /// <https://developer.apple.com/documentation/swiftui/view/task(priority:_:)>
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        var node = StandInNode(.task)
        node.task = action
        return StandInGroup(standInNodes: StandInNode.nodes(of: self) + [node])
    }

    /// <https://developer.apple.com/documentation/swiftui/view/confirmationdialog(_:ispresented:titlevisibility:actions:message:)>
    public func confirmationDialog(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> some View, @ViewBuilder message: () -> some View
    ) -> some View {
        let dialog = StandInNode(
            .dialog, StandInNode.nodes(of: title) + StandInNode.nodes(of: message()) + StandInNode.nodes(of: actions()))
        return StandInGroup(standInNodes: StandInNode.nodes(of: self) + (isPresented.wrappedValue ? [dialog] : []))
    }

    fileprivate func modified(_ change: (inout StandInNode) -> Void) -> StandInGroup {
        StandInGroup(
            standInNodes: StandInNode.nodes(of: self).map { node in
                var node = node
                change(&node)
                return node
            })
    }
}

private struct StandInDisabling: ViewModifier {
    let isDisabled: Bool

    nonisolated init(isDisabled: Bool) { self.isDisabled = isDisabled }

    func body(content: Content) -> some View { content.modified { $0.modifiers["disabled"] = isDisabled ? "yes" : nil } }
}

/// <https://developer.apple.com/documentation/swiftui/previewprovider>
@MainActor
@preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
