import BusBench
import DBus
import Testing

struct ExportedObjectTests {
    @Test func reportsTheLastSetValue() {
        let interface = ExportedInterface(Echo.self)
        let object = ExportedObject("/test/echo", [interface])
        #expect(properties(of: object) == [:])
        interface.serve(Echo.count, is: 1)
        #expect(properties(of: object) == ["Count": Variant(UInt32(1))])
        let entry = interface.set(Echo.count.name, to: UInt32(2).value)
        #expect(entry == Value.Entry("Count".value, .variant(.uint32(2))))
        #expect(properties(of: object) == ["Count": Variant(UInt32(2))])
        #expect(interface.property("Count") == .uint32(2))
        interface.serve(Echo.label, is: "late")
        #expect(properties(of: object) == ["Count": Variant(UInt32(2)), "Label": Variant("late")])
    }

    @Test func asksTheOwnerForItsProperties() {
        let interface = ExportedInterface(Echo.self)
        let object = ExportedObject("/test/echo", [interface])
        let held = Held()
        interface.serve(Echo.label, is: "label")
        interface.serveOwned(Echo.count.name) { _ in held.count?.value }
        #expect(properties(of: object) == ["Label": Variant("label")])
        held.count = 7
        #expect(properties(of: object) == ["Count": Variant(UInt32(7)), "Label": Variant("label")])
    }

    @Test func tellsOfInterfacesThatComeAndGo() {
        let object = ExportedObject("/test/echo", [ExportedInterface(Peer.self)])
        object.add(ExportedInterface(Echo.self))
        #expect(ManagedObject(object.interfacesAdded[1])?.names == [Peer.name.text, Echo.name.text])
        #expect(object.interfacesRemoved == [object.path.value, [Peer.name.text, Echo.name.text].value])
        object.remove(Peer.name)
        #expect(ManagedObject(object.interfacesAdded[1])?.names == [Echo.name.text])
        #expect(object.interfacesRemoved == [object.path.value, [Echo.name.text].value])
    }

    /// Objects of a kind share their members, and each has its own values.
    @Test func aPatternAsksEachOwner() {
        let pattern = ExportedInterface(Echo.self)
        pattern.serveOwned(Echo.count.name) { ($0 as? Held)?.count?.value }
        pattern.acceptOwned(Echo.count) { owner, count in
            (owner as? Held)?.count = count
            return true
        }
        let (one, other) = (Held(count: 1), Held(count: 2))
        let interface = ExportedInterface(pattern, of: one)
        #expect(interface.property("Count") == .uint32(1))
        #expect(ExportedInterface(pattern, of: other).property("Count") == .uint32(2))
        // The interface doesn't retain its owner.
        let orphan = ExportedInterface(pattern, of: Held(count: 3))
        #expect(orphan.property("Count") == nil)
    }

    /// bluetoothctl does not see a device that comes before its adapter.
    @Test(arguments: Bench.Kind.allCases)
    func reportsParentsFirst(_ kind: Bench.Kind) async throws {
        let paths: [ObjectPath] = ["/test/hci0", "/test/hci0/dev_2", "/test/hci0/dev_1", "/test/hci0/dev_2/service1"]
        try await Bench.run(kind) { bench in
            let (client, service) = (try await bench.connect(), try await bench.connect())
            service.export(ExportedObject(.root, isManager: true))
            for path in ["/test/hci0/dev_2"] + paths {
                service.export(ExportedObject(path, [ExportedInterface(Echo.self)]))
            }
            let call = MethodCall(
                service.name, at: .root, interface: ObjectManager.name, member: ObjectManager.getManagedObjects.name,
                within: .patience)
            guard case .dictionary(_, _, let entries)? = try await client.call(call).first else {
                Issue.record("no dictionary")
                return
            }
            #expect(entries.map(\.key) == paths.map(\.value))
        }
    }

    private func properties(of object: ExportedObject) -> Properties? {
        ManagedObject(object.interfacesAdded[1])?[Echo.name.text]
    }

    private final class Held {
        var count: UInt32?

        init(count: UInt32? = nil) { self.count = count }
    }
}
