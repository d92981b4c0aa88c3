/// The Unicode scalars that a class such as `[a-z_]`, an escape such as `\d`, or `.` matches in a regular expression.
struct QueryScalarSet {
    /// What `\w` matches.
    static let words = RangeSet<UInt32>([0x30..<0x3a, 0x41..<0x5b, 0x5f..<0x60, 0x61..<0x7b])

    /// A bit for each ASCII scalar that is in the set.
    private var ascii: UInt128 = 0
    /// The other scalars that are in the set or, if it is inverted, are not.
    private var ranges: RangeSet<UInt32>
    private let isInverted: Bool

    /// The union of ranges and of the sets of escapes, or its inverse. Escapes keep their ASCII meaning if case is ignored.
    init(_ ranges: RangeSet<UInt32>, escapes: [Self] = [], isInverted: Bool, ignoringCase: Bool = false) {
        (self.ranges, self.isInverted) = (ranges, isInverted)
        for byte in UInt8(0)..<0x80 {
            let scalar = CaseVariants(of: Unicode.Scalar(byte), ignoringCase: ignoringCase)
            let isMember = isInRanges(scalar) || escapes.contains { $0.contains(scalar) }
            if isMember != isInverted { ascii |= 1 << UInt128(byte) }
        }
        // If case is ignored, a scalar that is not ASCII may have an ASCII variant.
        if !ignoringCase { self.ranges.remove(contentsOf: 0..<0x80) }
        if escapes.contains(where: \.isInverted) { self.ranges.insert(contentsOf: 0x80..<0x11_0000) }
    }

    func contains(_ scalar: CaseVariants) -> Bool {
        scalar.own < 0x80 ? (ascii &>> UInt128(scalar.own)) & 1 == 1 : isInRanges(scalar) != isInverted
    }

    private func isInRanges(_ scalar: CaseVariants) -> Bool {
        ranges.contains(scalar.own) || scalar.others.contains(where: ranges.contains)
    }
}
