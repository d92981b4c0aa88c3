import TelemetrySystem
import Testing

@testable import TelemetryTransport

struct SegmentFormTests {
    @Test("A form is read from the line that it is written as", arguments: SegmentForm.allCases)
    func written(form: SegmentForm) {
        #expect(SegmentForm(ofSegment: form.firstLine) == form)
        #expect(SegmentForm(ofSegment: form.firstLine + Array("{\"header\"".utf8)) == form)
        #expect(form.firstLine.count <= SegmentForm.maximumBytes)
    }

    @Test(
        "Up to two damaged bytes do not change the form",
        arguments: SegmentForm.allCases, [[0], [11], [11, 12], [29, 30], [28, 29], [30, 31], [0, 40]])
    func damaged(form: SegmentForm, places: [Int]) {
        var line = form.firstLine + Array("{\"header\":{\"session\"".utf8)
        for place in places { line[place] ^= 1 }
        #expect(SegmentForm(ofSegment: line) == form)
    }

    @Test(
        "A line that is neither form's is that of a segment in runs if it says so, otherwise that of an unchanged one",
        arguments: [
            ("", .asWritten), ("\0", .asWritten), (String(repeating: "\0", count: 31), .asWritten),
            (#"{"segment":3,"checksums":true}"#, .asWritten), (#"{"segment":5,"checksums":true,"runs":true}"#, .inRuns),
            (#"{"segment":1}"#, .asWritten), (#"{"segment":1,"rewritten":true}"#, .asWritten),
            (#"{"segment":2,"runs":true}"#, .inRuns), (#"{"segment":9,"by":"hand","checksums":true}"#, .asWritten),
            (#"{"segment":9,"by":"hand","runs":true}"#, .inRuns),
        ] as [(String, SegmentForm)])
    func other(line: String, form: SegmentForm) {
        #expect(SegmentForm(ofSegment: Array("\(line)\n{".utf8)) == form)
    }
}
