/// A Prometheus metric: its name, its type, and a sample for each set of labels.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case gauge, counter
    }

    let name: String
    let kind: Kind
    let help: String
    /// The values, by their labels in Prometheus's notation.
    private(set) var samples: [String: Double] = [:]

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Sets a sample, in place of an earlier one with the same labels. Ignores `nil`, NaN and infinities.
    mutating func set(_ value: Double?, _ labels: KeyValuePairs<String, String> = [:]) {
        guard let value, value.isFinite else { return }
        samples[Self.text(labels)] = value
    }

    /// Sets a sample of 0 or 1.
    mutating func set(_ flag: Bool, _ labels: KeyValuePairs<String, String>) { set(flag ? 1 : 0, labels) }

    private static func text(_ labels: KeyValuePairs<String, String>) -> String {
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
