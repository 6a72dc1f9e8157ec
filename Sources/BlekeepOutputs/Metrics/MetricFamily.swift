/// A Prometheus metric: its name, its type, and a sample for each set of labels.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case gauge, counter, histogram
    }

    let name: String
    let kind: Kind
    let help: String
    /// The samples, by their labels in Prometheus's notation.
    private var samples: [String: [Sample]] = [:]

    /// A line, without the beginning of its name.
    struct Sample: Sendable {
        /// The end of the name, such as `_sum`, with the labels.
        let rest: String
        let value: Double
    }

    init(_ name: String, _ kind: Kind, help: String) { (self.name, self.kind, self.help) = (name, kind, help) }

    var isEmpty: Bool { samples.isEmpty }

    /// All samples, sorted by their labels.
    var lines: [Sample] { samples.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// Sets a sample, in place of an earlier one with the same labels. Ignores `nil`, NaN and infinities.
    mutating func set(_ value: Double?, labels: KeyValuePairs<String, String> = [:]) {
        set(value, labels: Array(labels))
    }

    /// Sets a sample with labels that not all samples have.
    mutating func set(_ value: Double?, labels: [(key: String, value: String)]) {
        guard let value, value.isFinite else { return }
        let text = Self.text(labels)
        samples[text] = [Sample(rest: text, value: value)]
    }

    /// Sets a histogram, in place of an earlier one with the same labels.
    mutating func set(_ histogram: Histogram, labels: KeyValuePairs<String, String>) {
        func bucket(_ bound: String, count: Int) -> Sample {
            Sample(rest: "_bucket" + Self.text(Array(labels) + [("le", bound)]), value: Double(count))
        }
        let text = Self.text(labels)
        samples[text] =
            zip(histogram.bounds, histogram.cumulative).map { bucket("\($0)", count: $1) } + [
                bucket("+Inf", count: histogram.count),
                Sample(rest: "_sum" + text, value: histogram.sum),
                Sample(rest: "_count" + text, value: Double(histogram.count)),
            ]
    }

    mutating func set(_ flag: Bool, labels: KeyValuePairs<String, String>) { set(flag ? 1 : 0, labels: labels) }

    private static func text(_ labels: some Collection<(key: String, value: String)>) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    /// - Parameter quotes: whether the text is a label's value, which ends with a quote.
    static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
