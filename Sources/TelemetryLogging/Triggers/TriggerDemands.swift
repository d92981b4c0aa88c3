import Foundation
@_spi(Tooling) import TelemetryModels

/// What has to be found in an event before queries are evaluated: a number in an attribute, or letters in a text.
struct TriggerDemands {
    /// What a query demands.
    enum Demand {
        case nothing, number, letters
    }

    /// By query.
    let demands: [Demand]
    private let numbers: NumberIndex
    private let letters: LetterIndex

    init(_ queries: [TelemetryQuery]) {
        var conditions: [(key: String, condition: NumberIndex.Condition)] = []
        var literals: [(query: Int, literals: [[UInt8]])] = []
        demands = queries.enumerated().map { index, query in
            if let number = query.bounds(now: .distantPast).numbers.first {
                conditions.append((number.key, .init(query: index, range: number.range)))
                return .number
            }
            guard let found = LetterIndex.literals(of: query) else { return .nothing }
            literals.append((index, found))
            return .letters
        }
        numbers = NumberIndex(conditions)
        letters = LetterIndex(literals)
    }

    /// The queries whose demands an event of the kind meets.
    func found(_ kind: TriggerKinds.Kind, _ fields: FrameFields, in frame: ByteView) -> [Int] {
        var found: [Int] = []
        if kind.demandsNumbers {
            numbers.forEach(in: fields, of: frame) { if kind.isDemanding[$0] { found.append($0) } }
        }
        if kind.demandsLetters {
            letters.forEach(in: frame, from: fields.name.lowerBound) { if kind.isDemanding[$0] { found.append($0) } }
        }
        return found.count > 1 ? Set(found).sorted() : found
    }
}
