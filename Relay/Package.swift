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
    name: "Relay",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "telemetry-relay", targets: ["telemetry-relay"])],
    traits: [
        .trait(name: "PostgreSQL", description: "Stores telemetry in PostgreSQL. Needs libpq and its headers.")
    ],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(name: "LiveTelemetryPrograms", path: "../Tools/Programs"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // Without its default trait that reads configurations, and the packages for it.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
    ],
    targets: [
        // mallopt, which the Glibc module lacks.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "PostgreSQLClient",
            dependencies: [.target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))],
            swiftSettings: settings),
        .target(
            name: "TelemetryRelay",
            dependencies: [
                .target(name: "PostgreSQLClient", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
                .product(name: "TelemetryTooling", package: "LiveTelemetry"),
                .product(name: "TelemetryTransport", package: "LiveTelemetry"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Routes/openapi.yaml"), .embedInCode("Web")],
            swiftSettings: settings),
        .executableTarget(
            name: "telemetry-relay",
            dependencies: [
                "CMalloc",
                "TelemetryRelay",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryRelayTests",
            dependencies: [
                .target(name: "PostgreSQLClient", condition: .when(traits: ["PostgreSQL"])),
                "TelemetryRelay",
                "telemetry-relay",
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Programs", package: "LiveTelemetryPrograms"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "TelemetryDebugLogging", package: "LiveTelemetry"),
                .product(name: "TelemetryHTTP", package: "LiveTelemetry"),
                .product(name: "TelemetryLifecycle", package: "LiveTelemetry"),
                .product(name: "TelemetryLogging", package: "LiveTelemetry"),
                .product(name: "TelemetryModels", package: "LiveTelemetry"),
                .product(name: "TelemetryPersistence", package: "LiveTelemetry"),
                .product(name: "TelemetryTestSupport", package: "LiveTelemetry"),
                .product(name: "TelemetryTooling", package: "LiveTelemetry"),
                .product(name: "TelemetryTransport", package: "LiveTelemetry"),
            ],
            resources: [.embedInCode("Storage/Fixtures")],
            swiftSettings: settings),
    ]
)
