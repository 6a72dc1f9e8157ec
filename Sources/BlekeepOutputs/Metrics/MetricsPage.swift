import BlekeepRecords

/// Metrics in Prometheus's text format 0.0.4, sorted by name and labels.
package struct MetricsPage: Sendable {
    private let families: [MetricFamily]

    /// - Parameter families: with different names; those without samples are left out.
    init(_ families: [MetricFamily]) {
        self.families = families.filter { !$0.isEmpty }.sorted { $0.name < $1.name }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for family in families {
            bytes.append(text: "# HELP \(family.name) \(MetricFamily.escaped(family.help, quotes: false))\n")
            bytes.append(text: "# TYPE \(family.name) \(family.kind.rawValue)\n")
            for sample in family.lines {
                bytes.append(text: "\(family.name)\(sample.rest) \(Self.text(sample.value))\n")
            }
        }
        return bytes
    }

    /// Whole numbers have no fraction.
    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
