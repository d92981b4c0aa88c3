/// A version such as "2.10.1" that can be compared.
///
/// The dot-separated parts are compared in order: numbers of any length numerically, a missing or empty part as 0, a number
/// before text, text by its UTF-8.
struct VersionText: Comparable {
    private let parts: [Part]

    private enum Part {
        /// The digits without leading zeros; empty for 0.
        case number(Substring.UTF8View)
        case text(Substring)

        static let zero = Part.number(Substring().utf8)
    }

    init(_ text: String) {
        parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            let isNumber = part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isNumber ? .number(part.utf8.drop { $0 == UInt8(ascii: "0") }) : .text(part)
        }
    }

    static func == (lhs: Self, rhs: Self) -> Bool { order(of: lhs, rhs) == 0 }

    static func < (lhs: Self, rhs: Self) -> Bool { order(of: lhs, rhs) < 0 }

    private static func order(of lhs: Self, _ rhs: Self) -> Int {
        for index in 0..<max(lhs.parts.count, rhs.parts.count) {
            let left = index < lhs.parts.count ? lhs.parts[index] : .zero
            let right = index < rhs.parts.count ? rhs.parts[index] : .zero
            let order = order(of: left, right)
            if order != 0 { return order }
        }
        return 0
    }

    private static func order(of lhs: Part, _ rhs: Part) -> Int {
        switch (lhs, rhs) {
        case (.number(let left), .number(let right)):
            let (leftCount, rightCount) = (left.count, right.count)
            return leftCount == rightCount ? order(of: left, right) : leftCount - rightCount
        case (.number, .text): return -1
        case (.text, .number): return 1
        // Strings that are equal by `==` may differ in their UTF-8.
        case (.text(let left), .text(let right)): return left == right ? 0 : order(of: left.utf8, right.utf8)
        }
    }

    private static func order(of lhs: Substring.UTF8View, _ rhs: Substring.UTF8View) -> Int {
        if lhs.lexicographicallyPrecedes(rhs) { return -1 }
        return rhs.lexicographicallyPrecedes(lhs) ? 1 : 0
    }
}
