/// The shapes that nearly every message has, read and written without the generic way, which asks the runtime for
/// types again and again.

extension [String: Variant] {
    package static var signature: Signature { Signature(unchecked: "a{sv}") }

    /// Of entries with the same key the last one counts.
    package init?(_ value: DBus.Value) {
        guard case .dictionary(let key, let content, let entries) = value,
            key == String.signature, content == Variant.signature
        else { return nil }
        self.init(minimumCapacity: entries.count)
        for entry in entries {
            guard case .string(let key) = entry.key, case .variant(let content) = entry.value else { return nil }
            self[key] = Variant(content: content)
        }
    }

    /// In the order of the names: the same properties are the same message.
    package var value: DBus.Value {
        .dictionary(
            key: String.signature, value: Variant.signature,
            sorted { $0.key < $1.key }.map { DBus.Value.Entry(.string($0.key), .variant($0.value.content)) })
    }
}

extension [String: Properties] {
    package init?(_ value: DBus.Value) {
        guard case .dictionary(let key, let content, let entries) = value,
            key == String.signature, content == Properties.signature
        else { return nil }
        self.init(minimumCapacity: entries.count)
        for entry in entries {
            guard case .string(let key) = entry.key, let content = Properties(entry.value) else { return nil }
            self[key] = content
        }
    }
}

/// The reply of GetManagedObjects.
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

extension [String] {
    package init?(_ value: DBus.Value) {
        guard case .array(let element, let values) = value, element == String.signature else { return nil }
        self.init()
        reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value else { return nil }
            append(text)
        }
    }

    package var value: DBus.Value { .array(String.signature, map { .string($0) }) }
}

extension [UInt8] {
    package init?(_ value: DBus.Value) {
        guard case .bytes(let octets) = value else { return nil }
        self = octets
    }

    package var value: DBus.Value { .bytes(self) }
}
