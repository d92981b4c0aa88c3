// swift-tools-version: 6.2
import PackageDescription

#if !os(Linux)
#error("The stand-ins are only for Linux; use Apple's SDK on this system.")
#endif

// The library's sources for Apple's systems, compiled against stand-ins for the declarations of Apple's SDK.
// APPLE_PLATFORM is "ios" (with UIKit) or "macos" (with AppKit). `.ci/apple` builds both, one after the other, in one directory; without
// it, give each its own:
//   APPLE_PLATFORM=ios swift test --package-path Mocks/AppleSDK --scratch-path .build-apple-ios
let isMac = Context.environment["APPLE_PLATFORM"] == "macos"
let interface = isMac ? "AppKit" : "UIKit"

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A stand-in for a module of Apple's SDK, or a target that it uses.
func standIn(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A target of the library: a symbolic link to its sources.
func linked(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil, isMemoryChecked: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Linked/\(name)", resources: resources,
        swiftSettings: settings + (isMemoryChecked ? [.strictMemorySafety()] : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    // Testing has overlays for the real UIKit and AppKit, which do not compile against the stand-ins.
    .testTarget(
        name: name, dependencies: dependencies,
        swiftSettings: settings + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])])
}

let package = Package(
    name: "AppleSDK",
    defaultLocalization: "en",
    targets: [
        standIn("FakeCloudKitServer"),
        standIn("CloudKit", ["FakeCloudKitServer"]),
        standIn("SwiftUI", [.byName(name: interface)]),
        standIn(interface),
        standIn("MetricKit"),
        .target(
            name: "CloudKitWorld",
            dependencies: ["CloudKit", "FakeCloudKitServer", "TelemetryTransport", "TelemetryCloudKit"],
            swiftSettings: settings),
        linked("TelemetryModels", resources: [.process("Privacy")]),
        linked("TelemetrySystem", ["TelemetryModels"]),
        linked("TelemetryTransport", ["TelemetryModels", "TelemetrySystem"]),
        linked("TelemetryPersistence", ["TelemetryModels", "TelemetrySystem"]),
        linked(
            "TelemetryLogging", ["TelemetryModels", "TelemetrySystem", "TelemetryTransport", "MetricKit"], isMemoryChecked: true),
        linked(
            "TelemetryLifecycle",
            ["TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging"]),
        linked(
            "TelemetryCloudKit",
            ["TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryPersistence", "CloudKit"]),
        linked("TelemetryTestKit"),
        linked(
            "TelemetryTestSupport",
            ["TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle"]),
        linked("TelemetryDebugLogging", ["TelemetryModels", "SwiftUI", .byName(name: interface)]),
        // The service's simulation, which the root package runs with a store in memory.
        linked(
            "LifecycleSimulation",
            [
                "TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle",
                "TelemetryTestKit", "TelemetryTestSupport",
            ]),
        linked(
            "TelemetryUI",
            [
                "TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle",
                "TelemetryCloudKit", "CloudKit", "SwiftUI", .byName(name: interface),
            ],
            resources: [.process("Resources")]),
        .executableTarget(
            name: "SwiftUIHost",
            dependencies: [
                "TelemetryTransport", "TelemetryLogging", "TelemetryLifecycle", "TelemetryCloudKit", "TelemetryUI", "CloudKit",
                "SwiftUI", .byName(name: interface),
            ],
            path: "Linked/SwiftUIHost", swiftSettings: settings),
        tests(
            "InterfaceTests",
            [
                "CloudKit", "CloudKitWorld", "FakeCloudKitServer", "SwiftUI", .byName(name: interface), "MetricKit",
                "TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging",
                "TelemetryLifecycle", "TelemetryCloudKit", "TelemetryUI",
                "TelemetryTestKit", "TelemetryTestSupport", "TelemetryDebugLogging",
            ]),
        tests(
            "SimulationTests",
            [
                "CloudKit", "CloudKitWorld", "FakeCloudKitServer", "TelemetryModels", "TelemetryTransport",
                "TelemetryCloudKit", "LifecycleSimulation", "TelemetryTestKit",
            ]),
        tests(
            "CloudKitTests",
            [
                "CloudKit", "CloudKitWorld", "FakeCloudKitServer", "TelemetryModels", "TelemetryTransport",
                "TelemetryPersistence",
                "TelemetryCloudKit", "TelemetryTestSupport",
            ]),
    ]
)
