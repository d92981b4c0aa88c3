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
    name: "LiveTelemetryExamples",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "example-host", targets: ["example-host"])],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(name: "LiveTelemetryIntegrations", path: "../Integrations", traits: []),
        .package(name: "LiveTelemetryPrograms", path: "../Tools/Programs"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "FileWork", dependencies: [layer("TelemetryModels"), layer("TelemetryLogging")], swiftSettings: settings),
        .executableTarget(
            name: "example-host",
            dependencies: [
                "FileWork", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryHTTP"), layer("TelemetryDebugLogging"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The template for a host.
        .executableTarget(
            name: "notes-host",
            dependencies: [
                layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryLogging"), layer("TelemetryLifecycle"),
                layer("TelemetryHTTP"), .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // A program with swift-log that LiveTelemetry was added to.
        .executableTarget(
            name: "job-queue",
            dependencies: [
                .product(name: "TelemetryBootstrap", package: "LiveTelemetryIntegrations"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        // For Apple platforms; elsewhere it only prints a message. .ci/apple compiles it against mocks.
        .executableTarget(
            name: "swiftui-host",
            dependencies: [
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryCloudKit"), layer("TelemetryUI"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FileWorkTests",
            dependencies: ["FileWork", layer("TelemetryModels"), layer("TelemetryLogging")], swiftSettings: settings),
        .testTarget(
            name: "NotesHostTests",
            dependencies: [
                "notes-host", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryTestSupport"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
            ],
            swiftSettings: settings),
    ]
)
