// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors only where the project's checks run.
let areWarningsErrors = Context.environment["LIVE_TELEMETRY_WARNINGS_AS_ERRORS"] == "1"

let settings: [SwiftSetting] =
    (areWarningsErrors ? [.treatAllWarnings(as: .error)] : []) + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

func layer(_ name: String) -> Target.Dependency { .product(name: name, package: "LiveTelemetry") }

let package = Package(
    name: "LiveTelemetryTools",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "telemetry", targets: ["telemetry"])],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(name: "LiveTelemetryExamples", path: "../Examples"),
        .package(name: "LiveTelemetryIntegrations", path: "../Integrations", traits: []),
        .package(name: "LiveTelemetryPrograms", path: "Programs"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // The viewer without its command line.
        .target(
            name: "ViewerKit",
            dependencies: [
                layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"), layer("TelemetryHTTP"),
            ],
            swiftSettings: settings),
        // A server of the Model Context Protocol, without its tools.
        .target(
            name: "ModelContext",
            dependencies: ["ViewerKit", layer("TelemetryModels"), layer("TelemetryTooling")], swiftSettings: settings),
        .executableTarget(
            name: "telemetry",
            dependencies: [
                "ViewerKit", "ModelContext", layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"),
                layer("TelemetryPersistence"), layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryHTTP"),
                layer("TelemetryCloudKit"),
                .product(name: "TelemetryOTLP", package: "LiveTelemetryIntegrations"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
                // Started by the demo; this dependency builds it next to the tool.
                .product(name: "example-host", package: "LiveTelemetryExamples"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ViewerKitTests",
            dependencies: [
                "ViewerKit", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryTestSupport"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "telemetryTests",
            dependencies: [
                "telemetry", "ViewerKit", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLifecycle"), layer("TelemetryLogging"), layer("TelemetryTestSupport"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
            ],
            swiftSettings: settings),
    ]
)
