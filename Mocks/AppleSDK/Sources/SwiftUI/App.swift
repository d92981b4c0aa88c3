public import Foundation

#if canImport(UIKit)
public import UIKit
#elseif canImport(AppKit)
public import AppKit
#endif

/// <https://developer.apple.com/documentation/swiftui/scene>
@MainActor
@preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    /// <https://developer.apple.com/documentation/swiftui/scene/body-swift.property>
    var body: Body { get }
}

/// A scene without a body; an app renders it as nodes.
@MainActor
protocol StandInScene: Scene where Body == StandInSceneEnd {
    var standInNodes: [StandInNode] { get }
}

/// The body of scenes without one.
public struct StandInSceneEnd: Scene {
    public var body: StandInSceneEnd { self }
}

/// <https://developer.apple.com/documentation/swiftui/windowgroup>
///
/// One of its initializers with each interface, so that a host is compiled with both.
public struct WindowGroup<Content: View> {
    private let content: Content

    #if canImport(UIKit)
    /// <https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)>
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    #else
    /// <https://developer.apple.com/documentation/swiftui/windowgroup/init(makecontent:)>
    public init(@ViewBuilder makeContent: @escaping () -> Content) { content = makeContent() }
    #endif
}

// Conforms in an extension, so that the initializers are not isolated.
extension WindowGroup: StandInScene {
    public var body: StandInSceneEnd { StandInSceneEnd() }
    var standInNodes: [StandInNode] { StandInNode.nodes(of: content) }
}

/// <https://developer.apple.com/documentation/swiftui/app>
@MainActor
@preconcurrency
public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    /// <https://developer.apple.com/documentation/swiftui/app/main()>; renders the app once and returns.
    public static func main() {
        if let scene = Self().body as? any StandInScene { _ = scene.standInNodes }
    }
}

/// The apps' delegates. On Linux a class that is known only by a parameter cannot be instantiated, so the test creates the
/// delegate.
@MainActor
public enum StandInDelegates {
    private static var instances: [ObjectIdentifier: NSObject] = [:]

    /// Makes it the delegate of apps that adapt its class.
    public static func use(_ delegate: NSObject) { instances[ObjectIdentifier(type(of: delegate))] = delegate }

    static func instance<Delegate: NSObject>() -> Delegate {
        guard let instance = instances[ObjectIdentifier(Delegate.self)] as? Delegate else {
            preconditionFailure("No test made a \(Delegate.self).")
        }
        return instance
    }
}

#if canImport(UIKit)
/// <https://developer.apple.com/documentation/swiftui/uiapplicationdelegateadaptor>
@MainActor
@propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public var wrappedValue: DelegateType { StandInDelegates.instance() }

    /// <https://developer.apple.com/documentation/swiftui/uiapplicationdelegateadaptor>
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
}
#elseif canImport(AppKit)
/// <https://developer.apple.com/documentation/swiftui/nsapplicationdelegateadaptor>
@MainActor
@propertyWrapper
public struct NSApplicationDelegateAdaptor<DelegateType: NSObject & NSApplicationDelegate> {
    public var wrappedValue: DelegateType { StandInDelegates.instance() }

    /// <https://developer.apple.com/documentation/swiftui/nsapplicationdelegateadaptor>
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
}
#endif

/// <https://developer.apple.com/documentation/swiftui/vstack>
public struct VStack<Content: View> {
    private let content: Content

    /// <https://developer.apple.com/documentation/swiftui/vstack/init(alignment:spacing:content:)>, without arguments.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

extension VStack: StandInView {
    public var standInNodes: [StandInNode] { StandInNode.nodes(of: content) }
}
