public import Foundation

#if canImport(UIKit)
public import UIKit
#elseif canImport(AppKit)
public import AppKit
#endif

/// <https://developer.apple.com/documentation/swiftui/scene>
@MainActor
public protocol Scene {}

/// <https://developer.apple.com/documentation/swiftui/windowgroup>
public struct WindowGroup: Scene {
    public let standInNodes: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)>
    public init(@ViewBuilder content: () -> some View) { standInNodes = StandInNode.nodes(of: content()) }
}

/// <https://developer.apple.com/documentation/swiftui/app>
@MainActor
public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    /// <https://developer.apple.com/documentation/swiftui/app/main()>; renders the app once and returns.
    public static func main() { _ = Self().body }
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
public struct VStack: StandInView {
    public let standInNodes: [StandInNode]

    /// <https://developer.apple.com/documentation/swiftui/vstack/init(alignment:spacing:content:)>, without arguments.
    public init(@ViewBuilder content: () -> some View) { standInNodes = StandInNode.nodes(of: content()) }
}
