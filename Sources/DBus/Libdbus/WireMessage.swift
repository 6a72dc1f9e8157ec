internal import CDBus

/// Messages in wire format, for tests that send malformed ones.
package enum WireMessage {
    /// A message that libdbus accepted.
    package struct Content: Sendable {
        package var sender: BusName?
        package var path: ObjectPath?
        package var interface: InterfaceName?
        package var member: MemberName?
        package var error: BusError?
        package var values: Result<[Value], BusError>
    }

    /// Returns the bytes of a signal from `sender`.
    package static func bytes(of signal: Signal, from sender: BusName) -> [UInt8] {
        bytes(of: Message(signal), from: sender)
    }

    package static func bytes(of call: MethodCall, from sender: BusName) -> [UInt8] {
        bytes(of: Message(call), from: sender)
    }

    private static func bytes(of message: consuming Message?, from sender: BusName) -> [UInt8] {
        guard let message else { return [] }
        dbus_message_set_serial(message.raw, 1)
        dbus_message_set_sender(message.raw, sender.text)
        var text: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(message.raw, &text, &count) != 0, let text else { return [] }
        defer { dbus_free(text) }
        return UnsafeBufferPointer(start: text, count: max(0, Int(count))).map { UInt8(bitPattern: $0) }
    }

    /// Decodes bytes like a message from a bus. Returns `nil` when libdbus would end the connection because of them.
    package static func read(_ bytes: [UInt8]) -> Content? {
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        let raw = bytes.withUnsafeBytes { buffer in
            dbus_message_demarshal(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count), &error)
        }
        guard let message = Message(owning: raw) else { return nil }
        let values: Result<[Value], BusError>
        do throws(BusError) { values = .success(try Marshalling.values(of: message.raw, atMost: 1 << 20)) } catch {
            values = .failure(error)
        }
        return Content(
            sender: message.sender, path: message.path, interface: message.interface, member: message.member,
            error: message.error, values: values)
    }
}
