/// The help on all keys.
enum WatchHelp {
    /// The keys and their descriptions, in groups.
    static let groups: [(title: String, keys: [(key: String, text: String)])] = [
        (
            "Everywhere",
            [
                ("Tab  ← →", "next pane, previous pane"), ("↑ ↓  j k", "move the selection in the pane"),
                ("?  h", "this help; arrow and page keys scroll it, any other key closes it"),
                ("M", "mouse: the wheel scrolls, or the terminal selects text"), ("Ctrl-Z", "suspend; fg resumes"),
                ("q  Ctrl-C", "quit"),
            ]
        ),
        (
            "Clients and scenarios",
            [
                ("Space", "enable or disable the selected scenario"), ("a", "approve the selected client"),
                ("r", "request what the client's flight recorder kept of the selected scenario"),
                ("x", "end the selected client's telemetry, after confirmation"),
                ("c", "show only the selected client's events, or those of all clients"), ("Enter", "next pane"),
            ]
        ),
        (
            "Events",
            [
                ("↑ ↓  wheel", "select an event, which pauses the view; after the newest one the view follows new events again"),
                ("PgUp PgDn Home", "scroll; at the oldest loaded event older ones are read from the store"),
                ("End", "return to the newest events and follow them"),
                ("Enter", "all fields and attributes of the selected event"),
                ("y", "copy the selected event to the terminal's clipboard (OSC 52)"),
                ("< >  Shift-← →", "scroll the events sideways"),
                ("/", "filter: only events that match a query, such as status:>=500 timeout; the title counts the stored ones"),
                ("t", "top values of a field of the events that match; Enter adds the value to the filter, - excludes it"),
                ("f", "find the events that match a query; its words are marked"),
                ("n N", "next match, previous match; N also searches older events in the store"),
                ("m  [ ]  '", "set or remove a bookmark ◆; previous bookmark; next bookmark"),
                ("s", "severity: only info, warning, or error and above; then all again"),
                (
                    "C",
                    "crashes: only the sessions that ended without a shutdown; select one, and Esc shows the events around its end"
                ),
                ("p", "pause, resume"),
                ("Esc", "clear the search and the filter; again: return to the newest events"),
            ]
        ),
        (
            "An event's details",
            [
                ("↑ ↓  Home End", "select a line"), ("t", "top values of the selected line's field"),
                ("PgUp PgDn Space", "scroll"), ("← →", "previous event, next event"),
                ("n N", "next match, previous match"), ("y  Y", "copy the event as text; as JSON"),
                ("mouse", "the terminal selects text, because the wheel is not reported here"),
                ("Esc  q  Enter", "return to the list"),
            ]
        ),
        (
            "Signs",
            [
                ("▸  ◆", "the selected event; a bookmark"), ("·  W  E", "a diagnostic event; severity warning; severity error"),
                ("── ended ──", "a session ended without a shutdown; its client reported it at the next start"),
                ("12/s", "events per second, the mean of the last \(RateWindow.meanSeconds) seconds"),
                ("diag", "the scenario records everything; info: only info events"),
            ]
        ),
    ]

    static func lines(width: Int) -> [ScreenLine] {
        let column = width < 60 ? 12 : 18
        var lines: [ScreenLine] = []
        for (title, keys) in groups {
            if !lines.isEmpty { lines.append(ScreenLine()) }
            lines.append(ScreenLine(" \(title)", .dim))
            for (key, text) in keys {
                let isLong = key.displayWidth >= column
                if isLong { lines.append(ScreenLine("  \(key)", .bold)) }
                for (index, piece) in text.wrappedAtWords(to: max(8, width - column - 3)).enumerated() {
                    var line = ScreenLine("  ")
                    line.add(index == 0 && !isLong ? key : "", .bold, column: column)
                    line.add(piece)
                    lines.append(line)
                }
            }
        }
        return lines
    }
}
