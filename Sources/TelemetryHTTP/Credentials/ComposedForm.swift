import Foundation
import TelemetryModels

/// Unicode's normalisation form C.
///
/// Foundation composes some letters wrongly on Linux (U+10041 and an accent become "Á"). What it composes is used only where
/// Swift's `==`, which goes by the standard library's own tables, calls it the same text; other characters keep form D.
enum ComposedForm {
    static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let composed = text.precomposedStringWithCanonicalMapping
        if composed == text { return composed }
        return String(text.map(character(_:)).joined())
    }

    private static func character(_ character: Character) -> String {
        let text = String(character)
        let composed = text.precomposedStringWithCanonicalMapping
        return composed == text ? composed : String(decoding: CanonicalForm.utf8(of: text), as: UTF8.self)
    }
}
