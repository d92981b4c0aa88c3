import Foundation

/// Unicode's normalization form C, computed from ``CanonicalForm`` by the algorithm of Unicode Standard Annex #15.
///
/// Foundation composes single pairs only, and its result is used only if it decomposes to the same pair: on Linux, Foundation
/// composes letters of other planes like Latin letters (U+10041 and an acute accent become "Á").
package enum ComposedForm {
    package static func utf8(of text: String) -> [UInt8] { Array(string(of: text).utf8) }

    package static func string(of text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let decomposed = CanonicalForm.utf8(of: text)
        var result: [Unicode.Scalar] = []
        var starter: Int?
        var lastClass: UInt8 = 0
        for scalar in String(decoding: decomposed, as: UTF8.self).unicodeScalars {
            let ownClass = scalar.properties.canonicalCombiningClass.rawValue
            // A mark with the same or a higher class in between blocks the composition.
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
        return String(form)
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

    /// Hangul syllables, which the standard composes arithmetically.
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
