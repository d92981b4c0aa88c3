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

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "PostgreSQL", description: "The relays on PostgreSQL beside libpq; needs libpq and its headers.")],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(name: "LiveTelemetryIntegrations", path: "../Integrations", traits: []),
        .package(name: "LiveTelemetryPrograms", path: "../Tools/Programs"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "Measure", dependencies: [.product(name: "Histogram", package: "hdrhistogram-swift")],
            swiftSettings: settings),
        .target(
            name: "Peers",
            dependencies: [
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Measure", "Peers",
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
                .product(name: "TelemetryTransport", package: "LiveTelemetry"),
                .product(name: "TelemetryLogging", package: "LiveTelemetry"),
                .product(name: "TelemetryPersistence", package: "LiveTelemetry"),
                .product(name: "TelemetryLifecycle", package: "LiveTelemetry"),
                .product(name: "TelemetryHTTP", package: "LiveTelemetry"),
                .product(name: "TelemetryTestSupport", package: "LiveTelemetry"),
                .product(name: "TelemetrySwiftLog", package: "LiveTelemetryIntegrations"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
            ], swiftSettings: settings),
        .executableTarget(
            name: "counted-calls",
            dependencies: [
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
                .product(name: "TelemetryTransport", package: "LiveTelemetry"),
                .product(name: "TelemetryLogging", package: "LiveTelemetry"),
            ], swiftSettings: settings),
    ]
)
