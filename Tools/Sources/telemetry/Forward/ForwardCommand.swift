import ArgumentParser
import Foundation
import TelemetryOTLP
import ViewerKit

struct ForwardCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Send stored and new events to an OpenTelemetry collector.",
        usage: "telemetry forward --otlp URL [options]",
        discussion: """
            Events are sent as logs of OTLP over HTTP with JSON, each of them at least once. With --cursor-file, the next run \
            continues after the last events that the collector confirmed, even if this one is killed. While the collector is \
            unavailable, requests are repeated until they succeed.

            Example: telemetry forward --otlp http://localhost:4318 --service-name shop --cursor-file position
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var output: OTLPOptions

    @Option(help: "The collector's URL, with or without /v1/logs.")
    var otlp: String

    @Option(
        name: .customLong("headers-file"),
        help: "A file with a header of every request per line, as Name: value. It must be readable only by its owner.",
        completion: .file())
    var headersFile: String?

    @Option(
        name: .customLong("cursor-file"),
        help: "Start after the cursor in this file, and save the cursor there after each confirmed batch.", completion: .file())
    var cursorFile: String?

    @Flag(help: "End when the stored events are sent, and do not wait for new ones.")
    var once = false

    func validate() throws {
        _ = try endpoint()
        if !once, try filter.selection.endsInThePast() { throw ValidationError("An --until date in the past requires --once.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let criteria = try await filter.resolved(over: transport, in: store, notingUnknownOn: console)
        try await filter.noteUnknownScenarios(over: transport, console)
        let position = cursorFile.map(CursorFile.init(path:))
        let lock = try position?.lock()
        defer { try? lock?.close() }
        let exporter = TelemetryOTLPExporter(
            endpoint: try endpoint(), headers: try headersFile.map { try RequestHeaders(file: $0).values } ?? [:],
            encoder: output.encoder)
        let forwarding = EventForwarding(
            transport: transport, criteria: criteria, position: position, follows: !once, exporter: exporter, console: console)
        defer { forwarding.report() }
        let number = try await SystemSignal.cancelling { try await forwarding.run() }
        if once, let number {
            forwarding.report()
            SystemSignal.end(by: number)
        }
    }

    private func endpoint() throws -> URL {
        guard let url = URL(string: otlp), ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
            url.user() == nil
        else {
            throw ValidationError("--otlp \"\(otlp)\" is not a collector's URL. Example: http://localhost:4318.")
        }
        return url
    }
}
