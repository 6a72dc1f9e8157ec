/// Values under names, as messages have them: so few that they are looked for one after the other. Of two with the same
/// name the last one counts.
struct NamedValues<Content: Sendable & Equatable>: Sendable {
    private(set) var entries: [(name: String, content: Content)] = []

    init(_ entries: [(String, Content)]) { self.entries = entries.map { ($0.0, $0.1) } }

    /// `nil` when the value is no dictionary of this signature, or `content` takes one of its values for none.
    init?(_ value: Value, of signature: Signature, _ content: (Value) -> Content?) {
        guard case .dictionary(let key, signature, let pairs) = value, key == String.signature else { return nil }
        entries.reserveCapacity(pairs.count)
        for pair in pairs {
            guard case .string(let name) = pair.key, let content = content(pair.value) else { return nil }
            entries.append((name, content))
        }
    }

    /// In the order of the names: the same values are the same message.
    func value(of signature: Signature, _ value: (Content) -> Value) -> Value {
        let ordered = entries.count > 1 ? entries.sorted { $0.name < $1.name } : entries
        return .dictionary(
            key: String.signature, value: signature,
            ordered.map { Value.Entry(.string($0.name), value($0.content)) })
    }

    var names: [String] { entries.map(\.name).sorted() }

    subscript(_ name: String) -> Content? {
        get { place(of: name).map { entries[$0].content } }
        set {
            guard let newValue else { return entries.removeAll { $0.name == name } }
            if !change(name, { $0 = newValue }) { entries.append((name, newValue)) }
        }
    }

    /// Changes a value in its place; whether there is one.
    mutating func change(_ name: String, _ change: (inout Content) -> Void) -> Bool {
        guard let place = place(of: name) else { return false }
        change(&entries[place].content)
        return true
    }

    /// By numbers: a closure would be given a copy of each entry.
    private func place(of name: String) -> Int? {
        for place in entries.indices.reversed() where entries[place].name == name { return place }
        return nil
    }
}

extension NamedValues: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.names == right.names && left.entries.allSatisfy { left[$0.name] == right[$0.name] }
    }
}
