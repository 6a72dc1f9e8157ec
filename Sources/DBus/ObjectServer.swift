/// The exported objects of a connection, with the standard interfaces that each has.
package final class ObjectServer {
    /// Whether calls wait, as if the program hung. Afterwards it answers all of them, in order and late.
    var isDeaf = false {
        didSet {
            guard !isDeaf else { return }
            let late = waiting
            waiting = []
            waitingBytes = 0
            for call in late { receive(from: call.sender) { _ in call } }
        }
    }

    /// Returns what to do with a call of this sender; `nil` to answer all calls.
    var admits: ((_ sender: BusName) -> Admission)?
    /// The calls that wait until their senders are known, and the approximate size of all.
    private var held: [BusName: [Invocation]] = [:]
    private var heldBytes = 0

    /// The largest size of all calls that wait.
    static let maxHeld = 4 << 20

    /// The objects, with the order in which they were exported.
    private var objects: [ObjectPath: (object: ExportedObject, number: Int)] = [:]
    private var exports = 0
    private var waiting: [Invocation] = []
    /// The approximate size of the waiting calls.
    private(set) var waitingBytes = 0

    package init() {}

    package func export(_ object: ExportedObject) {
        exports += 1
        objects[object.path] = (object, exports)
    }

    package func withdraw(_ path: ObjectPath) { objects[path] = nil }

    /// Takes a call, unless it is to be ignored.
    ///
    /// - Parameter call: returns the call, with or without its arguments; `nil` if it was refused.
    package func receive(from sender: BusName, _ call: (_ needsArguments: Bool) -> Invocation?) {
        guard !isDeaf else {
            guard let call = call(true) else { return }
            waitingBytes += call.approximateSize
            return waiting.append(call)
        }
        switch admits?(sender) ?? .answer {
        case .answer: if let call = call(true) { handle(call) }
        case .wait:
            guard heldBytes < Self.maxHeld, let call = call(true) else { return }
            heldBytes += call.approximateSize
            held[sender, default: []].append(call)
        case .refuse(let why): call(false)?.fail(BusError.limitsExceeded, message: why)
        case .ignore: break
        }
    }

    /// Takes the calls of a sender again that waited, or forgets them.
    func release(_ sender: BusName, answering: Bool) {
        for call in held.removeValue(forKey: sender) ?? [] {
            heldBytes -= call.approximateSize
            if answering { receive(from: sender) { _ in call } }
        }
    }

    /// Answers a call, or passes it to the object's handler.
    private func handle(_ call: Invocation) {
        guard let object = objects[call.path]?.object else {
            if call.member == Introspectable.introspect.name, hasChildren(call.path) {
                call.reply(Introspection.xml(of: [], children: children(of: call.path)))
            } else {
                call.fail("org.freedesktop.DBus.Error.UnknownObject", message: unknownMethod(call))
            }
            return
        }
        if own(object, for: call) { return }
        switch call.interface {
        case PropertiesInterface.name: properties(object, for: call)
        case Introspectable.name where call.member == Introspectable.introspect.name: introspect(object, for: call)
        case Peer.name where call.member == Peer.ping.name: call.reply()
        case ObjectManager.name where object.isManager && call.member == ObjectManager.getManagedObjects.name:
            call.reply([managedObjects(below: object.path)])
        default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", message: unknownMethod(call))
        }
    }

    /// Returns the objects at or below `path`, in the order in which they were exported. bluetoothctl ignores a device that
    /// precedes its adapter.
    private func managedObjects(below path: ObjectPath) -> Value {
        var all = objects.values.filter { $0.object.path.isAt(orBelow: path) && !$0.object.interfaces.isEmpty }
        all.sort { $0.number < $1.number }
        return .dictionary(
            key: ObjectPath.signature, value: ManagedObject.signature,
            all.map { object, _ in
                let added = object.interfacesAdded
                return Value.Entry(added[0], added[1])
            })
    }

    /// Returns whether an interface of the object itself takes the call.
    private func own(_ object: ExportedObject, for call: Invocation) -> Bool {
        for interface in object.interfaces where call.interface == nil || call.interface == interface.name {
            if let isAnswered = interface.answer(call) { return isAnswered }
        }
        return false
    }

    private func properties(_ object: ExportedObject, for call: Invocation) {
        let names = call.arguments.compactMap { String($0) }
        guard let first = names.first, let interface = InterfaceName(first).flatMap({ object[$0] }) else {
            return call.fail(
                "org.freedesktop.DBus.Error.InvalidArgs", message: "No such interface '\(names.first ?? "")'")
        }
        switch (call.member, call.signature) {
        case (PropertiesInterface.getAll.name, "s"): call.reply([interface.allProperties])
        case (PropertiesInterface.get.name, "ss"):
            guard let value = interface.property(names[1]) else {
                return call.fail("org.freedesktop.DBus.Error.InvalidArgs", message: "No such property '\(names[1])'")
            }
            call.reply([.variant(value)])
        case (PropertiesInterface.set.name, "ssv"): set(interface, name: names[1], for: call)
        default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", message: unknownMethod(call))
        }
    }

    private func set(_ interface: ExportedInterface, name: String, for call: Invocation) {
        guard let member = MemberName(name), let content = call.arguments.last.flatMap(Variant.init),
            let taken = interface.write(member, value: content.content)
        else {
            return call.fail(
                "org.freedesktop.DBus.Error.PropertyReadOnly", message: "Property '\(name)' is not writable")
        }
        if taken {
            call.reply()
        } else {
            call.fail("org.freedesktop.DBus.Error.InvalidArgs", message: "Property '\(name)' does not take this value")
        }
    }

    private func introspect(_ object: ExportedObject, for call: Invocation) {
        var tables = object.interfaces.map { ($0.name, $0.members) }
        tables.append((Introspectable.name, Introspectable.members))
        tables.append((PropertiesInterface.name, PropertiesInterface.members))
        if object.isManager { tables.append((ObjectManager.name, ObjectManager.members)) }
        call.reply(Introspection.xml(of: tables, children: children(of: object.path)))
    }

    private func hasChildren(_ path: ObjectPath) -> Bool {
        objects.keys.contains { $0 != path && $0.isAt(orBelow: path) }
    }

    private func children(of path: ObjectPath) -> [String] {
        let prefix = path == .root ? 1 : path.text.utf8.count + 1
        let names = objects.keys.filter { $0 != path && $0.isAt(orBelow: path) }
            .map { String($0.text.dropFirst(prefix).prefix { $0 != "/" }) }
        return Set(names).sorted()
    }

    private func unknownMethod(_ call: Invocation) -> String {
        let interface = call.interface.map(\.text) ?? "(null)"
        return "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface \"\(interface)\" "
            + "doesn't exist"
    }
}

/// What to do with a call of another program.
package enum Admission: Sendable, Hashable {
    case answer
    /// Keep the call until `Bus.release`.
    case wait
    /// Answer only that there were too many calls.
    case refuse(String)
    /// Answer nothing, because the answers would delay others.
    case ignore
}
