import Foundation
import TelemetryTestSupport
import Testing

struct NotebookTransportTests {
    @Test("The documentation's transport passes every check", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        try await TelemetryTransportConformance { .init(transport: NotebookTransport()) }.run(check)
    }

    @Test("The article shows all of the code that is compiled and tested here")
    func articleShowsThisCode() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let code = try String(contentsOf: here.appending(path: "NotebookTransport.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: here.appending(path: "../../Docs/LiveTelemetry.docc/WritingATransport.md"), encoding: .utf8)
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        // The last block runs the suite, as the test above does.
        #expect(blocks.count > 1)
        for block in blocks.dropLast() { #expect(code.contains(block), "not in NotebookTransport.swift:\n\(block)") }
        let shown = blocks.dropLast().joined()
        for line in code.split(separator: "\n").drop(while: { !$0.hasPrefix("///") }) {
            #expect(shown.contains(line), "not in the article: \(line)")
        }
    }
}
