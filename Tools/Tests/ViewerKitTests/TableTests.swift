import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing
import ViewerKit

struct TableTests {
    private static let plain = Style(isOn: false)
    private static let samples = ["a", "FileRead", "k7wq9", "漢字表示", "🙂👩‍👩‍👧", "é", " ", "–", "\u{1B}[2J", "ü", "🇩🇪"]

    @Test("No line is wider than the terminal, and no number or date is truncated", arguments: 0..<20)
    func fits(round: Int) {
        let seed = randomSeed &+ UInt64(round)
        var random = SeededGenerator(seed: seed)
        for width in 40...200 {
            let count = Int.random(in: 1...9, using: &random)
            let kinds = (0..<count).map { _ in Int.random(in: 0..<3, using: &random) }
            var table = Table(
                kinds.enumerated().map { index, kind in
                    let priority = Int.random(in: 0...9, using: &random)
                    return kind == 0
                        ? .number("number \(index)", priority: priority)
                        : kind == 1 ? .whole("date", priority: priority) : .text("column \(index)", priority: priority)
                })
            var numbers: Set<String> = []
            let rowCount = Int.random(in: 0...5, using: &random)
            for _ in 0..<rowCount {
                table.add(
                    kinds.map { kind in
                        guard kind != 1 else { return "2026-11-21" }
                        guard kind == 0 else {
                            let length = Int.random(in: 0...30, using: &random)
                            return .init(
                                (0..<length).map { _ in Self.samples.randomElement(using: &random) ?? "" }.joined())
                        }
                        let number = Int.random(in: 0...Int.max, using: &random) >> Int.random(in: 0...62, using: &random)
                        numbers.insert(number.grouped)
                        return .init(number.grouped)
                    })
            }
            let lines = table.lines(style: Self.plain, width: width)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "seed \(seed), width \(width)")
            let rows = lines.dropFirst().prefix(rowCount)
            if kinds.allSatisfy({ $0 == 0 }) {
                let shown = rows.flatMap { $0.split(separator: " ").map(String.init) }
                #expect(numbers.isSuperset(of: shown), "seed \(seed), width \(width)")
            }
            if lines[0].contains("DATE") {
                #expect(rows.allSatisfy { $0.contains("2026-11-21") }, "seed \(seed), width \(width)")
            }
        }
    }

    private func listing() -> Table {
        var table = Table([
            .text("client", priority: 9), .text("scenario", priority: 8), .number("events", priority: 7),
            .whole("last", priority: 6), .text("device", priority: 1),
        ])
        table.add(["k7wq", "A name of more than fourteen characters", "1,234,567", "2026-11-21 14:03", "build-machine-17"])
        return table
    }

    @Test("A name of more than 14 characters does not break rows of 80 columns")
    func longNames() {
        #expect(
            listing().lines(style: Self.plain, width: 80) == [
                "CLIENT  SCENARIO                      EVENTS  LAST              DEVICE",
                "k7wq    A name of more than four…  1,234,567  2026-11-21 14:03  build-machine-17",
            ])
    }

    @Test("Columns that do not fit are left out as a whole, the lowest priority first, and a note names them")
    func droppedColumns() {
        #expect(
            listing().lines(style: Self.plain, width: 40) == [
                "CLIENT  SCENARIO                  EVENTS",
                "k7wq    A name of more than …  1,234,567",
                "Columns not shown: last, device. To see",
                "them: a wider terminal or --format json.",
            ])
    }

    @Test("Without a terminal all columns are printed, and nothing is truncated")
    func programs() {
        let lines = listing().lines(style: Self.plain)
        #expect(lines.count == 2)
        #expect(lines[1].contains("A name of more than fourteen characters  1,234,567  2026-11-21 14:03  build-machine-17"))
    }
}
