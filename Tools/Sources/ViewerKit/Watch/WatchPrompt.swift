import Foundation
@_spi(Tooling) import TelemetryModels

/// A query that is typed in order to filter or find events.
struct WatchPrompt: Sendable {
    enum Purpose: String, Sendable { case filter, find }

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
            reject(error)
            return nil
        }
    }

    mutating func reject(_ error: any Error) {
        self.error = error as? TelemetryQueryError ?? TelemetryQueryError(message: error.localizedDescription, offset: 0)
    }

    /// Changes the text. Returns false for a key that does not.
    mutating func edit(_ key: Key) -> Bool {
        switch key {
        case .backspace: if !before.isEmpty { before.removeLast() }
        case .control("u"): (before, after) = ("", "")
        case .left: if let character = before.popLast() { after.insert(character, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home, .control("a"): (before, after) = ("", text)
        case .end, .control("e"): (before, after) = (text, "")
        case .character(let character): before.append(character)
        default: return false
        }
        error = nil
        return true
    }

    /// The prompt and, if the text cannot be used, the reason above it and a mark under the place.
    func lines(width: Int) -> [ScreenLine] {
        let label = " \(purpose.rawValue): "
        var line = ScreenLine(label, .bold)
        // A long text is cut at the start, so that the cursor is visible.
        var (start, cut) = (before.visible, 0)
        while let first = start.first, label.count + start.displayWidth + 1 > max(12, width - 4) {
            cut += first.displayWidth
            start.removeFirst()
        }
        line.add(start + "▏" + after.visible)
        if text.isEmpty {
            line.add(
                purpose == .filter ? "  a query; Enter filters, Esc cancels" : "  a query; Enter goes there, Esc cancels", .dim)
        }
        guard let error else { return [line] }
        let prefix = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self).visible.displayWidth
        let column = label.count + max(0, prefix - cut) + (error.offset > before.utf8.count ? 1 : 0)
        return [ScreenLine(" \(error.message)", .red), line, ScreenLine(String(repeating: " ", count: column) + "^", .red)]
    }
}
