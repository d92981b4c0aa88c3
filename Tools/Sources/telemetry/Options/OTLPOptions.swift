import ArgumentParser
import TelemetryOTLP

/// The options for events as OpenTelemetry logs.
struct OTLPOptions: ParsableArguments {
    @Option(
        name: .customLong("service-name"),
        help: "The service.name of OpenTelemetry logs. Default: \(TelemetryOTLPEncoder.unknownService).")
    var serviceName: String?

    var encoder: TelemetryOTLPEncoder { serviceName.map(TelemetryOTLPEncoder.init(serviceName:)) ?? TelemetryOTLPEncoder() }
}
