/// The reply of a method: nothing, one value or several.
package protocol WireReply: Sendable {
    static var replySignature: [Signature] { get }
    /// Returns `nil` when the values have other types.
    init?(reply: [Value])
    var reply: [Value] { get }
}

/// A Swift type that represents a D-Bus type.
package protocol WireType: WireReply {
    static var signature: Signature { get }
    /// Returns `nil` when the value has another type.
    init?(_ value: Value)
    var value: Value { get }
    /// An array of this type. Bytes have a special one.
    static func content(ofArray array: Value) -> [Self]?
    static func array(of elements: [Self]) -> Value
}

extension WireType {
    package static func content(ofArray array: Value) -> [Self]? {
        guard case .array(let element, let values) = array, element == signature else { return nil }
        var elements: [Self] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = Self(value) else { return nil }
            elements.append(element)
        }
        return elements
    }

    package static func array(of elements: [Self]) -> Value { .array(signature, elements.map { $0.value }) }

    // One value as a reply.

    package static var replySignature: [Signature] { [signature] }

    package init?(reply: [Value]) {
        guard reply.count == 1 else { return nil }
        self.init(reply[0])
    }

    package var reply: [Value] { [value] }
}

/// A value of any type, such as a property or an option.
package struct Variant: WireType, Hashable {
    package var content: Value

    package init(content: Value) { self.content = content }

    package init(_ content: some WireType) { self.content = content.value }

    package init?(_ value: Value) {
        guard case .variant(let content) = value else { return nil }
        self.content = content
    }

    package static let signature: Signature = "v"
    package var value: Value { .variant(content) }
}

extension UInt8: WireType {
    package static let signature: Signature = "y"
    package init?(_ value: Value) { if case .byte(let it) = value { self = it } else { return nil } }
    package var value: Value { .byte(self) }
    package static func content(ofArray array: Value) -> [UInt8]? { if case .bytes(let it) = array { it } else { nil } }
    package static func array(of elements: [UInt8]) -> Value { .bytes(elements) }
}

extension Bool: WireType {
    package static let signature: Signature = "b"
    package init?(_ value: Value) { if case .boolean(let it) = value { self = it } else { return nil } }
    package var value: Value { .boolean(self) }
}

extension Int16: WireType {
    package static let signature: Signature = "n"
    package init?(_ value: Value) { if case .int16(let it) = value { self = it } else { return nil } }
    package var value: Value { .int16(self) }
}

extension UInt16: WireType {
    package static let signature: Signature = "q"
    package init?(_ value: Value) { if case .uint16(let it) = value { self = it } else { return nil } }
    package var value: Value { .uint16(self) }
}

extension Int32: WireType {
    package static let signature: Signature = "i"
    package init?(_ value: Value) { if case .int32(let it) = value { self = it } else { return nil } }
    package var value: Value { .int32(self) }
}

extension UInt32: WireType {
    package static let signature: Signature = "u"
    package init?(_ value: Value) { if case .uint32(let it) = value { self = it } else { return nil } }
    package var value: Value { .uint32(self) }
}

extension Int64: WireType {
    package static let signature: Signature = "x"
    package init?(_ value: Value) { if case .int64(let it) = value { self = it } else { return nil } }
    package var value: Value { .int64(self) }
}

extension UInt64: WireType {
    package static let signature: Signature = "t"
    package init?(_ value: Value) { if case .uint64(let it) = value { self = it } else { return nil } }
    package var value: Value { .uint64(self) }
}

extension Double: WireType {
    package static let signature: Signature = "d"
    package init?(_ value: Value) { if case .double(let it) = value { self = it } else { return nil } }
    package var value: Value { .double(self) }
}

extension String: WireType {
    package static let signature: Signature = "s"
    package init?(_ value: Value) { if case .string(let it) = value { self = it } else { return nil } }
    package var value: Value { .string(self) }
}

extension ObjectPath: WireType {
    package static let signature: Signature = "o"
    package init?(_ value: Value) { if case .path(let it) = value { self = it } else { return nil } }
    package var value: Value { .path(self) }
}

extension FileHandle: WireType {
    package static let signature: Signature = "h"
    package var value: Value { .descriptor(self) }
}

extension WireType where Self == FileHandle {
    package init?(_ value: Value) { if case .descriptor(let it) = value { self = it } else { return nil } }
}

extension Array: WireReply, WireType where Element: WireType {
    package static var signature: Signature { Signature(unchecked: "a" + Element.signature.text) }

    package init?(_ value: Value) {
        guard let elements = Element.content(ofArray: value) else { return nil }
        self = elements
    }

    package var value: Value { Element.array(of: self) }
}

// Fast paths for arrays of most messages. The generic path looks types up at run time.

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

extension Dictionary: WireReply, WireType where Key: WireType, Value: WireType {
    package static var signature: Signature {
        Signature(unchecked: "a{" + Key.signature.text + Value.signature.text + "}")
    }

    /// If a key occurs twice, the last entry counts.
    package init?(_ value: DBus.Value) {
        guard case .dictionary(let key, let content, let entries) = value,
            key == Key.signature, content == Value.signature
        else { return nil }
        self.init(minimumCapacity: entries.count)
        for entry in entries {
            guard let key = Key(entry.key), let content = Value(entry.value) else { return nil }
            self[key] = content
        }
    }

    /// Sorted by key, so that equal dictionaries give equal messages, and parents precede their children.
    package var value: DBus.Value {
        var entries: [DBus.Value.Entry] = []
        entries.reserveCapacity(count)
        for (key, content) in self { entries.append(DBus.Value.Entry(key.value, content.value)) }
        if entries.count > 1 { entries.sort { $0.key.precedes($1.key) } }
        return .dictionary(key: Key.signature, value: Value.signature, entries)
    }
}

extension Value {
    /// Orders the keys of a dictionary, which all have the same type.
    fileprivate func precedes(_ other: Value) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)): left < right
        case (.path(let left), .path(let right)): left < right
        case (.uint16(let left), .uint16(let right)): left < right
        default: "\(self)" < "\(other)"
        }
    }
}

/// The reply of a method without result.
package struct Nothing: WireReply {
    package init?(reply: [Value]) {}
    package static var replySignature: [Signature] { [] }
    package var reply: [Value] { [] }
}

/// The reply of a method with two results.
package struct Pair<First: WireType, Second: WireType>: WireReply {
    package var first: First
    package var second: Second

    package init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    package init?(reply: [Value]) {
        guard reply.count == 2, let first = First(reply[0]), let second = Second(reply[1]) else { return nil }
        (self.first, self.second) = (first, second)
    }

    package static var replySignature: [Signature] { [First.signature, Second.signature] }
    package var reply: [Value] { [first.value, second.value] }
}
