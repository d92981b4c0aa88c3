import Foundation
import Synchronization

/// One spelling for all strings that are equal by Swift's `==`: Unicode's normalization form D.
///
/// Foundation's normalization is wrong on Linux: it composes letters of other planes as though they were Latin letters (U+10041
/// and an accent become "Á"), and orders marks that are newer than its tables differently from Swift. Here Foundation only
/// decomposes single scalars; the result is ordered by the standard library's data, as for `==`.
package enum CanonicalForm {
    /// The form's UTF-8.
    package static func utf8(of text: String) -> [UInt8] {
        var text = text
        let isASCII = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
        if isASCII { return Array(text.utf8) }
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        var known: (number: UInt32, page: Page)?
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                scalars.append(scalar)
                continue
            }
            let number = scalar.value >> 8
            let page = if let known, known.number == number { known.page } else { Self.page(number) }
            known = (number, page)
            if let parts = page[UInt8(truncatingIfNeeded: scalar.value)] {
                scalars += parts
            } else {
                scalars.append(scalar)
            }
        }
        order(&scalars)
        var form = String.UnicodeScalarView()
        form.append(contentsOf: scalars)
        return Array(String(form).utf8)
    }

    static func decomposition(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        page(scalar.value >> 8)[UInt8(truncatingIfNeeded: scalar.value)] ?? [scalar]
    }

    /// The decompositions of 256 successive scalars, by their last byte. Scalars that do not decompose are left out.
    private typealias Page = [UInt8: [Unicode.Scalar]]

    /// The pages computed so far: Foundation takes microseconds for a scalar, and a text can have millions.
    private static let pages = Mutex<[UInt32: Page]>([:])

    private static func page(_ number: UInt32) -> Page {
        if let known = pages.withLock({ $0[number] }) { return known }
        var page: Page = [:]
        for value in number << 8...number << 8 | 0xff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let parts =
                unicode16[value]?.compactMap(Unicode.Scalar.init)
                ?? Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            if parts != [scalar] { page[UInt8(truncatingIfNeeded: value)] = parts }
        }
        pages.withLock { [page] in $0[number] = page }
        return page
    }

    /// The scalar of Unicode 16 whose full decomposition is `parts`; nil if there is none.
    static func composition(of parts: [Unicode.Scalar]) -> Unicode.Scalar? {
        let values = parts.map(\.value)
        return unicode16.first { $0.value == values }.flatMap { Unicode.Scalar($0.key) }
    }

    /// Sorts each run of marks by its class; marks of one class keep their order.
    private static func order(_ scalars: inout [Unicode.Scalar]) {
        var start = 0
        while start < scalars.count {
            guard mark(scalars[start]) != 0 else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { mark($0) == 0 } ?? scalars.count
            if end - start > 1 {
                let run = scalars[start..<end].enumerated().sorted {
                    (mark($0.element), $0.offset) < (mark($1.element), $1.offset)
                }
                scalars.replaceSubrange(start..<end, with: run.map(\.element))
            }
            start = end
        }
    }

    private static func mark(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.isASCII ? 0 : scalar.properties.canonicalCombiningClass.rawValue
    }

    /// The decompositions of Unicode 16, which Foundation's tables on Linux lack.
    private static let unicode16: [UInt32: [UInt32]] = [
        0x105c9: [0x105d2, 0x307], 0x105e4: [0x105da, 0x307],
        0x11383: [0x11382, 0x113c9], 0x11385: [0x11384, 0x113bb], 0x1138e: [0x1138b, 0x113c2],
        0x11391: [0x11390, 0x113c9], 0x113c5: [0x113c2, 0x113c2], 0x113c7: [0x113c2, 0x113b8],
        0x113c8: [0x113c2, 0x113c9],
        0x16121: [0x1611e, 0x1611e], 0x16122: [0x1611e, 0x16129], 0x16123: [0x1611e, 0x1611f],
        0x16124: [0x16129, 0x1611f], 0x16125: [0x1611e, 0x16120], 0x16126: [0x1611e, 0x1611e, 0x1611f],
        0x16127: [0x1611e, 0x16129, 0x1611f], 0x16128: [0x1611e, 0x1611e, 0x16120],
        0x16d68: [0x16d67, 0x16d67], 0x16d69: [0x16d63, 0x16d67], 0x16d6a: [0x16d63, 0x16d67, 0x16d67],
    ]
}
