import Foundation

/// Unicode's normalization form C, made of ``CanonicalForm`` by the standard's own algorithm.
///
/// Foundation's composition is asked for single pairs alone, and believed only where its answer decomposes to the same pair: on
/// Linux it composes letters of other planes as though they were Latin ones.
enum ComposedForm {
    static func utf8(of text: String) -> [UInt8] {
        let decomposed = CanonicalForm.utf8(of: text)
        if decomposed.allSatisfy({ $0 < 0x80 }) { return decomposed }
        var result: [Unicode.Scalar] = []
        var starter: Int?
        var lastClass: UInt8 = 0
        for scalar in String(decoding: decomposed, as: UTF8.self).unicodeScalars {
            let ownClass = scalar.properties.canonicalCombiningClass.rawValue
            // A mark is blocked from the starter by one of its own class or a higher one in between.
            let isAdjacent = starter == result.count - 1
            if let index = starter, isAdjacent || lastClass < ownClass, let composed = compose(result[index], scalar) {
                result[index] = composed
                continue
            }
            result.append(scalar)
            lastClass = ownClass
            if ownClass == 0 { starter = result.count - 1 }
        }
        var form = String.UnicodeScalarView()
        form.append(contentsOf: result)
        return Array(String(form).utf8)
    }

    private static func compose(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        if second.isASCII { return nil }
        if let syllable = composeHangul(first.value, second.value) { return syllable }
        let parts = CanonicalForm.decomposition(of: first) + CanonicalForm.decomposition(of: second)
        if let known = CanonicalForm.composition(of: parts) { return known }
        var pair = String.UnicodeScalarView()
        pair.append(contentsOf: [first, second])
        let composed = String(pair).precomposedStringWithCanonicalMapping.unicodeScalars
        guard let scalar = composed.first, composed.count == 1, CanonicalForm.decomposition(of: scalar) == parts else {
            return nil
        }
        return scalar
    }

    /// Korean syllables, which the standard composes by arithmetic.
    private static func composeHangul(_ first: UInt32, _ second: UInt32) -> Unicode.Scalar? {
        switch (first, second) {
        case (0x1100...0x1112, 0x1161...0x1175):
            return Unicode.Scalar(0xac00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28)
        case (0xac00...0xd7a3, 0x11a8...0x11c2) where (first - 0xac00).isMultiple(of: 28):
            return Unicode.Scalar(first + (second - 0x11a7))
        default: return nil
        }
    }
}
