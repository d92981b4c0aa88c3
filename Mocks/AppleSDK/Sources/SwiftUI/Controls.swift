public import Foundation

/// <https://developer.apple.com/documentation/swiftui/localizedstringkey>
public struct LocalizedStringKey: ExpressibleByStringLiteral {
    let key: String
    public init(_ value: String) { key = value }
    public init(stringLiteral value: String) { key = value }
}

/// <https://developer.apple.com/documentation/swiftui/text>
public struct Text: StandInView {
    let text: String

    /// <https://developer.apple.com/documentation/swiftui/text/init(_:tablename:bundle:comment:)>
    ///
    /// Looks the key up as the SDK would, so that a key without a text is shown itself.
    public init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) {
        text = (bundle ?? .main).localizedString(forKey: key.key, value: nil, table: tableName)
    }

    /// <https://developer.apple.com/documentation/swiftui/text/init(verbatim:)>
    public init(verbatim content: String) { text = content }

    /// <https://developer.apple.com/documentation/swiftui/text/datestyle>
    public struct DateStyle: Sendable {
        let name: String

        /// <https://developer.apple.com/documentation/swiftui/text/datestyle/relative>
        public static let relative = DateStyle(name: "relative")
    }

    /// <https://developer.apple.com/documentation/swiftui/text/init(_:style:)>; shows the date, which the SDK would format.
    public init(_ date: Date, style: DateStyle) { text = "\(style.name) \(date.timeIntervalSince1970)" }

    /// <https://developer.apple.com/documentation/swiftui/text/speechspellsoutcharacters(_:)>
    public func speechSpellsOutCharacters(_ value: Bool = true) -> Text { self }

    public var standInNodes: [StandInNode] {
        var node = StandInNode(.text)
        node.text = text
        return [node]
    }
}

/// <https://developer.apple.com/documentation/swiftui/image>
public struct Image: StandInView {
    let name: String

    /// <https://developer.apple.com/documentation/swiftui/image/init(systemname:)>
    public init(systemName: String) { name = systemName }

    public var standInNodes: [StandInNode] {
        var node = StandInNode(.image)
        node.text = name
        return [node]
    }
}

/// <https://developer.apple.com/documentation/swiftui/label>
public struct Label: StandInView {
    private let parts: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/label/init(title:icon:)>
    public init(@ViewBuilder title: () -> some View, @ViewBuilder icon: () -> some View) {
        parts = StandInNode.nodes(of: title()) + StandInNode.nodes(of: icon())
    }

    public var standInNodes: [StandInNode] { [.init(.label, parts)] }
}

/// <https://developer.apple.com/documentation/swiftui/toggle>
public struct Toggle: StandInView {
    private let isOn: Binding<Bool>
    private let label: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/toggle/init(ison:label:)>
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> some View) {
        self.isOn = isOn
        self.label = StandInNode.nodes(of: label())
    }

    public var standInNodes: [StandInNode] {
        var node = StandInNode(.toggle, label)
        node.isOn = isOn
        return [node]
    }
}

/// <https://developer.apple.com/documentation/swiftui/buttonrole>
public struct ButtonRole: Equatable, Sendable {
    let name: String
    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}

/// <https://developer.apple.com/documentation/swiftui/button>
public struct Button: StandInView {
    private let role: ButtonRole?
    private let action: @MainActor () -> Void
    private let label: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/button/init(action:label:)>
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> some View) {
        self.init(role: nil, action: action, label: label)
    }

    /// <https://developer.apple.com/documentation/swiftui/button/init(role:action:label:)>
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> some View) {
        self.role = role
        self.action = action
        self.label = StandInNode.nodes(of: label())
    }

    public var standInNodes: [StandInNode] {
        var node = StandInNode(.button, label)
        node.action = action
        node.modifiers["role"] = role?.name
        return [node]
    }
}

extension StandInNode {
    init(_ kind: Kind, _ children: [StandInNode]) {
        self.init(kind)
        self.children = children
    }
}
