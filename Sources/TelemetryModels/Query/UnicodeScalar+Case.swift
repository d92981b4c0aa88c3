extension Unicode.Scalar {
    /// The scalar's lowercase mapping if that is one scalar, otherwise the scalar itself; "i" for U+0130. It depends on no locale.
    var simpleLowercase: Unicode.Scalar {
        if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self }
        return value == 0x130 ? "i" : properties.lowercaseMapping.onlyScalar ?? self
    }

    /// Whether the scalar is of the general categories L or N of the Unicode Standard.
    var isLetterOrNumber: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber:
            true
        default: false
        }
    }
}

/// A scalar and, if case is ignored, all others that have the same simple lowercase mapping.
struct CaseVariants {
    let own, lowercase: UInt32
    private let ignoresCase: Bool

    init(of scalar: Unicode.Scalar, ignoringCase: Bool) {
        own = scalar.value
        lowercase = ignoringCase ? scalar.simpleLowercase.value : own
        ignoresCase = ignoringCase
    }

    /// Scalars whose lowercase mapping is the key, but which are not the uppercase or titlecase mapping of it.
    private static let further: [UInt32: UInt32] = [
        0x69: 0x130, 0x6b: 0x212a, 0xdf: 0x1e9e, 0xe5: 0x212b, 0x3b8: 0x3f4, 0x3c9: 0x2126,
    ]

    /// The other scalars; the scalar itself may be among them.
    var others: [UInt32] {
        guard ignoresCase, let lower = Unicode.Scalar(lowercase) else { return [] }
        let mappings = [lower, lower.properties.uppercaseMapping.onlyScalar, lower.properties.titlecaseMapping.onlyScalar]
        let same = mappings.compactMap(\.self).filter { $0.simpleLowercase == lower }.map(\.value)
        return same + [Self.further[lowercase]].compactMap(\.self)
    }
}

extension String {
    fileprivate var onlyScalar: Unicode.Scalar? {
        let first = unicodeScalars.first
        return unicodeScalars.dropFirst().isEmpty ? first : nil
    }
}
