/// Metrics in the Prometheus text format.
struct PrometheusText {
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// - Parameter samples: the text after the family's name for each sample: labels, a space and the value.
    mutating func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples.map { name + $0 }
    }

    /// Adds a family of one sample without labels.
    mutating func value(_ name: String, _ type: String, _ help: String, _ value: Int) {
        family(name, type, help, [" \(value)"])
    }

    /// Adds a family with one sample for each value of a label, in sorted order.
    mutating func values(
        _ name: String, _ type: String, _ help: String, by label: String, _ values: [(key: String, value: Int)]
    ) {
        family(name, type, help, values.map { "{\(label)=\"\($0.key)\"} \($0.value)" }.sorted())
    }
}
