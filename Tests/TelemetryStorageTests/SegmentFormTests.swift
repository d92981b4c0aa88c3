import TelemetryStorage
import Testing

struct SegmentFormTests {
    @Test(
        "Whatever a first line is read as, that form is written as a line which is read as the same",
        arguments: [
            "", "\0", String(repeating: "\0", count: 31), #"{"segment":4,"checksums":true}"#, #"{"segment":2,"checksums":true}"#,
            #"{"segment":1}"#, #"{"segment":1,"rewritten":true}"#, #"{"segment":2,"runs":true}"#,
            #"{"segment":9,"by":"hand","checksums":true}"#, #"{"segment":9,"by":"hand","runs":true}"#,
            #"{"segment":9,"by":"hand","rewritten":true,"checksums":true}"#,
            #"{"segment":9,"by":"hand","rewritten":true,"runs":true,"checksums":true}"#,
        ])
    func forms(line: String) {
        let form = SegmentForm(ofSegment: Array("\(line)\n{".utf8))
        #expect(SegmentForm(ofSegment: form.firstLine) == form)
        #expect(SegmentForm(ofSegment: form.rewritten.firstLine) == form.rewritten)
        #expect(form.rewritten.layout == .inRuns)
        #expect(form.rewritten.hasChecksums == form.hasChecksums)
    }
}
