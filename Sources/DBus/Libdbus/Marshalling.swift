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

    /// The deepest nesting of decoded values.
    static let deepest = 16

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

    static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
