/// Metrics in Prometheus' text format, family by family.
struct PrometheusText {
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// - Parameter samples: each what follows the family's name: labels, a space and the value.
    mutating func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples.map { name + $0 }
    }

    /// A family of one sample without labels.
    mutating func value(_ name: String, _ type: String, _ help: String, _ value: Int) {
        family(name, type, help, [" \(value)"])
    }

    /// A family with a sample for each value of a label, in the order of the lines.
    mutating func values(
        _ name: String, _ type: String, _ help: String, by label: String, _ values: [(key: String, value: Int)]
    ) {
        family(name, type, help, values.map { "{\(label)=\"\($0.key)\"} \($0.value)" }.sorted())
    }
}
