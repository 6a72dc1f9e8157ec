/// The properties of an interface by name, in the form of the message, which avoids a copy. A linear search finds one of
/// these few entries. If a name occurs twice, the last entry counts.
package struct Properties: WireType, ExpressibleByDictionaryLiteral {
    private var entries: [DBus.Value.Entry]

    package init() { entries = [] }

    package init(dictionaryLiteral properties: (String, Variant)...) {
        entries = properties.map { DBus.Value.Entry(.string($0.0), $0.1.value) }
    }

    /// The names in alphabetical order.
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
            put(DBus.Value.Entry(.string(name), newValue.value), name: name)
        }
    }

    package subscript<Content>(_ property: Property<Content>) -> Content? {
        get {
            guard let place = place(of: property.name.text), case .variant(let content) = entries[place].value
            else { return nil }
            return Content(content)
        }
        set { self[property.name.text] = newValue.map { Variant($0) } }
    }

    package mutating func apply(_ changed: Properties, without invalidated: [String] = []) {
        for entry in changed.entries { if case .string(let name) = entry.key { put(entry, name: name) } }
        for name in invalidated { self[name] = nil }
    }

    private mutating func put(_ entry: DBus.Value.Entry, name: String) {
        if let place = place(of: name) { entries[place].value = entry.value } else { entries.append(entry) }
    }

    /// Loops over indices, because a closure would get a copy of each entry.
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

    /// Sorted by name, so that equal properties give equal messages.
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

/// The interfaces of an object by name, with their properties. A linear search finds one of these few entries. Entries with
/// an invalid name are ignored.
package struct ManagedObject: WireType, ExpressibleByDictionaryLiteral {
    private(set) var interfaces: [(name: InterfaceName, properties: Properties)]

    package init(dictionaryLiteral interfaces: (String, Properties)...) {
        self.interfaces = interfaces.compactMap { name, properties in InterfaceName(name).map { ($0, properties) } }
    }

    /// The names in alphabetical order.
    package var names: [String] { interfaces.map(\.name.text).sorted() }
    package var isEmpty: Bool { interfaces.isEmpty }

    package subscript(_ name: String) -> Properties? { place(of: name).map { interfaces[$0].properties } }

    /// Changes the properties of an interface in place. Returns the interface; `nil` when the object doesn't have it.
    package mutating func change(_ name: String, change: (inout Properties) -> Void) -> InterfaceName? {
        guard let place = place(of: name) else { return nil }
        change(&interfaces[place].properties)
        return interfaces[place].name
    }

    /// Removes an interface. Returns the interface; `nil` when the object doesn't have it.
    package mutating func remove(_ name: String) -> InterfaceName? {
        guard let place = place(of: name) else { return nil }
        let removed = interfaces.remove(at: place).name
        // A message may contain it twice.
        while let place = self.place(of: name) { interfaces.remove(at: place) }
        return removed
    }

    /// Adds interfaces, and replaces the properties of known ones.
    package mutating func merge(_ more: ManagedObject) {
        for (name, properties) in more.interfaces where change(name.text, change: { $0 = properties }) == nil {
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

    /// Sorted by name.
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

/// The reply of GetManagedObjects. A fast path: the generic one looks types up at run time.
package struct ManagedObjects: WireReply {
    package var objects: [ObjectPath: ManagedObject] = [:]

    package init?(reply: [Value]) {
        guard reply.count == 1, case .dictionary(let key, let content, let entries) = reply[0],
            key == ObjectPath.signature, content == ManagedObject.signature
        else { return nil }
        objects.reserveCapacity(entries.count)
        for entry in entries {
            guard case .path(let path) = entry.key, let object = ManagedObject(entry.value) else { return nil }
            objects[path] = object
        }
    }

    package static var replySignature: [Signature] { [[ObjectPath: ManagedObject].signature] }
    package var reply: [Value] { [objects.value] }
}
