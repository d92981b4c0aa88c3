public import TelemetryModels
public import TelemetryTransport

/// A question for the most frequent values of a field.
public struct TopRequest: Sendable, Equatable {
    /// The maximum number of values.
    static let limit = 10

    let field: EventField
    public let query: TelemetryQuery
    /// The filter of the view.
    public let filter: TelemetryEventFilter

    /// - Throws: `TelemetryQueryError` if the field's name is too long for a query.
    init(_ field: EventField, filter: TelemetryEventFilter) throws {
        self.field = field
        self.filter = filter
        query = try TelemetryQuery(field.topPipe)
    }
}

/// The choice of a field, or its most frequent values; shown instead of the panes.
struct WatchTop: Sendable {
    struct Row: Sendable {
        /// Nil for the events without the field.
        let value: String?
        let count: Int
    }

    enum Content: Sendable {
        case fields([EventField])
        /// The store has not answered yet.
        case reading(TopRequest)
        case values(TopRequest, [Row], matched: Int)
    }

    let content: Content
    /// The index of the selected line.
    private(set) var selected = 0

    init(_ content: Content) { self.content = content }

    /// The answer of the store.
    init(_ result: TelemetryQueryResult, for request: TopRequest) {
        let rows = result.rows.compactMap { row -> Row? in
            guard row.count == 2, case .int(let count) = row[1] else { return nil }
            return switch row[0] {
            case .string(let value): Row(value: value, count: Int(count))
            case .null: Row(value: nil, count: Int(count))
            default: nil
            }
        }
        self.init(.values(request, rows, matched: result.matched))
    }

    private var count: Int {
        switch content {
        case .fields(let fields): fields.count
        case .reading: 0
        case .values(_, let rows, _): rows.count
        }
    }

    /// The selected field; nil if none is chosen.
    var field: EventField? { if case .fields(let fields) = content { fields[selected] } else { nil } }

    /// The term for the selected value; nil if there is none.
    var term: String? {
        guard case .values(let request, let rows, _) = content, !rows.isEmpty else { return nil }
        return request.field.term(for: rows[selected].value)
    }

    var title: String {
        switch content {
        case .fields: "TOP VALUES of which field?"
        case .reading(let request): "TOP VALUES of \(request.field.name.shortened.visible.fitted(to: 40)) [reading …]"
        case .values(let request, _, let matched):
            "TOP VALUES of \(request.field.name.shortened.visible.fitted(to: 40)) in \(counted(matched, "event"))"
        }
    }

    /// Moves the selection.
    mutating func move(by step: Int) { selected = min(max(0, selected + step), max(0, count - 1)) }

    /// A line for each field or value, with as many as there are rows around the selected one.
    func lines(width: Int, rows: Int, aliases: ClientAliases) -> [ScreenLine] {
        let lines: [String] =
            switch content {
            case .fields(let fields): fields.map(\.name)
            case .reading: []
            case .values(let request, let values, _):
                BarChart().lines(
                    values.map { row in
                        let value = request.field == .client ? row.value.map(aliases.label) : row.value
                        let label = value.map { $0.isEmpty ? "\"\"" : $0.shortened.visible } ?? "– (without the field)"
                        return (label.fitted(to: max(12, width / 2)), row.count)
                    }, width: width - 3, style: Style(isOn: false))
            }
        guard !lines.isEmpty else { return [ScreenLine(isReading ? " Reading stored events …" : " No event matches.", .dim)] }
        let start = max(0, selected - rows + 1)
        return lines.indices.dropFirst(start).prefix(rows).map { index in
            ScreenLine("\(index == selected ? "▸ " : "  ")\(lines[index])").selected(index == selected)
        }
    }

    var isChoosingField: Bool { if case .fields = content { true } else { false } }

    var isReading: Bool { if case .reading = content { true } else { false } }
}
