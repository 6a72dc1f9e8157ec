/// One of our own objects: what answers calls at its path.
package final class ExportedObject {
    package let path: ObjectPath
    package private(set) var interfaces: [ExportedInterface]
    /// Whether GetManagedObjects is answered here, for everything that stands below.
    package let isManager: Bool
    /// What was told of it last, and of which state.
    private var addition: (arguments: [Value], edition: Int)?
    private var removal: [Value]?

    package init(_ path: ObjectPath, isManager: Bool = false, _ interfaces: [ExportedInterface] = []) {
        self.path = path
        self.isManager = isManager
        self.interfaces = interfaces
    }

    package subscript(_ name: InterfaceName) -> ExportedInterface? { interfaces.first { $0.name == name } }

    package func add(_ interface: ExportedInterface) { change { $0.append(interface) } }

    package func remove(_ name: InterfaceName) {
        change { interfaces in
            if let place = interfaces.firstIndex(where: { $0.name == name }) { interfaces.remove(at: place) }
        }
    }

    private func change(_ change: (inout [ExportedInterface]) -> Void) {
        change(&interfaces)
        addition = nil
        removal = nil
    }

    /// What InterfacesAdded and GetManagedObjects tell of it: its path, and all interfaces with their properties.
    /// The same objects are told again and again, so that this is made anew only when a property has changed.
    package var told: [Value] {
        guard let edition else { return told(interfaces) }
        if let addition, addition.edition == edition { return addition.arguments }
        let arguments = told(interfaces)
        addition = (arguments, edition)
        return arguments
    }

    /// Of those that have one interface only, which are nearly all.
    private var edition: Int? { interfaces.count == 1 ? interfaces[0].edition : nil }

    /// What InterfacesAdded tells of some of its interfaces.
    package func told(_ interfaces: [ExportedInterface]) -> [Value] {
        let managed = interfaces.map { Value.Entry(.string($0.name.text), $0.told) }
        return [path.value, .dictionary(key: String.signature, value: Properties.signature, managed)]
    }

    /// What InterfacesRemoved tells when it goes: its path, and the names of all interfaces.
    package var toldGone: [Value] {
        if let removal { return removal }
        let arguments = [path.value, interfaces.map(\.name.text).value]
        removal = arguments
        return arguments
    }
}

/// A call that somebody made to one of our objects, to be answered once.
package final class Invocation {
    package let sender: BusName
    package let path: ObjectPath
    package let interface: InterfaceName?
    package let member: MemberName
    package let arguments: [Value]
    private var answer: ((Result<[Value], BusError>) -> Void)?

    package init(
        sender: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName, arguments: [Value],
        answer: @escaping (Result<[Value], BusError>) -> Void
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.answer = answer
    }

    package func reply(_ values: [Value] = []) {
        answer?(.success(values))
        answer = nil
    }

    package func reply(_ output: some WireReply) { reply(output.reply) }

    package func fail(_ name: String, _ message: String) {
        answer?(.failure(.remote(name: name, message: message)))
        answer = nil
    }

    /// The size of its message in bytes: a header, and the arguments.
    var approximateSize: Int { arguments.reduce(256) { $0 + $1.approximateSize } }

    var signature: String {
        if arguments.count == 1 { return arguments[0].signature.text }
        return arguments.reduce(into: "") { $0 += $1.signature.text }
    }
}
