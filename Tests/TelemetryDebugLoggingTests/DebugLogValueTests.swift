#if DEBUG
import Foundation
import TelemetryDebugLogging
import Testing

struct DebugLogValueTests {
    private typealias Value = DebugLogEntry.Value

    private func roundTrip(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test(
        "Every value is decoded as it was encoded",
        arguments: [
            nil, true, false, 0, -1, .int(.max), .int(.min), .unsigned(.max), .unsigned(UInt64(Int64.max) + 1), 0.1, -0.0,
            .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(9_007_199_254_740_992), 1e18, 1e19,
            .double(0.1 + 0.2), "", "tab\t\"quote\" \u{1F600} \u{0}", [], [:], [nil, 1, ["a": [:]]],
        ] as [DebugLogEntry.Value])
    func exact(value: DebugLogEntry.Value) throws {
        #expect(try roundTrip(value) == value)
    }

    @Test("A zero keeps its sign, alone and in a payload")
    func zero() throws {
        for (value, sign) in [(-0.0, FloatingPointSign.minus), (0.0, .plus)] {
            guard case .object(let members) = try roundTrip(["n": .double(value)]), let number = members["n"] else {
                Issue.record("not an object")
                continue
            }
            let read: Double? =
                switch number {
                case .double(let value): value
                case .int(let value): Double(value)
                default: nil
                }
            #expect(read == 0 && read?.sign == sign)
        }
    }

    @Test("Random doubles and integers are read back exactly")
    func random() throws {
        let seed = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
        var values: [Value] = []
        for _ in 0..<2000 {
            let double = Double(bitPattern: next())
            if double.isFinite { values.append(.double(double)) }
            values.append(.int(Int64(bitPattern: next())))
            values.append(.unsigned(next()))
        }
        let read = try JSONDecoder().decode([Value].self, from: JSONEncoder().encode(values))
        let changed = zip(values, read).first { $0 != $1 }
        #expect(read.count == values.count && changed == nil, "\(String(describing: changed)) TEST_SEED=\(seed)")
    }

    @Test("A number has the same value in each case that can hold it, and equal values have equal hashes")
    func numbers() {
        let same: [(Value, Value)] = [
            (.int(1), .double(1)), (.int(1), .unsigned(1)), (.unsigned(1 << 63), .double(0x1p63)), (.int(0), .double(-0.0)),
            (.double(.nan), .double(-.nan)),
        ]
        for (left, right) in same {
            #expect(left == right)
            #expect(left.hashValue == right.hashValue)
        }
        #expect(Value.int(.max) != .double(0x1p63))
        #expect(Value.int(1) != .bool(true))
        #expect(Value.int(1) != "1")
    }

    @Test(
        "A number that is not finite is encoded as its name",
        arguments: [(Double.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity")])
    func notFinite(number: Double, text: String) throws {
        #expect(try roundTrip(.double(number)) == .string(text))
    }
}
#endif
