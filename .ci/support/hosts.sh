# Sourced after common.sh. Writes the hosts that the documents print, each as a package: those of README.md, of the article GettingStarted
# and of the article DebugLogging, which has no manifest. `Tested` has the manifest of the article TestingYourIntegration only.
hosts=.build-ci/hosts
# `.ci/run` writes them once, before steps that read them run beside each other.
[ -z "${CI_RUN:-}" ] || return 0
mkdir -p $hosts
ln -sfn "$root" $hosts/LiveTelemetry
blocks README.md 1 | put $hosts/QuickStart/Sources/Host/main.swift
blocks README.md 2 | put $hosts/QuickStart/Package.swift
blocks Docs/LiveTelemetry.docc/GettingStarted.md 1 | put $hosts/GettingStarted/Package.swift
blocks Docs/LiveTelemetry.docc/GettingStarted.md 2 | put $hosts/GettingStarted/Sources/Shop/main.swift
blocks Docs/LiveTelemetry.docc/TestingYourIntegration.md 1 | put $hosts/Tested/Package.swift
mkdir -p $hosts/Tested/{Sources/Host,Tests/HostTests}
put $hosts/DebugLogging/Package.swift <<'MANIFEST'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DebugLogging",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "LiveTelemetry", path: "../LiveTelemetry")],
    targets: [
        .executableTarget(
            name: "DebugLoggingHost",
            dependencies: ["TelemetryDebugLogging", "TelemetryTransport"].map { .product(name: $0, package: "LiveTelemetry") },
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
MANIFEST
blocks Docs/LiveTelemetry.docc/DebugLogging.md | put $hosts/DebugLogging/Sources/DebugLoggingHost/Host.swift

