/// <https://developer.apple.com/documentation/swiftui/labeledcontent>
public struct LabeledContent: StandInView {
    private let parts: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/labeledcontent/init(content:label:)>
    public init(@ViewBuilder content: () -> some View, @ViewBuilder label: () -> some View) {
        parts = StandInNode.nodes(of: label()) + StandInNode.nodes(of: content())
    }

    public var standInNodes: [StandInNode] { [.init(.labeledContent, parts)] }
}
