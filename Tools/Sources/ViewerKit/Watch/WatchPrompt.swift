import Foundation
@_spi(Tooling) import TelemetryModels

/// A query that is typed in order to filter or find events.
struct WatchPrompt: Sendable {
    enum Purpose: String, Sendable { case filter, find }

    /// The maximum length of a query, in bytes.
    private static let maximumLength = 4_096

    let purpose: Purpose
    /// The text before and after the cursor.
    private(set) var before: String
    private(set) var after = ""
    /// Why the text cannot be used, and where.
    private(set) var error: TelemetryQueryError?

    init(_ purpose: Purpose, _ query: TelemetryQuery?) {
        self.purpose = purpose
        before = query?.description ?? ""
    }

    var text: String { before + after }

    /// The query for the text; nil if it is not a filter.
    mutating func query() -> TelemetryQuery? {
        do { return try TelemetryQuery(filter: text) } catch {
            reject(error, at: (error as? TelemetryQueryError)?.offset)
            return nil
        }
    }

    /// Shows why the text cannot be used: at a place in it, or at its end.
    mutating func reject(_ error: any Error, at offset: Int? = nil) {
        self.error = TelemetryQueryError(message: error.localizedDescription, offset: offset ?? text.utf8.count)
    }

    mutating func edit(_ key: Key) {
        switch key {
        case .backspace: if !before.isEmpty { before.removeLast() }
        case .control("u"): (before, after) = ("", "")
        case .left: if let character = before.popLast() { after.insert(character, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home, .control("a"): (before, after) = ("", text)
        case .end, .control("e"): (before, after) = (text, "")
        case .character(let character):
            // A query that is longer by this character is refused with a message.
            if before.utf8.count + after.utf8.count <= Self.maximumLength { before.append(character) }
        default: return
        }
        error = nil
    }

    /// The prompt and, if the text cannot be used, the reason above it and a mark under the place.
    func lines(width: Int) -> [ScreenLine] {
        let label = " \(purpose.rawValue): "
        var line = ScreenLine(label, .bold)
        // A long text is cut at the start, so that the cursor is visible.
        let start = before.visible
        let cut = max(0, label.count + start.displayWidth + 1 - max(12, width - 4))
        line.add(start.dropping(columns: cut).text + "▏" + after.visible)
        if text.isEmpty {
            line.add(
                purpose == .filter ? "  a query; Enter filters, Esc cancels" : "  a query; Enter goes there, Esc cancels", .dim)
        }
        guard let error else { return [line] }
        let prefix = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self).visible.displayWidth
        let column = label.count + max(0, prefix - cut) + (error.offset > before.utf8.count ? 1 : 0)
        let margin = String(repeating: " ", count: min(column, width - 1))
        return [ScreenLine(" \(error.message)", .red), line, ScreenLine(margin + "^", .red)]
    }
}
