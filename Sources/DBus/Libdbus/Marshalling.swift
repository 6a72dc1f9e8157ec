internal import CDBus

/// Encodes values to libdbus messages, and decodes them. Decoding has limits of depth and size, and never traps.
enum Marshalling {
    // MARK: Encoding

    static func append(_ values: [Value], to message: OpaquePointer) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values { append(value, to: &iterator) }
    }

    private static func append(_ value: Value, to iterator: inout DBusMessageIter) {
        switch value {
        case .byte(let it): basic("y", value: it, to: &iterator)
        case .boolean(let it): basic("b", value: dbus_bool_t(it ? 1 : 0), to: &iterator)
        case .int16(let it): basic("n", value: it, to: &iterator)
        case .uint16(let it): basic("q", value: it, to: &iterator)
        case .int32(let it): basic("i", value: it, to: &iterator)
        case .uint32(let it): basic("u", value: it, to: &iterator)
        case .int64(let it): basic("x", value: it, to: &iterator)
        case .uint64(let it): basic("t", value: it, to: &iterator)
        case .double(let it): basic("d", value: it, to: &iterator)
        case .string(let it): it.withCString { basic("s", value: $0, to: &iterator) }
        case .path(let it): it.text.withCString { basic("o", value: $0, to: &iterator) }
        case .signature(let it): it.text.withCString { basic("g", value: $0, to: &iterator) }
        case .descriptor(let it): basic("h", value: it.descriptor, to: &iterator)
        case .bytes(let bytes): append(bytes, to: &iterator)
        case .array(let element, let values):
            container("a", contents: element.text, to: &iterator) { inner in
                for value in values { append(value, to: &inner) }
            }
        case .dictionary(let key, let content, let entries):
            container("a", contents: "{" + key.text + content.text + "}", to: &iterator) { inner in
                for entry in entries {
                    container("e", contents: nil, to: &inner) { pair in
                        append(entry.key, to: &pair)
                        append(entry.value, to: &pair)
                    }
                }
            }
        case .structure(let members):
            container("r", contents: nil, to: &iterator) { inner in
                for member in members { append(member, to: &inner) }
            }
        case .variant(let content):
            container("v", contents: content.signature.text, to: &iterator) { append(content, to: &$0) }
        }
    }

    private static func basic<T>(_ code: Unicode.Scalar, value: T, to iterator: inout DBusMessageIter) {
        withUnsafePointer(to: value) { _ = dbus_message_iter_append_basic(&iterator, Int32(code.value), $0) }
    }

    private static func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) {
        container("a", contents: "y", to: &iterator) { inner in
            bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
                withUnsafePointer(to: base) {
                    _ = dbus_message_iter_append_fixed_array(&inner, code("y"), $0, Int32(clamping: buffer.count))
                }
            }
        }
    }

    private static func container(
        _ type: Unicode.Scalar, contents: String?, to iterator: inout DBusMessageIter,
        fill: (inout DBusMessageIter) -> Void
    ) {
        var inner = DBusMessageIter()
        if let contents {
            contents.withCString { _ = dbus_message_iter_open_container(&iterator, Int32(type.value), $0, &inner) }
        } else {
            dbus_message_iter_open_container(&iterator, Int32(type.value), nil, &inner)
        }
        fill(&inner)
        dbus_message_iter_close_container(&iterator, &inner)
    }

    // MARK: Decoding

    /// - Parameter wants: which entries of a dictionary keyed by object paths to decode; others are skipped.
    static func values(
        of message: OpaquePointer, atMost bytes: Int, wants: ((ObjectPath) -> Bool)? = nil
    ) throws(BusError) -> [Value] {
        var reader = ValueReader(left: bytes, wants: wants)
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return try reader.sequence(&iterator, depth: 0)
    }

    /// Returns the first argument, if it is a string. Match rules compare it.
    static func firstString(of message: OpaquePointer) -> String? {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0,
            dbus_message_iter_get_arg_type(&iterator) == code("s")
        else { return nil }
        return ValueReader.text(&iterator)
    }
}

private func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

/// Reads values from a libdbus message, within limits.
private struct ValueReader {
    /// The bytes that the rest may have.
    var left: Int
    let wants: ((ObjectPath) -> Bool)?

    private static let deepest = 16

    mutating func sequence(_ iterator: inout DBusMessageIter, depth: Int) throws(BusError) -> [Value] {
        guard dbus_message_iter_get_arg_type(&iterator) != 0 else { return [] }
        var values = [try value(&iterator, depth: depth)]
        while dbus_message_iter_next(&iterator) != 0 { values.append(try value(&iterator, depth: depth)) }
        return values
    }

    mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws(BusError) -> Value {
        guard depth <= Self.deepest else { throw .malformed("nested too deeply") }
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
        case code("y"): return .bytes(try bytes(&inner))
        case code("e"): return try dictionary(&inner, signature: Self.signature(&iterator), depth: depth)
        default:
            let signature = Signature(unchecked: String(Self.signature(&iterator).dropFirst()))
            return .array(signature, try sequence(&inner, depth: depth + 1))
        }
    }

    private mutating func bytes(_ inner: inout DBusMessageIter) throws(BusError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) { dbus_message_iter_get_fixed_array(&inner, $0, &count) }
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
            if isWanted(name), dbus_message_iter_next(&pair) != 0 {
                entries.append(Value.Entry(name, try value(&pair, depth: depth + 1)))
            }
            dbus_message_iter_next(&inner)
        }
        return .dictionary(key: key, value: content, entries)
    }

    private func isWanted(_ key: Value) -> Bool {
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
