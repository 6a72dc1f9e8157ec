import RunLoop

/// What of a state decides over what follows, as a text: times relative to the present one, and counters relative to the
/// highest of their kind. Two states of one text count as one.
package struct Projection: Sendable {
    package enum Rule: Sendable {
        /// A deadline: of one that is over, nothing else matters.
        case deadline
        /// The time of something that happened. It matters for this long.
        case age(Duration)
        /// A number of a kind whose numbers are only compared.
        case count(String)
        /// A number up to this one.
        case most(Int)
    }

    /// By the names of properties.
    let rules: [String: Rule]

    package init(_ rules: [String: Rule]) { self.rules = rules }

    /// - Parameter state: the present time, and values.
    func text(of state: [Any]) -> String {
        guard let now = state.first as? Uptime else { return "" }
        var highest: [String: Int] = [:]
        for value in state.dropFirst() { count(value, &highest) }
        var text = ""
        for value in state.dropFirst() { append(value, named: nil, at: now, highest, to: &text) }
        return text
    }

    private func count(_ value: Any, named name: String? = nil, _ highest: inout [String: Int]) {
        if let name, case .count(let kind)? = rules[name], let number = value as? Int {
            highest[kind] = max(highest[kind] ?? .min, number)
        }
        if value is any FixedWidthInteger || value is String || value is Uptime { return }
        for child in Mirror(reflecting: value).children {
            count(child.value, named: Self.name(child.label, else: name), &highest)
        }
    }

    /// An optional's value, and a list's, go by the name of the property.
    private static func name(_ label: String?, else name: String?) -> String? {
        guard let label, label != "some", !label.hasPrefix(".") else { return name }
        return label
    }

    private func append(
        _ value: Any, named name: String?, at now: Uptime, _ highest: [String: Int], to text: inout String
    ) {
        let rule = name.flatMap { rules[$0] }
        switch value {
        case let time as Uptime: text += self.text(of: time, rule, at: now)
        case let integer as any BinaryInteger:
            let number = Int(clamping: integer)
            switch rule {
            case .count(let kind)?: text += "-\(min((highest[kind] ?? 0) - number, 2))"
            case .most(let most)?: text += "\(min(number, most))"
            case .deadline?, .age?, nil: text += "\(number)"
            }
        default:
            let mirror = Mirror(reflecting: value)
            guard !mirror.children.isEmpty || mirror.displayStyle == .struct else {
                text += "\(value)"
                return
            }
            var parts = mirror.children.map { child in
                var part = mirror.displayStyle == .enum || mirror.displayStyle == .struct ? "\(child.label ?? "")=" : ""
                append(child.value, named: Self.name(child.label, else: name), at: now, highest, to: &part)
                return part
            }
            if mirror.displayStyle == .set || mirror.displayStyle == .dictionary { parts.sort() }
            text += "(" + parts.joined(separator: " ") + ")"
        }
    }

    private func text(of time: Uptime, _ rule: Rule?, at now: Uptime) -> String {
        if time == .never { return "never" }
        switch rule {
        case .deadline? where time <= now: return "over"
        case .age(let most)? where now - time > most: return "old"
        case .deadline?, .age?, .count?, .most?, nil: return "\((time - now).wholeMilliseconds)"
        }
    }
}
