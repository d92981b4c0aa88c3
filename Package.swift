// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where the project's checks run, but not in a host's build: Xcode passes `-suppress-warnings` to packages that
// are added by URL, and the compiler refuses both at once.
let areWarningsErrors = Context.environment["LIVE_TELEMETRY_WARNINGS_AS_ERRORS"] == "1"

let settings: [SwiftSetting] =
    (areWarningsErrors ? [.treatAllWarnings(as: .error)] : []) + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// A library target; a host names the ones that it needs.
func library(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, excluding: [String] = [],
    resources: [Resource]? = nil, isMemoryChecked: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: excluding, resources: resources,
        swiftSettings: settings + (isMemoryChecked ? [.strictMemorySafety()] : []))
}

// What Apple's systems take out of a package beside code, and other systems have no use for.
#if os(Linux)
let (appleOnly, appleResources): ([String: [String]], [String: [Resource]]) = (
    ["TelemetryModels": ["Privacy"], "TelemetryUI": ["Resources"]], [:]
)
#else
let (appleOnly, appleResources): ([String: [String]], [String: [Resource]]) = (
    [:], ["TelemetryModels": [.process("Privacy")], "TelemetryUI": [.process("Resources")]]
)
#endif

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies + ["TelemetryTestKit"], swiftSettings: settings)
}

/// A program that tests start and kill, on systems where a process can start another.
func killed(_ program: String) -> Target.Dependency { .target(name: program, condition: .when(platforms: [.linux, .macOS])) }

let libraries = [
    library(
        "TelemetryModels", [], excluding: appleOnly["TelemetryModels"] ?? [], resources: appleResources["TelemetryModels"]),
    library("TelemetryTransport", ["TelemetryModels", "TelemetrySystem"]),
    library("TelemetryPersistence", ["TelemetryModels", "TelemetrySystem"]),
    library("TelemetryLogging", ["TelemetryModels", "TelemetrySystem", "TelemetryTransport"], isMemoryChecked: true),
    library("TelemetryHTTP", ["TelemetryModels", "TelemetrySystem", "TelemetryTransport"]),
    library("TelemetryNetwork", ["TelemetryModels", "TelemetryLogging"]),
    library("TelemetryDebugLogging", ["TelemetryModels"]),
    library(
        "TelemetryLifecycle",
        ["TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging"]),
    library("TelemetryCloudKit", ["TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryPersistence"]),
    library(
        "TelemetryUI",
        [
            "TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle",
            "TelemetryCloudKit",
        ],
        excluding: appleOnly["TelemetryUI"] ?? [], resources: appleResources["TelemetryUI"]),
]

// What tests share: for hosts, and, by `@_spi(Tooling)`, for the project's packages.
let testSupport = [
    library(
        "TelemetryTestSupport",
        ["TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle"],
        path: "Mocks/TelemetryTestSupport"),
    library("TelemetryTestKit", [], path: "Mocks/TelemetryTestKit"),
]

// What the other layers need of a system and of text, and the articles that programs show. No host has a use for them: the product
// shows the project's other packages what is marked `@_spi(Tooling)`, and nothing else.
let tooling = [
    library("TelemetrySystem", ["TelemetryModels"]),
    library("TelemetryArticles", [], path: "Docs/Articles", resources: [.embedInCode("AskingQuestions.md")]),
]

let package = Package(
    name: "LiveTelemetry",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: libraries.map { .library(name: $0.name, targets: [$0.name]) } + [
        .library(name: "TelemetryTestSupport", targets: testSupport.map(\.name)),
        .library(name: "TelemetryTooling", targets: tooling.map(\.name)),
    ],
    targets: tooling + libraries + testSupport + [
        tests(of: "TelemetryModels", ["TelemetryModels"]),
        tests(of: "TelemetrySystem", ["TelemetryModels", "TelemetrySystem", "TelemetryTestSupport"]),
        .executableTarget(
            name: "TelemetryCrashWriter", dependencies: ["TelemetryModels", "TelemetryTransport"],
            path: "Mocks/TelemetryCrashWriter", swiftSettings: settings),
        tests(
            of: "TelemetryTransport",
            ["TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryTestSupport", killed("TelemetryCrashWriter")]),
        tests(of: "TelemetryPersistence", ["TelemetryModels", "TelemetryPersistence"]),
        .executableTarget(
            name: "TelemetryCrashLogger", dependencies: ["TelemetryModels", "TelemetryTransport", "TelemetryLogging"],
            path: "Mocks/TelemetryCrashLogger", swiftSettings: settings),
        tests(
            of: "TelemetryLogging",
            [
                "TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryLogging", "TelemetryTestSupport",
                killed("TelemetryCrashLogger"),
            ]),
        tests(
            of: "TelemetryHTTP",
            ["TelemetryModels", "TelemetrySystem", "TelemetryTransport", "TelemetryHTTP", "TelemetryTestSupport"]),
        tests(
            of: "TelemetryNetwork",
            ["TelemetryModels", "TelemetryTransport", "TelemetryLogging", "TelemetryNetwork", "TelemetryTestSupport"]),
        tests(
            of: "TelemetryDebugLogging",
            ["TelemetryModels", "TelemetryTransport", "TelemetryDebugLogging", "TelemetryTestSupport"]),
        tests(
            of: "TelemetryLifecycle",
            [
                "TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging",
                "TelemetryLifecycle", "TelemetryTestSupport",
            ]),
        tests(of: "TelemetryCloudKit", ["TelemetryModels", "TelemetryTransport", "TelemetryCloudKit"]),
        tests(
            of: "TelemetryUI",
            [
                "TelemetryModels", "TelemetryTransport", "TelemetryPersistence", "TelemetryLogging", "TelemetryLifecycle",
                "TelemetryUI", "TelemetryTestSupport",
            ]),
        tests(
            of: "TelemetryTestSupport",
            ["TelemetryModels", "TelemetryTransport", "TelemetryLogging", "TelemetryTestSupport"]),
    ]
)
