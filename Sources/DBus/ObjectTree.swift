/// A copy of a service's objects and properties. Pure: messages in, changes out.
package struct ObjectTree: Sendable {
    package private(set) var objects: [ObjectPath: ManagedObject] = [:]
    /// The paths of objects with an indexed interface, to avoid a search of the tree.
    private var holders: [(interface: String, paths: [ObjectPath])]
    /// The paths, sorted. An object's children follow it directly, because no character of a name sorts before `/`.
    private var order: [ObjectPath] = []

    package init(indexing interfaces: [InterfaceName] = []) { holders = interfaces.map { ($0.text, []) } }

    package enum Change: Sendable, Hashable {
        case added(ObjectPath, InterfaceName)
        case removed(ObjectPath, InterfaceName)
        /// The properties that changed or were removed. If a value didn't change, all properties of the message.
        case changed(ObjectPath, InterfaceName, [String])
    }

    package subscript<Content>(_ path: ObjectPath, _ property: Property<Content>) -> Content? {
        objects[path]?[property.interface.text]?[property]
    }

    package func has(_ interface: InterfaceName, at path: ObjectPath) -> Bool { objects[path]?[interface.text] != nil }

    /// Returns the objects with this interface, in the order of their paths.
    package func paths(with interface: InterfaceName, below ancestor: ObjectPath = .root) -> [ObjectPath] {
        if ancestor == .root, let holder = holders.first(where: { $0.interface == interface.text }) {
            return holder.paths
        }
        return order[order.place(of: ancestor)...].prefix { $0.isAt(orBelow: ancestor) }
            .filter { has(interface, at: $0) }
    }

    /// Returns the objects below an object, parents before their children.
    package func objects(below ancestor: ObjectPath) -> [(path: ObjectPath, object: ManagedObject)] {
        order[order.place(of: ancestor)...].prefix { $0.isAt(orBelow: ancestor) }.compactMap { path in
            path == ancestor ? nil : objects[path].map { (path, $0) }
        }
    }

    package mutating func replace(with snapshot: [ObjectPath: ManagedObject]) {
        objects = snapshot
        order = snapshot.keys.sorted()
        for place in holders.indices {
            let interface = holders[place].interface
            holders[place].paths = order.filter { snapshot[$0]?[interface] != nil }
        }
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
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let object = ManagedObject(arguments[1]),
            !object.isEmpty
        else { return [] }
        if var known = objects.updateValue(object, forKey: path) {
            known.merge(object)
            objects[path] = known
        } else {
            order.add(path)
        }
        for place in holders.indices where object[holders[place].interface] != nil { holders[place].paths.add(path) }
        return object.interfaces.map { .added(path, $0.name) }
    }

    private mutating func removed(_ arguments: [Value]) -> [Change] {
        guard arguments.count == 2, let path = ObjectPath(arguments[0]),
            case .array(String.signature, let names) = arguments[1], var object = objects.removeValue(forKey: path)
        else { return [] }
        var changes: [Change] = []
        for case .string(let name) in names {
            guard let interface = object.remove(name) else { continue }
            for place in holders.indices where holders[place].interface == name { holders[place].paths.drop(path) }
            changes.append(.removed(path, interface))
        }
        if object.isEmpty { order.drop(path) } else { objects[path] = object }
        return changes
    }

    /// Removes an object and all objects below it.
    package mutating func forget(_ ancestor: ObjectPath) {
        for path in order.drop(below: ancestor) { objects[path] = nil }
        for place in holders.indices { holders[place].paths.drop(below: ancestor) }
    }

    private mutating func changed(_ signal: Signal) -> [Change] {
        let arguments = signal.arguments
        guard arguments.count == 3, let name = String(arguments[0]), let properties = Properties(arguments[1]),
            let invalidated = [String](arguments[2]),
            let interface = objects[signal.path]?.change(name, change: { $0.apply(properties, without: invalidated) })
        else { return [] }
        return [.changed(signal.path, interface, properties.names + invalidated)]
    }
}

/// Sorted paths.
extension [ObjectPath] {
    /// Returns the index of a path, or the index to insert it at.
    fileprivate func place(of path: ObjectPath) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func add(_ path: ObjectPath) {
        let place = place(of: path)
        if place == count || self[place] != path { insert(path, at: place) }
    }

    fileprivate mutating func drop(_ path: ObjectPath) {
        let place = place(of: path)
        if place < count, self[place] == path { remove(at: place) }
    }

    /// Removes a path and all paths below it.
    @discardableResult
    fileprivate mutating func drop(below ancestor: ObjectPath) -> [ObjectPath] {
        let start = place(of: ancestor)
        let gone = Array(self[start...].prefix { $0.isAt(orBelow: ancestor) })
        removeSubrange(start..<start + gone.count)
        return gone
    }
}
