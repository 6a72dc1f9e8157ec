/// The properties of an interface by name.
package struct Properties: WireType, Equatable, ExpressibleByDictionaryLiteral {
    private var contents: NamedValues<DBus.Value>

    package init() { contents = NamedValues([]) }

    package init(dictionaryLiteral properties: (String, Variant)...) {
        contents = NamedValues(properties.map { ($0.0, $0.1.content) })
    }

    package var names: [String] { contents.names }
    package var count: Int { contents.entries.count }
    package var isEmpty: Bool { contents.entries.isEmpty }

    package subscript(_ name: String) -> Variant? {
        get { contents[name].map { Variant(content: $0) } }
        set { contents[name] = newValue?.content }
    }

    package subscript<Content>(_ property: Property<Content>) -> Content? {
        contents[property.name.text].flatMap { Content($0) }
    }

    /// Takes on what has changed, and drops what is not known any more.
    package mutating func take(_ changed: Properties, without invalidated: [String] = []) {
        for (name, content) in changed.contents.entries { contents[name] = content }
        for name in invalidated { contents[name] = nil }
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sv}"

    package init?(_ value: DBus.Value) {
        let contents = NamedValues<DBus.Value>(value, of: Variant.signature) {
            if case .variant(let content) = $0 { content } else { nil }
        }
        guard let contents else { return nil }
        self.contents = contents
    }

    package var value: DBus.Value { contents.value(of: Variant.signature) { .variant($0) } }
}

/// The interfaces of an object by name, with their properties.
package struct ManagedObject: WireType, Equatable, ExpressibleByDictionaryLiteral {
    private var interfaces: NamedValues<Properties>

    package init(dictionaryLiteral interfaces: (String, Properties)...) { self.interfaces = NamedValues(interfaces) }

    package var names: [String] { interfaces.names }
    package var isEmpty: Bool { interfaces.entries.isEmpty }

    package subscript(_ name: String) -> Properties? {
        get { interfaces[name] }
        set { interfaces[name] = newValue }
    }

    /// Changes the properties of an interface in their place; whether the object has it.
    package mutating func change(_ name: String, _ change: (inout Properties) -> Void) -> Bool {
        interfaces.change(name, change)
    }

    /// Takes on more interfaces; whatever was known of those before is void.
    package mutating func take(_ more: ManagedObject) {
        for (name, properties) in more.interfaces.entries { interfaces[name] = properties }
    }

    // MARK: On the wire

    package static let signature: Signature = "a{sa{sv}}"

    package init?(_ value: DBus.Value) {
        guard let interfaces = NamedValues(value, of: Properties.signature, { Properties($0) }) else { return nil }
        self.interfaces = interfaces
    }

    package var value: DBus.Value { interfaces.value(of: Properties.signature) { $0.value } }
}
