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

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let services = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

// Many packages come with these, which no other integration needs.
let asyncHTTPClient = [
    ("AsyncHTTPClient", "async-http-client"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"), ("NIOPosix", "swift-nio"),
].map { Target.Dependency.product(name: $0, package: $1, condition: .when(traits: ["AsyncHTTPClient"])) }

let package = Package(
    name: "LiveTelemetryIntegrations",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "TelemetryBootstrap", targets: ["TelemetryBootstrap"]),
        .library(name: "TelemetrySwiftLog", targets: ["TelemetrySwiftLog"]),
        .library(name: "TelemetryOTLP", targets: ["TelemetryOTLP"]),
        .library(name: "TelemetryServiceLifecycle", targets: ["TelemetryServiceLifecycle"]),
        .library(name: "TelemetryTracing", targets: ["TelemetryTracing"]),
        .library(name: "TelemetryAsyncHTTPClient", targets: ["TelemetryAsyncHTTPClient"]),
    ],
    traits: [
        .default(enabledTraits: ["AsyncHTTPClient"]),
        .trait(
            name: "AsyncHTTPClient",
            description: "The product TelemetryAsyncHTTPClient; fetches AsyncHTTPClient and the packages that it needs."),
    ],
    dependencies: [
        .package(name: "LiveTelemetry", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        .target(
            name: "TelemetryBootstrap",
            dependencies: [
                "TelemetrySwiftLog", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), logging,
            ],
            swiftSettings: settings),
        .target(
            name: "TelemetrySwiftLog", dependencies: [layer("TelemetryModels"), layer("TelemetryLogging"), logging],
            swiftSettings: settings),
        .target(
            name: "TelemetryOTLP",
            dependencies: [layer("TelemetryModels"), layer("TelemetryTooling"), layer("TelemetryHTTP")],
            swiftSettings: settings),
        .target(
            name: "TelemetryServiceLifecycle", dependencies: [layer("TelemetryLifecycle"), services], swiftSettings: settings),
        .target(
            name: "TelemetryTracing",
            dependencies: [layer("TelemetryModels"), layer("TelemetryLogging"), logging, tracing], swiftSettings: settings),
        .target(
            name: "TelemetryAsyncHTTPClient",
            dependencies: [layer("TelemetryModels"), layer("TelemetryLogging"), logging, tracing] + asyncHTTPClient,
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryBootstrapTests",
            dependencies: [
                "TelemetryBootstrap", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryTestSupport"), logging,
                .product(name: "InMemoryLogging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetrySwiftLogTests",
            dependencies: [
                "TelemetrySwiftLog", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryLogging"),
                layer("TelemetryTestSupport"), logging, .product(name: "InMemoryLogging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryOTLPTests",
            dependencies: ["TelemetryOTLP", layer("TelemetryModels"), layer("TelemetryTestSupport")], swiftSettings: settings),
        .testTarget(
            name: "TelemetryServiceLifecycleTests",
            dependencies: [
                "TelemetryServiceLifecycle", layer("TelemetryModels"), layer("TelemetryTransport"), layer("TelemetryPersistence"),
                layer("TelemetryLogging"), layer("TelemetryLifecycle"), layer("TelemetryTestSupport"), logging, services,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryTracingTests",
            dependencies: [
                "TelemetryTracing", "TelemetrySwiftLog", "TelemetryOTLP", layer("TelemetryModels"), layer("TelemetryTransport"),
                layer("TelemetryLogging"), logging, tracing,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryAsyncHTTPClientTests",
            dependencies: [
                "TelemetryAsyncHTTPClient", layer("TelemetryModels"), layer("TelemetryLogging"), layer("TelemetryTestSupport"),
                tracing, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ] + asyncHTTPClient,
            swiftSettings: settings),
    ]
)
