/// A string that equals only the same Unicode scalars: a query normalizes nothing, where `String` compares canonical equivalents.
package struct ExactString: Hashable, Sendable {
    let string: String

    package init(_ string: String) { self.string = string }

    package static func == (left: Self, right: Self) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }

    package func hash(into hasher: inout Hasher) {
        var copy = string
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The order of the Unicode scalars, which is the order of the bytes of UTF-8.
    package static func < (left: Self, right: Self) -> Bool { left.string.utf8.lexicographicallyPrecedes(right.string.utf8) }
}
