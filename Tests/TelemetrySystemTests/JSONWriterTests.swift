import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import Testing

struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 0)
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Commas separate members and elements, at every depth")
    func commas() {
        let text = text { writer in
            writer.object { writer in
                writer.member("a", "x")
                writer.key("b")
                writer.array { array in
                    array.number(-1)
                    array.number(2.0)
                    array.object { _ in }
                    array.array(["y", "z"]) { element, array in array.string(element) }
                    array.raw("null".utf8)
                    array.raw([0x31])
                }
                writer.member("c", true)
                writer.key("d")
                writer.object { $0.member("e", UInt64.max) }
                writer.member("f", false)
            }
        }
        #expect(text == #"{"a":"x","b":[-1,2.0,{},["y","z"],null,1],"c":true,"d":{"e":18446744073709551615},"f":false}"#)
    }

    @Test("A copy of a writer and the writer do not change each other")
    func copies() {
        var first = JSONWriter()
        first.member("a", 1)
        var second = first
        second.member("b", 2)
        first.member("c", 3)
        #expect(String(decoding: first.bytes, as: UTF8.self) == #""a":1,"c":3"#)
        #expect(String(decoding: second.bytes, as: UTF8.self) == #""a":1,"b":2"#)
    }

    @Test("Dates are written in the stored form, and one without it as the nearest that has it")
    func dates() {
        let dates = [0, 0.5, -1e12, 1e12].map { Date(timeIntervalSince1970: $0) }
        let text = text { $0.array(dates) { date, writer in writer.timestamp(date) } }
        let expected = [
            "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.500Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
        ]
        #expect(text == "[\(expected.map { "\"\($0)\"" }.joined(separator: ","))]")
    }

    @Test("A writer that is emptied begins another text, and a copy keeps the first")
    func emptied() {
        var writer = JSONWriter()
        writer.number(1)
        let copy = writer
        writer.removeAll()
        writer.number(2)
        #expect(copy.bytes == [UInt8(ascii: "1")])
        #expect(writer.withBytes { $0.elementsEqual([UInt8(ascii: "2")]) })
    }

    @Test("An error of a body is passed on")
    func failure() {
        struct Failure: Error {}
        var writer = JSONWriter()
        #expect(throws: Failure.self) { try writer.object { _ throws(Failure) in throw Failure() } }
    }

    @Test("Whole doubles differ from integers in both forms of a value; infinite ones and dates are objects")
    func values() {
        func forms(_ value: TelemetryValue) -> [String] {
            [text { _ = $0.value(value) }, text { _ = $0.wireValue(value) }]
        }
        #expect(forms(.int(2)) == ["2", "2"])
        #expect(forms(.double(2)) == [#"{"double":2.0}"#, "2.0"])
        #expect(forms(.double(-0.0)) == [#"{"double":"-0.0"}"#, "-0.0"])
        #expect(forms(.double(2.5)) == ["2.5", "2.5"])
        #expect(forms(.double(.infinity)) == [#"{"double":"inf"}"#, #"{"double":"inf"}"#])
        let date = #"{"date":"1970-01-01T00:00:00.000Z"}"#
        #expect(forms(.date(Date(timeIntervalSince1970: 0))) == [date, date])
        var writer = JSONWriter()
        let unwritable = TelemetryValue.date(.distantPast.addingTimeInterval(-1e10))
        let isWritten = writer.value(unwritable)
        #expect(!isWritten)
        let field = writer.wireValues(["a": unwritable])
        #expect(field == "a")
    }
}
