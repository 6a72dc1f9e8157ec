/// Our copy of a service's objects: what they are and what they said last. Pure: messages in, changes out.
package struct ObjectTree: Sendable {
    package private(set) var objects: [ObjectPath: ManagedObject] = [:]

    package init() {}

    /// What a message changed.
    package enum Change: Sendable, Hashable {
        case added(ObjectPath, InterfaceName)
        case removed(ObjectPath, InterfaceName)
        /// The properties that now have another value or none; all that were named, for a value that came anew.
        case changed(ObjectPath, InterfaceName, [String])
    }

    package subscript<Content>(_ path: ObjectPath, _ property: Property<Content>) -> Content? {
        objects[path]?[property.interface.text]?[property.name.text].flatMap { Content($0.content) }
    }

    package func has(_ interface: InterfaceName, at path: ObjectPath) -> Bool {
        objects[path]?[interface.text] != nil
    }

    /// The objects with this interface, in the order of their paths.
    package func paths(with interface: InterfaceName, below ancestor: ObjectPath = .root) -> [ObjectPath] {
        objects.filter { $0.key.isAt(orBelow: ancestor) && $0.value[interface.text] != nil }.keys.sorted()
    }

    /// Takes a fresh copy of everything in place of what was known.
    package mutating func replace(with snapshot: [ObjectPath: ManagedObject]) { objects = snapshot }

    package mutating func apply(_ signal: Signal) -> [Change] {
        switch (signal.interface, signal.member) {
        case (ObjectManager.name, ObjectManager.interfacesAdded.name): added(signal.arguments)
        case (ObjectManager.name, ObjectManager.interfacesRemoved.name): removed(signal.arguments)
        case (PropertiesInterface.name, PropertiesInterface.propertiesChanged.name): changed(signal)
        default: []
        }
    }

    private mutating func added(_ arguments: [Value]) -> [Change] {
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let object = ManagedObject(arguments[1])
        else { return [] }
        var changes: [Change] = []
        for (name, properties) in object.sorted(by: { $0.key < $1.key }) {
            guard let interface = InterfaceName(name) else { continue }
            objects[path, default: [:]][name] = properties
            changes.append(.added(path, interface))
        }
        return changes
    }

    private mutating func removed(_ arguments: [Value]) -> [Change] {
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let names = [String](arguments[1])
        else { return [] }
        var changes: [Change] = []
        for name in names where objects[path]?.removeValue(forKey: name) != nil {
            if let interface = InterfaceName(name) { changes.append(.removed(path, interface)) }
        }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return changes
    }

    private mutating func changed(_ signal: Signal) -> [Change] {
        let arguments = signal.arguments
        guard arguments.count == 3, let name = String(arguments[0]), let interface = InterfaceName(name),
            let properties = Properties(arguments[1]), let invalidated = [String](arguments[2]),
            objects[signal.path]?[name] != nil
        else { return [] }
        for (key, value) in properties { objects[signal.path]?[name]?[key] = value }
        for key in invalidated { objects[signal.path]?[name]?[key] = nil }
        return [.changed(signal.path, interface, properties.keys.sorted() + invalidated)]
    }
}
