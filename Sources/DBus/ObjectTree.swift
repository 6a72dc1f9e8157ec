/// Our copy of a service's objects: what they are and what they said last. Pure: messages in, changes out.
package struct ObjectTree: Sendable {
    package private(set) var objects: [ObjectPath: ManagedObject] = [:]
    /// Where each interface is: a tree of thousands is never searched.
    private var holders: [String: Set<ObjectPath>] = [:]
    /// In order, so that what stands below an object follows it at once: nothing in a name sorts before the slash.
    private var order: [ObjectPath] = []

    package init() {}

    /// What a message changed.
    package enum Change: Sendable, Hashable {
        case added(ObjectPath, InterfaceName)
        case removed(ObjectPath, InterfaceName)
        /// The properties that now have another value or none; all that were named, for a value that came anew.
        case changed(ObjectPath, InterfaceName, [String])
    }

    package subscript<Content>(_ path: ObjectPath, _ property: Property<Content>) -> Content? {
        objects[path]?[property.interface.text]?[property]
    }

    package func has(_ interface: InterfaceName, at path: ObjectPath) -> Bool {
        objects[path]?[interface.text] != nil
    }

    /// The objects with this interface, in the order of their paths.
    package func paths(with interface: InterfaceName, below ancestor: ObjectPath = .root) -> [ObjectPath] {
        guard ancestor != .root else { return (holders[interface.text] ?? []).sorted() }
        return order[place(of: ancestor)...].prefix { $0.isAt(orBelow: ancestor) }.filter { has(interface, at: $0) }
    }

    /// Everything below an object, in the order of the paths: parents before their children.
    package func objects(below ancestor: ObjectPath) -> [(path: ObjectPath, object: ManagedObject)] {
        order[place(of: ancestor)...].prefix { $0.isAt(orBelow: ancestor) }.compactMap { path in
            path == ancestor ? nil : objects[path].map { (path, $0) }
        }
    }

    /// Where a path is in the order, or would be.
    private func place(of path: ObjectPath) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Takes a fresh copy of everything in place of what was known.
    package mutating func replace(with snapshot: [ObjectPath: ManagedObject]) {
        self = ObjectTree()
        objects = snapshot
        order = snapshot.keys.sorted()
        for (path, object) in snapshot { for name in object.names { holders[name, default: []].insert(path) } }
    }

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
        let interfaces = object.names.compactMap { InterfaceName($0) }
        guard !interfaces.isEmpty else { return [] }
        if var known = objects.updateValue(object, forKey: path) {
            known.take(object)
            objects[path] = known
        } else {
            order.insert(path, at: place(of: path))
        }
        for interface in interfaces { holders[interface.text, default: []].insert(path) }
        return interfaces.map { .added(path, $0) }
    }

    private mutating func removed(_ arguments: [Value]) -> [Change] {
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let names = [String](arguments[1])
        else { return [] }
        guard var object = objects.removeValue(forKey: path) else { return [] }
        var changes: [Change] = []
        for name in names where object[name] != nil {
            object[name] = nil
            holders[name]?.remove(path)
            if let interface = InterfaceName(name) { changes.append(.removed(path, interface)) }
        }
        if object.isEmpty { dropFromOrder(path) } else { objects[path] = object }
        return changes
    }

    /// Forgets an object and all that stands below it, as if it had never been told.
    package mutating func forget(_ ancestor: ObjectPath) {
        let start = place(of: ancestor)
        let gone = order[start...].prefix { $0.isAt(orBelow: ancestor) }
        order.removeSubrange(start..<start + gone.count)
        for path in gone {
            for name in (objects.removeValue(forKey: path) ?? [:]).names { holders[name]?.remove(path) }
        }
    }

    private mutating func dropFromOrder(_ path: ObjectPath) {
        let place = place(of: path)
        if place < order.count, order[place] == path { order.remove(at: place) }
    }

    private mutating func changed(_ signal: Signal) -> [Change] {
        let arguments = signal.arguments
        guard arguments.count == 3, let name = String(arguments[0]), let interface = InterfaceName(name),
            let properties = Properties(arguments[1]), let invalidated = [String](arguments[2]),
            objects[signal.path]?.change(name, { $0.take(properties, without: invalidated) }) == true
        else { return [] }
        return [.changed(signal.path, interface, properties.names + invalidated)]
    }
}
