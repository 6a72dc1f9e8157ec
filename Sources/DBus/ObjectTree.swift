/// Our copy of a service's objects: what they are and what they said last. Pure: messages in, changes out.
package struct ObjectTree: Sendable {
    package private(set) var objects: [ObjectPath: ManagedObject] = [:]
    /// Where each interface is, and what stands right below each path: a tree of thousands is never searched.
    private var holders: [String: Set<ObjectPath>] = [:]
    private var children: [ObjectPath: Set<ObjectPath>] = [:]

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
        guard ancestor != .root else { return (holders[interface.text] ?? []).sorted() }
        var found: [ObjectPath] = []
        var open = [ancestor]
        while let path = open.popLast() {
            if has(interface, at: path) { found.append(path) }
            open += children[path] ?? []
        }
        return found.sorted()
    }

    /// Everything below an object, in the order of the paths: parents before their children.
    package func objects(below ancestor: ObjectPath) -> [(path: ObjectPath, object: ManagedObject)] {
        var found: [(path: ObjectPath, object: ManagedObject)] = []
        var open = Array(children[ancestor] ?? [])
        while let path = open.popLast() {
            if let object = objects[path] { found.append((path, object)) }
            open += children[path] ?? []
        }
        return found.sorted { $0.path < $1.path }
    }

    /// Takes a fresh copy of everything in place of what was known.
    package mutating func replace(with snapshot: [ObjectPath: ManagedObject]) {
        self = ObjectTree()
        objects = snapshot
        for (path, object) in snapshot {
            link(path)
            for name in object.keys { holders[name, default: []].insert(path) }
        }
    }

    /// Makes the path known to its parents, which need not be objects themselves.
    private mutating func link(_ path: ObjectPath) {
        var child = path
        while let parent = child.parent, children[parent, default: []].insert(child).inserted { child = parent }
    }

    /// Forgets a path that neither is an object nor has any below it.
    private mutating func unlink(_ path: ObjectPath) {
        var child = path
        while objects[child] == nil, children[child] == nil, let parent = child.parent {
            children[parent]?.remove(child)
            if children[parent]?.isEmpty == true { children[parent] = nil }
            child = parent
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
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let object = ManagedObject(arguments[1])
        else { return [] }
        var changes: [Change] = []
        for (name, properties) in object.sorted(by: { $0.key < $1.key }) {
            guard let interface = InterfaceName(name) else { continue }
            objects[path, default: [:]][name] = properties
            holders[name, default: []].insert(path)
            link(path)
            changes.append(.added(path, interface))
        }
        return changes
    }

    private mutating func removed(_ arguments: [Value]) -> [Change] {
        guard arguments.count == 2, let path = ObjectPath(arguments[0]), let names = [String](arguments[1])
        else { return [] }
        var changes: [Change] = []
        for name in names where objects[path]?.removeValue(forKey: name) != nil {
            holders[name]?.remove(path)
            if let interface = InterfaceName(name) { changes.append(.removed(path, interface)) }
        }
        if objects[path]?.isEmpty == true {
            objects[path] = nil
            unlink(path)
        }
        return changes
    }

    /// Forgets an object and all that stands below it, as if it had never been told.
    package mutating func forget(_ ancestor: ObjectPath) {
        var open = [ancestor]
        var found: [ObjectPath] = []
        while let path = open.popLast() {
            found.append(path)
            open += children[path] ?? []
        }
        for path in found.reversed() {
            for name in (objects.removeValue(forKey: path) ?? [:]).keys { holders[name]?.remove(path) }
            unlink(path)
        }
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
