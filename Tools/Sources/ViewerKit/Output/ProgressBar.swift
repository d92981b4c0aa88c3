/// A progress bar in one line.
public enum ProgressBar {
    public static func line(_ done: Int, of all: Int, unit: String, width: Int = 24) -> String {
        let share = all > 0 ? min(1, Double(done) / Double(all)) : 1
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(bar) \(Int(share * 100)) %  \(done.grouped) of \(all.grouped) \(unit)"
    }
}

/// `1 event`, `2 events`.
public func counted(_ count: Int, _ noun: String) -> String { "\(count.grouped) \(noun)\(count == 1 ? "" : "s")" }
