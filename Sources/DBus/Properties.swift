/// The properties of an interface by name, kept as the message has them: to take them over copies nothing. They are so few
/// that they are looked for one after the other; of two with the same name the last one counts.
package struct Properties: WireType, ExpressibleByDictionaryLiteral {
    private var entries: [DBus.Value.Entry]

    package init() { entries = [] }

    package init(dictionaryLiteral properties: (String, Variant)...) {
        entries = properties.map { DBus.Value.Entry(.string($0.0), $0.1.value) }
    }

    /// In alphabetical order.
    package var names: [String] {
        var names = entries.compactMap { String($0.key) }
        if names.count > 1 { names.sort() }
        return names
    }
    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(_ name: String) -> Variant? {
        get { place(of: name).flatMap { Variant(entries[$0].value) } }
        set {
            guard let newValue else { return entries.removeAll { $0.key == .string(name) } }
            put(DBus.Value.Entry(.string(name), newValue.value), name)
        }
    }

    package subscript<Content>(_ property: Property<Content>) -> Content? {
        guard let place = place(of: property.name.text), case .variant(let content) = entries[place].value
        else { return nil }
        return Content(content)
    }

    /// Takes on what has changed, and drops what is not known any more.
    package mutating func take(_ changed: Properties, without invalidated: [String] = []) {
        for entry in changed.entries { if case .string(let name) = entry.key { put(entry, name) } }
        for name in invalidated { self[name] = nil }
    }

    private mutating func put(_ entry: DBus.Value.Entry, _ name: String) {
        if let place = place(of: name) { entries[place].value = entry.value } else { entries.append(entry) }
    }

    /// By numbers: a closure would be given a copy of each entry.
    private func place(of name: String) -> Int? {
        for place in entries.indices.reversed() {
            if case .string(let known) = entries[place].key, known == name { return place }
        }
        return nil
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sv}"

    package init?(_ value: DBus.Value) {
        guard case .dictionary(String.signature, Variant.signature, let entries) = value else { return nil }
        self.entries = entries
    }

    /// In the order of the names: the same properties are the same message.
    package var value: DBus.Value {
        let ordered = entries.count > 1 ? entries.sorted { String($0.key) ?? "" < String($1.key) ?? "" } : entries
        return .dictionary(key: String.signature, value: Variant.signature, ordered)
    }
}

extension Properties: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        let names = left.names
        return names == right.names && names.allSatisfy { left[$0] == right[$0] }
    }
}

/// The interfaces of an object by name, with their properties: so few that they are looked for one after the other. What is
/// not an interface's name is none.
package struct ManagedObject: WireType, ExpressibleByDictionaryLiteral {
    private(set) var interfaces: [(name: InterfaceName, properties: Properties)]

    package init(dictionaryLiteral interfaces: (String, Properties)...) {
        self.interfaces = interfaces.compactMap { name, properties in InterfaceName(name).map { ($0, properties) } }
    }

    /// In alphabetical order.
    package var names: [String] { interfaces.map(\.name.text).sorted() }
    package var isEmpty: Bool { interfaces.isEmpty }

    package subscript(_ name: String) -> Properties? { place(of: name).map { interfaces[$0].properties } }

    /// Changes the properties of an interface in their place; the interface, if the object has it.
    package mutating func change(_ name: String, _ change: (inout Properties) -> Void) -> InterfaceName? {
        guard let place = place(of: name) else { return nil }
        change(&interfaces[place].properties)
        return interfaces[place].name
    }

    /// The interface that was removed; `nil` when the object has none of this name.
    package mutating func remove(_ name: String) -> InterfaceName? {
        guard let place = place(of: name) else { return nil }
        let removed = interfaces.remove(at: place).name
        // A message may have told it twice.
        while let place = self.place(of: name) { interfaces.remove(at: place) }
        return removed
    }

    /// Takes on more interfaces; whatever was known of those before is void.
    package mutating func take(_ more: ManagedObject) {
        for (name, properties) in more.interfaces where change(name.text, { $0 = properties }) == nil {
            interfaces.append((name, properties))
        }
    }

    private func place(of name: String) -> Int? {
        for place in interfaces.indices.reversed() where interfaces[place].name.text == name { return place }
        return nil
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sa{sv}}"

    package init?(_ value: DBus.Value) {
        guard case .dictionary(String.signature, Properties.signature, let entries) = value else { return nil }
        interfaces = []
        interfaces.reserveCapacity(entries.count)
        for entry in entries {
            guard case .string(let text) = entry.key, let properties = Properties(entry.value) else { return nil }
            if let name = InterfaceName(text) { interfaces.append((name, properties)) }
        }
    }

    /// In the order of the names.
    package var value: DBus.Value {
        .dictionary(
            key: String.signature, value: Properties.signature,
            interfaces.sorted { $0.name.text < $1.name.text }.map {
                DBus.Value.Entry(.string($0.name.text), $0.properties.value)
            })
    }
}

extension ManagedObject: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        let names = left.names
        return names == right.names && names.allSatisfy { left[$0] == right[$0] }
    }
}
