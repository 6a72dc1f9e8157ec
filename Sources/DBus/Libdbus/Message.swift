internal import CDBus

/// A libdbus message. It releases its reference when it ends.
struct Message: ~Copyable {
    let raw: OpaquePointer

    init?(owning raw: OpaquePointer?) {
        guard let raw else { return nil }
        self.raw = raw
    }

    deinit { dbus_message_unref(raw) }

    borrowing func copy() -> Message? { Message(owning: dbus_message_copy(raw)) }

    init?(_ call: MethodCall) {
        self.init(
            owning: dbus_message_new_method_call(
                call.destination.text, call.path.text, call.interface.text, call.member.text))
        dbus_message_set_auto_start(raw, call.options.autoStart ? 1 : 0)
        Marshalling.append(call.arguments, to: raw)
    }

    init?(_ signal: Signal) {
        self.init(owning: dbus_message_new_signal(signal.path.text, signal.interface.text, signal.member.text))
        Marshalling.append(signal.arguments, to: raw)
    }

    init?(answering call: borrowing Message, _ answer: Result<[Value], BusError>) {
        switch answer {
        case .success(let values):
            self.init(owning: dbus_message_new_method_return(call.raw))
            Marshalling.append(values, to: raw)
        case .failure(let error):
            let name = InterfaceName(error.name)?.text ?? "org.freedesktop.DBus.Error.Failed"
            let text: String = if case .remote(_, let message) = error { message } else { error.description }
            self.init(owning: dbus_message_new_error(call.raw, name, text))
        }
    }

    var type: Int32 { dbus_message_get_type(raw) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
    var sender: BusName? { Self.text(dbus_message_get_sender(raw)).map(BusName.init(unchecked:)) }
    /// Whether libdbus itself created it, without the bus.
    var isLocal: Bool { dbus_message_get_sender(raw) == nil }
    var path: ObjectPath? { Self.text(dbus_message_get_path(raw)).map(ObjectPath.init(unchecked:)) }
    var interface: InterfaceName? { Self.text(dbus_message_get_interface(raw)).map(InterfaceName.init(unchecked:)) }
    var member: MemberName? { Self.text(dbus_message_get_member(raw)).map(MemberName.init(unchecked:)) }
    var expectsReply: Bool { dbus_message_get_no_reply(raw) == 0 }

    /// The error in this message; `nil` for other messages.
    var error: BusError? {
        guard type == DBUS_MESSAGE_TYPE_ERROR else { return nil }
        return .remote(
            name: Self.text(dbus_message_get_error_name(raw)) ?? "",
            message: BusError.text(Marshalling.firstString(of: raw) ?? ""))
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

/// A message that outlives the function that received it.
final class SharedMessage {
    let message: Message

    init(_ message: consuming Message) { self.message = message }
}
