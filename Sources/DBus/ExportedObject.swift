/// One of our own objects: what answers calls at its path.
package final class ExportedObject {
    package let path: ObjectPath
    package private(set) var interfaces: [ExportedInterface]
    /// Whether GetManagedObjects is answered here, for everything that stands below.
    package let isManager: Bool

    package init(_ path: ObjectPath, isManager: Bool = false, _ interfaces: [ExportedInterface] = []) {
        self.path = path
        self.isManager = isManager
        self.interfaces = interfaces
    }

    package subscript(_ name: InterfaceName) -> ExportedInterface? { interfaces.first { $0.name == name } }

    package func add(_ interface: ExportedInterface) { interfaces.append(interface) }

    package func remove(_ name: InterfaceName) { interfaces.removeAll { $0.name == name } }

    /// All interfaces with their properties, as InterfacesAdded and GetManagedObjects tell them.
    package var managed: Value { Self.managed(interfaces) }

    package static func managed(_ interfaces: [ExportedInterface]) -> Value {
        .dictionary(
            key: String.signature, value: Properties.signature,
            interfaces.map { Value.Entry(.string($0.name.text), $0.told) })
    }
}

/// An interface of one of our own objects: its table, and what its members do.
package final class ExportedInterface {
    package let name: InterfaceName
    package let members: [any Member]
    private var handlers: [(member: MemberName, handler: Handler)] = []
    private var properties: [ServedProperty] = []
    private var writers: [MemberName: (Value) -> Bool] = [:]

    package init<Table: Interface>(_ table: Table.Type) {
        name = table.name
        members = table.members
    }

    /// Answers calls of `method`: at once or later, through the invocation.
    package func handle<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ handler: @escaping (Invocation) -> Void
    ) {
        var signature = ""
        for one in repeat (each Input).self { signature += one.signature.text }
        handlers.append((method.name, Handler(signature: signature, handle: handler)))
    }

    /// What answers a method, and the signature that its arguments must have.
    struct Handler {
        let signature: String
        let handle: (Invocation) -> Void
    }

    /// Serves a property; `nil` means that it is not there at the moment.
    package func serve(_ name: MemberName, _ read: @escaping () -> Value?) {
        properties.append(ServedProperty(name: name, read: read))
    }

    /// Serves a property that stays as it is.
    package func serve<Content>(_ property: Property<Content>, always content: Content) {
        let value = content.value
        properties.append(
            ServedProperty(name: property.name, entry: Self.entry(property.name, value), read: { value }))
    }

    private struct ServedProperty {
        let name: MemberName
        /// As a message has it, where it never changes.
        var entry: Value.Entry?
        let read: () -> Value?
    }

    private static func entry(_ name: MemberName, _ value: Value) -> Value.Entry {
        Value.Entry(.string(name.text), .variant(value))
    }

    /// Lets others set a property; the closure says whether it was taken.
    package func accept<Content>(_ property: Property<Content>, _ write: @escaping (Content) -> Bool) {
        writers[property.name] = { Content($0).map(write) ?? false }
    }

    /// All properties as a message has them.
    var told: Value {
        var entries: [Value.Entry] = []
        entries.reserveCapacity(properties.count)
        for place in properties.indices {
            if let entry = properties[place].entry {
                entries.append(entry)
            } else if let value = properties[place].read() {
                entries.append(Self.entry(properties[place].name, value))
            }
        }
        return .dictionary(key: String.signature, value: Variant.signature, entries)
    }

    func handler(_ member: MemberName) -> Handler? { handlers.last { $0.member == member }?.handler }

    package func property(_ name: String) -> Value? { properties.first { $0.name.text == name }?.read() }

    func write(_ name: MemberName, _ value: Value) -> Bool? { writers[name].map { $0(value) } }
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

    var signature: String {
        if arguments.count == 1 { return arguments[0].signature.text }
        return arguments.reduce(into: "") { $0 += $1.signature.text }
    }
}
