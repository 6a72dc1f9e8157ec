import DBus
import Testing

struct NamesTests {
    @Test(arguments: ["/", "/org/bluez", "/a_1/B2/0"])
    func paths(_ text: String) { #expect(ObjectPath(text)?.text == text) }

    @Test(arguments: ["", "org", "/org/", "//", "/a-b", "/ä", "/a b"])
    func notPaths(_ text: String) { #expect(ObjectPath(text) == nil) }

    @Test(arguments: ["org.bluez", ":1.42", "a.b-c", ":0.0", "_a._1"])
    func busNames(_ text: String) { #expect(BusName(text)?.text == text) }

    @Test(arguments: ["", "org", ".org", "org.", "org..bluez", "1.a", "a.1", "a b.c", ":"])
    func notBusNames(_ text: String) { #expect(BusName(text) == nil) }

    @Test func interfacesTakeNoDashes() {
        #expect(!InterfaceName.isValid("a-b.c"))
        #expect(InterfaceName.isValid("org.bluez.Device1"))
    }

    @Test(arguments: ["", "1a", "a.b", "a-b", String(repeating: "a", count: 256)])
    func notMembers(_ text: String) { #expect(MemberName(text) == nil) }

    @Test func namesEndAt255Bytes() {
        #expect(MemberName(String(repeating: "a", count: 255)) != nil)
        #expect(BusName("a." + String(repeating: "b", count: 253)) != nil)
        #expect(BusName("a." + String(repeating: "b", count: 254)) == nil)
    }

    @Test func ancestorsEndAtASlash() {
        let device: ObjectPath = "/org/bluez/hci1/dev_1"
        #expect(device.isAt(orBelow: "/org/bluez/hci1"))
        #expect(device.isAt(orBelow: device))
        #expect(device.isAt(orBelow: .root))
        #expect(!device.isAt(orBelow: "/org/bluez/hci"))
        #expect(!ObjectPath(stringLiteral: "/org/bluez/hci10").isAt(orBelow: "/org/bluez/hci1"))
    }

    @Test func pathsHaveParentsNamesAndChildren() {
        let path: ObjectPath = "/org/bluez"
        #expect(path.parent == "/org")
        #expect(path.parent?.parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(path.name == "bluez")
        #expect(path.child("hci0") == "/org/bluez/hci0")
        #expect(ObjectPath.root.child("org") == "/org")
        #expect(path.child("no-such") == nil)
        #expect(path.child("") == nil)
    }
}
