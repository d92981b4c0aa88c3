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
    dependencies: [.package(name: "LiveTelemetry", path: "..")],
    targets: [
        // Symbolic links to the viewer's sources and to the relay's sources without dependencies, which build faster.
        .target(
            name: "ViewerKit",
            dependencies: [
                layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"), layer("TelemetryHTTP"),
            ],
            swiftSettings: settings),
        .target(name: "RelayReaders", dependencies: [layer("TelemetryModels")], swiftSettings: settings),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "ViewerKit", "RelayReaders", layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryTransport"),
                layer("TelemetryPersistence"), layer("TelemetryLogging"), layer("TelemetryCloudKit"),
            ],
            swiftSettings: settings),
    ]
)
