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
func integration(_ name: String) -> Target.Dependency { .product(name: name, package: "LiveTelemetryIntegrations") }

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let services = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

// A package of its own, so that the other examples do not fetch and build a web server.
let package = Package(
    name: "ShopServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "LiveTelemetry", path: "../.."),
        .package(name: "LiveTelemetryIntegrations", path: "../../Integrations", traits: []),
        .package(name: "LiveTelemetryPrograms", path: "../../Tools/Programs"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        // Without its default trait that reads configurations, and the packages for it.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
    ],
    targets: [
        // The shop, which does not import LiveTelemetry.
        .target(name: "Shop", dependencies: [hummingbird, logging, metrics, services, tracing], swiftSettings: settings),
        .executableTarget(
            name: "shop-server",
            dependencies: [
                "Shop", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryHTTP"), integration("TelemetrySwiftLog"),
                integration("TelemetryServiceLifecycle"), integration("TelemetryTracing"), argumentParser, hummingbird, logging,
                services, signals,
            ],
            swiftSettings: settings),
        // The same server without LiveTelemetry, for comparison.
        .executableTarget(
            name: "shop-server-plain", dependencies: ["Shop", argumentParser, logging, services, signals],
            swiftSettings: settings),
        .testTarget(
            name: "ShopServerTests",
            dependencies: [
                "shop-server", "shop-server-plain", layer("TelemetryModels"), layer("TelemetryTransport"),
                layer("TelemetryTestSupport"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
            ],
            swiftSettings: settings),
    ]
)
