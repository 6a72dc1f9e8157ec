/// An object of this program, which answers calls at its path.
package final class ExportedObject {
    package let path: ObjectPath
    package private(set) var interfaces: [ExportedInterface]
    /// Whether the object answers GetManagedObjects, for all objects below it.
    package let isManager: Bool

    package init(_ path: ObjectPath, isManager: Bool = false, _ interfaces: [ExportedInterface] = []) {
        self.path = path
        self.isManager = isManager
        self.interfaces = interfaces
    }

    package subscript(_ name: InterfaceName) -> ExportedInterface? { interfaces.first { $0.name == name } }

    package func add(_ interface: ExportedInterface) { interfaces.append(interface) }

    package func remove(_ name: InterfaceName) {
        if let place = interfaces.firstIndex(where: { $0.name == name }) { interfaces.remove(at: place) }
    }

    /// The arguments of InterfacesAdded: the path, and all interfaces with their properties.
    package var interfacesAdded: [Value] { interfacesAdded(interfaces) }

    /// Returns the arguments of InterfacesAdded for some of its interfaces.
    package func interfacesAdded(_ interfaces: [ExportedInterface]) -> [Value] {
        let managed = interfaces.map { Value.Entry(.string($0.name.text), $0.allProperties) }
        return [path.value, .dictionary(key: String.signature, value: Properties.signature, managed)]
    }

    package var interfacesRemoved: [Value] { [path.value, interfaces.map(\.name.text).value] }
}

/// A call to an exported object. It must be answered once.
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

    package func fail(_ name: String, message: String) {
        answer?(.failure(.remote(name: name, message: message)))
        answer = nil
    }

    /// The approximate size of its message in bytes.
    var approximateSize: Int { arguments.reduce(256) { $0 + $1.approximateSize } }

    var signature: String {
        if arguments.count == 1 { return arguments[0].code }
        return arguments.reduce(into: "") { $0 += $1.code }
    }
}
