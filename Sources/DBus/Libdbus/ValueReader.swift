internal import CDBus

/// Reads values from a libdbus message, within limits.
struct ValueReader {
    var left: Int
    let wants: ((ObjectPath) -> Bool)?

    mutating func sequence(_ iterator: inout DBusMessageIter, depth: Int) throws(BusError) -> [Value] {
        guard dbus_message_iter_get_arg_type(&iterator) != 0 else { return [] }
        var values = [try value(&iterator, depth: depth)]
        while dbus_message_iter_next(&iterator) != 0 { values.append(try value(&iterator, depth: depth)) }
        return values
    }

    mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws(BusError) -> Value {
        guard depth <= Marshalling.deepest else { throw .malformed("nested too deeply") }
        try spend(8)
        switch UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator)) {
        case UInt8(ascii: "y"): return .byte(Self.basic(&iterator, 0))
        case UInt8(ascii: "b"): return .boolean(Self.basic(&iterator, dbus_bool_t(0)) != 0)
        case UInt8(ascii: "n"): return .int16(Self.basic(&iterator, 0))
        case UInt8(ascii: "q"): return .uint16(Self.basic(&iterator, 0))
        case UInt8(ascii: "i"): return .int32(Self.basic(&iterator, 0))
        case UInt8(ascii: "u"): return .uint32(Self.basic(&iterator, 0))
        case UInt8(ascii: "x"): return .int64(Self.basic(&iterator, 0))
        case UInt8(ascii: "t"): return .uint64(Self.basic(&iterator, 0))
        case UInt8(ascii: "d"): return .double(Self.basic(&iterator, 0))
        case UInt8(ascii: "s"): return .string(try text(&iterator))
        case UInt8(ascii: "o"): return .path(ObjectPath(unchecked: try text(&iterator)))
        case UInt8(ascii: "g"): return .signature(Signature(unchecked: try text(&iterator)))
        case UInt8(ascii: "h"): return .descriptor(FileHandle(owning: Self.basic(&iterator, -1)))
        case UInt8(ascii: "a"): return try array(&iterator, depth: depth)
        case UInt8(ascii: "r"):
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .structure(try sequence(&inner, depth: depth + 1))
        case UInt8(ascii: "v"):
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .variant(try value(&inner, depth: depth + 1))
        default: throw .malformed("unknown type")
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter, depth: Int) throws(BusError) -> Value {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        switch dbus_message_iter_get_element_type(&iterator) {
        case Marshalling.code("y"): return .bytes(try bytes(&inner))
        case Marshalling.code("e"): return try dictionary(&inner, signature: Self.signature(&iterator), depth: depth)
        default:
            let signature = Signature(unchecked: String(Self.signature(&iterator).dropFirst()))
            return .array(signature, try sequence(&inner, depth: depth + 1))
        }
    }

    private mutating func bytes(_ inner: inout DBusMessageIter) throws(BusError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) {
            dbus_message_iter_get_fixed_array(&inner, $0, &count)
        }
        try spend(Int(count))
        return Array(UnsafeBufferPointer(start: start, count: max(0, Int(count))))
    }

    /// - Parameter signature: the signature of the array, such as `a{sv}`. The key is one letter.
    private mutating func dictionary(
        _ inner: inout DBusMessageIter, signature: String, depth: Int
    ) throws(BusError) -> Value {
        let key = Signature(unchecked: String(signature.dropFirst(2).prefix(1)))
        let content = Signature(unchecked: String(signature.dropFirst(3).dropLast()))
        var entries: [Value.Entry] = []
        while dbus_message_iter_get_arg_type(&inner) != 0 {
            var pair = DBusMessageIter()
            dbus_message_iter_recurse(&inner, &pair)
            let name = try value(&pair, depth: depth + 1)
            if try isWanted(name), dbus_message_iter_next(&pair) != 0 {
                entries.append(Value.Entry(name, try value(&pair, depth: depth + 1)))
            }
            dbus_message_iter_next(&inner)
        }
        return .dictionary(key: key, value: content, entries)
    }

    private func isWanted(_ key: Value) throws(BusError) -> Bool {
        guard let wants, case .path(let path) = key else { return true }
        return wants(path)
    }

    private mutating func spend(_ bytes: Int) throws(BusError) {
        left -= bytes
        if left < 0 { throw .malformed("too large") }
    }

    private mutating func text(_ iterator: inout DBusMessageIter) throws(BusError) -> String {
        let text = Self.text(&iterator)
        try spend(text.utf8.count)
        return text
    }

    static func text(_ iterator: inout DBusMessageIter) -> String {
        var text: UnsafePointer<CChar>?
        withUnsafeMutablePointer(to: &text) { dbus_message_iter_get_basic(&iterator, $0) }
        return text.map { String(cString: $0) } ?? ""
    }

    private static func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ zero: T) -> T {
        var value = zero
        withUnsafeMutablePointer(to: &value) { dbus_message_iter_get_basic(&iterator, $0) }
        return value
    }

    private static func signature(_ iterator: inout DBusMessageIter) -> String {
        guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }
}
