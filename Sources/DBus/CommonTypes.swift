/// Fast paths for the types of most messages. The generic path looks types up at run time.

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
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }

    package var value: DBus.Value { .bytes(self) }
}
