/// The properties of an interface by name. They are few, so they are looked for one after the other; of two with the
/// same name the last one counts.
package struct Properties: WireType, ExpressibleByDictionaryLiteral {
    private var entries: [Entry] = []

    private struct Entry: Sendable {
        let name: String
        var content: DBus.Value
    }

    package init() {}

    package init(dictionaryLiteral properties: (String, Variant)...) {
        entries = properties.map { Entry(name: $0.0, content: $0.1.content) }
    }

    package var names: [String] { entries.map(\.name).sorted() }
    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(_ name: String) -> Variant? {
        get { content(of: name).map { Variant(content: $0) } }
        set {
            guard let newValue else { return entries.removeAll { $0.name == name } }
            set(name, newValue.content)
        }
    }

    package subscript<Content>(_ property: Property<Content>) -> Content? {
        content(of: property.name.text).flatMap { Content($0) }
    }

    private func content(of name: String) -> DBus.Value? { entries.last { $0.name == name }?.content }

    private mutating func set(_ name: String, _ content: DBus.Value) {
        if let place = entries.lastIndex(where: { $0.name == name }) {
            entries[place].content = content
        } else {
            entries.append(Entry(name: name, content: content))
        }
    }

    /// Takes on what has changed, and drops what is not known any more.
    package mutating func take(_ changed: Properties, without invalidated: [String] = []) {
        for entry in changed.entries { set(entry.name, entry.content) }
        for name in invalidated { self[name] = nil }
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sv}"

    package init?(_ value: DBus.Value) {
        guard case .dictionary(let key, let content, let pairs) = value,
            key == String.signature, content == Variant.signature
        else { return nil }
        entries.reserveCapacity(pairs.count)
        for pair in pairs {
            guard case .string(let name) = pair.key, case .variant(let content) = pair.value else { return nil }
            entries.append(Entry(name: name, content: content))
        }
    }

    /// In the order of the names: the same properties are the same message.
    package var value: DBus.Value {
        let ordered = entries.count > 1 ? entries.sorted { $0.name < $1.name } : entries
        return .dictionary(
            key: String.signature, value: Variant.signature,
            ordered.map { DBus.Value.Entry(.string($0.name), .variant($0.content)) })
    }
}

extension Properties: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.names == right.names && left.entries.allSatisfy { left.content(of: $0.name) == right.content(of: $0.name) }
    }
}

/// The interfaces of an object by name, with their properties.
package struct ManagedObject: WireType, Equatable, ExpressibleByDictionaryLiteral {
    private var interfaces: [Interface] = []

    private struct Interface: Sendable, Equatable {
        let name: String
        var properties: Properties
    }

    package init(dictionaryLiteral interfaces: (String, Properties)...) {
        self.interfaces = interfaces.map { Interface(name: $0.0, properties: $0.1) }
    }

    package var names: [String] { interfaces.map(\.name).sorted() }
    package var isEmpty: Bool { interfaces.isEmpty }

    package subscript(_ name: String) -> Properties? {
        get { interfaces.last { $0.name == name }?.properties }
        set {
            guard let newValue else { return interfaces.removeAll { $0.name == name } }
            if !change(name, { $0 = newValue }) { interfaces.append(Interface(name: name, properties: newValue)) }
        }
    }

    /// Changes the properties of an interface in their place; whether the object has it.
    package mutating func change(_ name: String, _ change: (inout Properties) -> Void) -> Bool {
        guard let place = interfaces.lastIndex(where: { $0.name == name }) else { return false }
        change(&interfaces[place].properties)
        return true
    }

    /// Takes on more interfaces; whatever was known of those before is void.
    package mutating func take(_ more: ManagedObject) {
        for interface in more.interfaces { self[interface.name] = interface.properties }
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sa{sv}}"

    package init?(_ value: DBus.Value) {
        guard case .dictionary(let key, let content, let pairs) = value,
            key == String.signature, content == Properties.signature
        else { return nil }
        interfaces.reserveCapacity(pairs.count)
        for pair in pairs {
            guard case .string(let name) = pair.key, let properties = Properties(pair.value) else { return nil }
            interfaces.append(Interface(name: name, properties: properties))
        }
    }

    package var value: DBus.Value {
        .dictionary(
            key: String.signature, value: Properties.signature,
            interfaces.sorted { $0.name < $1.name }.map { DBus.Value.Entry(.string($0.name), $0.properties.value) })
    }
}
