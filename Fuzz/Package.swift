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

// Built by `.ci/fuzz`, which adds the fuzzer, the address sanitizer and testability.
let package = Package(
    name: "LiveTelemetryFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // Symbolic links to the viewer's sources, and to those of the relay that need no server and no database, which build faster.
        .target(
            name: "ViewerKit",
            dependencies: [
                layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"), layer("TelemetryHTTP"),
            ],
            swiftSettings: settings),
        .target(
            name: "RelayReaders",
            dependencies: [
                layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "ViewerKit", "RelayReaders", layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"),
                layer("TelemetryPersistence"), layer("TelemetryLogging"), layer("TelemetryHTTP"), layer("TelemetryCloudKit"),
            ],
            swiftSettings: settings),
    ]
)
