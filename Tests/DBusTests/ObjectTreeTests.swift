import DBus
import Testing

struct ObjectTreeTests {
    private static let path: ObjectPath = "/test"

    private func make() -> ObjectTree {
        var tree = ObjectTree()
        tree.replace(with: [
            Self.path: [Echo.name.text: ["Count": Variant(UInt32(1)), "Label": Variant("one")], "test.Other": [:]]
        ])
        return tree
    }

    private func change(_ changed: Properties, _ invalidated: [String], at path: ObjectPath = path) -> Signal {
        Signal(
            path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
            arguments: [Echo.name.text.value, changed.value, invalidated.value])
    }

    @Test func changesAndInvalidatesProperties() {
        var tree = make()
        let changes = tree.apply(change(["Count": Variant(UInt32(2))], ["Label"]))
        #expect(changes == [.changed(Self.path, Echo.name, ["Count", "Label"])])
        #expect(tree[Self.path, Echo.count] == 2)
        #expect(tree[Self.path, Echo.label] == nil)
    }

    @Test func changesOfUnknownObjectsAreIgnored() {
        var tree = make()
        #expect(tree.apply(change(["Count": Variant(UInt32(2))], [], at: "/elsewhere")).isEmpty)
        #expect(tree.objects.count == 1)
    }

    @Test func addsAndRemovesInterfaces() {
        var tree = make()
        let new: ManagedObject = [Echo.name.text: ["Count": Variant(UInt32(7))]]
        let added = Signal(
            .root, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
            arguments: [.path("/new"), new.value])
        #expect(tree.apply(added) == [.added("/new", Echo.name)])
        #expect(tree.paths(with: Echo.name) == ["/new", "/test"])
        #expect(tree.apply(remove(["test.Other"])) == [.removed(Self.path, "test.Other")])
        #expect(tree.has(Echo.name, at: Self.path))
        #expect(tree.apply(remove([Echo.name.text])).count == 1)
        #expect(tree.objects[Self.path] == nil)
        #expect(tree.apply(remove([Echo.name.text])).isEmpty)
    }

    private func remove(_ interfaces: [String]) -> Signal {
        Signal(
            .root, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
            arguments: [Self.path.value, interfaces.value])
    }

    @Test func ignoresMalformedSignals() {
        let names = [
            (PropertiesInterface.name, PropertiesInterface.propertiesChanged.name),
            (ObjectManager.name, ObjectManager.interfacesAdded.name),
            (ObjectManager.name, ObjectManager.interfacesRemoved.name),
        ]
        let arguments: [[Value]] = [
            [], [.byte(1)], [.string("x"), .string("y"), .string("z")], [.path("/test"), .bytes([1])],
            [Echo.name.text.value, .dictionary(key: "s", value: "s", []), .array("s", [])],
        ]
        var tree = make()
        for (interface, member) in names {
            for arguments in arguments {
                #expect(
                    tree.apply(Signal(Self.path, interface: interface, member: member, arguments: arguments)).isEmpty)
            }
        }
        #expect(tree.objects == make().objects)
    }

    @Test func forgettingRemovesAllEntries() throws {
        var tree = ObjectTree()
        let empty = tree
        let object: ManagedObject = ["org.bluez.Device1": ["Name": Variant("x")]]
        for path in ["/a/dev", "/a/dev/service1", "/a/dev/service1/char1", "/a/other"] as [ObjectPath] {
            let signal = Signal(
                .root, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
                arguments: [path.value, object.value])
            #expect(tree.apply(signal).count == 1)
        }
        tree.forget("/a/dev")
        #expect(tree.paths(with: "org.bluez.Device1") == ["/a/other"])
        #expect(tree.paths(with: "org.bluez.Device1", below: "/a") == ["/a/other"])
        tree.forget("/a/other")
        tree.forget("/nowhere")
        #expect(tree.objects.isEmpty)
        #expect(
            tree.paths(with: "org.bluez.Device1", below: "/a") == empty.paths(with: "org.bluez.Device1", below: "/a"))
    }

    /// The index and a search give the same result.
    @Test func theIndexEqualsASearch() {
        let (device, battery): (InterfaceName, InterfaceName) = ("org.bluez.Device1", "org.bluez.Battery1")
        var indexed = ObjectTree(indexing: [device])
        var searched = ObjectTree()
        func apply(_ member: MemberName, _ arguments: [Value]) {
            let signal = Signal(.root, interface: ObjectManager.name, member: member, arguments: arguments)
            #expect(indexed.apply(signal) == searched.apply(signal))
            #expect(indexed.paths(with: device) == searched.paths(with: device))
            #expect(indexed.paths(with: battery) == searched.paths(with: battery))
        }
        let object: ManagedObject = [device.text: [:]]
        let (added, removed) = (ObjectManager.interfacesAdded.name, ObjectManager.interfacesRemoved.name)
        for path in ["/b", "/a", "/a", "/c/d"] as [ObjectPath] { apply(added, [path.value, object.value]) }
        apply(added, ["/a".pathValue, (([battery.text: [:]]) as ManagedObject).value])
        #expect(indexed.paths(with: device) == ["/a", "/b", "/c/d"])
        apply(removed, ["/a".pathValue, [device.text].value])
        apply(removed, ["/nowhere".pathValue, [device.text].value])
        #expect(indexed.paths(with: device) == ["/b", "/c/d"])
        indexed.forget("/c")
        searched.forget("/c")
        #expect(indexed.paths(with: device) == searched.paths(with: device))
        indexed.replace(with: ["/y": object, "/x": object, "/z": [battery.text: [:]]])
        #expect(indexed.paths(with: device) == ["/x", "/y"])
    }

    /// A message may report an interface twice. The last entry counts, and removal leaves nothing.
    @Test func anInterfaceReportedTwiceCountsOnce() {
        var tree = ObjectTree()
        let told = ["1", "2"].map {
            Value.Entry("org.bluez.Device1".value, (["Name": Variant($0)] as Properties).value)
        }
        let added = Signal(
            .root, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
            arguments: ["/a".pathValue, .dictionary(key: String.signature, value: Properties.signature, told)])
        _ = tree.apply(added)
        #expect(tree.objects["/a"]?["org.bluez.Device1"]?["Name"] == Variant("2"))
        _ = tree.apply(
            Signal(
                .root, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
                arguments: ["/a".pathValue, ["org.bluez.Device1"].value]))
        #expect(tree.objects.isEmpty)
    }
}

extension String {
    fileprivate var pathValue: Value { .path(ObjectPath(unchecked: self)) }
}
