import Blekeep
import DBus

extension Subject {
    /// Messages that were good once, read by libdbus and by us, and then taken into the tree.
    package static let wire = Subject(name: "wire messages") { dice in
        guard let content = WireMessage.read(message(&dice)) else { return nil }
        guard case .success(let values) = content.values, let path = content.path, let interface = content.interface,
            let member = content.member
        else { return nil }
        var tree = goodTree
        look(at: &tree, Signal(path, interface: interface, member: member, arguments: values))
        return nil
    }

    /// A message with a few mistakes.
    package static func message(_ dice: inout Dice) -> [UInt8] {
        var bytes = dice.pick(goodMessages)
        switch dice.below(20) {
        case 0: return bytes
        case 1...9: return dice.broken(bytes)
        default:
            // libdbus accepts a message with a single wrong byte most often.
            bytes[dice.below(bytes.count)] = dice.byte()
            return bytes
        }
    }

    /// Random values in the place of valid ones.
    package static let tree = Subject(name: "variant trees") { dice in
        var tree = goodTree
        let path = dice.pick(paths)
        let interface = dice.pick(interfaces)
        var entries: [Value.Entry] = []
        for _ in 0..<dice.below(6) {
            entries.append(Value.Entry(.string(dice.pick(propertyNames)), .variant(dice.value(depth: dice.below(20)))))
        }
        let properties = Value.dictionary(key: String.signature, value: Variant.signature, entries)
        let object = Value.dictionary(
            key: String.signature, value: Properties.signature,
            [Value.Entry(.string(interface.text), properties)])
        let arguments: [Value] =
            switch dice.below(5) {
            case 0: [.path(path), object]
            case 1: [.string(interface.text), properties, [String]().value]
            case 2: [.path(path), [interface.text].value]
            case 3: [dice.value(depth: 3), object]
            default: (0..<dice.below(4)).map { _ in dice.value(depth: 6) }
            }
        let (name, member): (InterfaceName, MemberName) = dice.pick([
            (ObjectManager.name, ObjectManager.interfacesAdded.name),
            (ObjectManager.name, ObjectManager.interfacesRemoved.name),
            (PropertiesInterface.name, PropertiesInterface.propertiesChanged.name),
        ])
        look(at: &tree, Signal(path, interface: name, member: member, arguments: arguments))
        _ = [ObjectPath: ManagedObject](reply: arguments)
        return nil
    }

    /// Runs all queries of a tree after a signal.
    private static func look(at tree: inout ObjectTree, _ signal: Signal) {
        _ = tree.apply(signal)
        for path in tree.paths(with: Adapter1.name) {
            _ = (tree[path, Adapter1.address], tree[path, Adapter1.powered], tree[path, Adapter1.alias])
        }
        for path in tree.paths(with: Device1.name).prefix(8) {
            _ = KnownDevice(at: path, in: tree)
            _ = GattTree(of: path, in: tree)
        }
        _ = signal.path.parent
        _ = BluetoothAddress(signal.path.name.dropFirst(4))
    }

    private static let paths: [ObjectPath] = [
        "/", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_F0_00_00_00_00_01",
        "/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e",
        "/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e/char000f",
        "/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e/char000f/desc0010", "/a/very/deep/path/that/nobody/knows/of",
    ]

    private static let interfaces: [InterfaceName] = [
        Adapter1.name, Device1.name, GattService1.name, GattCharacteristic1.name, GattDescriptor1.name, Battery1.name,
        "org.bluez.Unknown1",
    ]

    private static let propertyNames: [String] =
        [
            Adapter1.members, Device1.members, GattService1.members, GattCharacteristic1.members,
            GattDescriptor1.members, Battery1.members,
        ].flatMap { $0.map(\.name.text) } + ["", "Unknown"]

    private static let goodObjects: [ObjectPath: ManagedObject] = [
        "/org/bluez/hci0": ["org.bluez.Adapter1": ["Address": Variant("00:00:00:00:00:01"), "Powered": Variant(true)]],
        "/org/bluez/hci0/dev_F0_00_00_00_00_01": [
            "org.bluez.Device1": [
                "Address": Variant("F0:00:00:00:00:01"), "Name": Variant("Sensor"), "Connected": Variant(true),
                "RSSI": Variant(Int16(-60)), "UUIDs": Variant(["0000181a-0000-1000-8000-00805f9b34fb"]),
                "ManufacturerData": Variant([UInt16(0x499): Variant([UInt8](repeating: 5, count: 24))]),
            ]
        ],
        "/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e": [
            "org.bluez.GattService1": ["UUID": Variant("0000181a-0000-1000-8000-00805f9b34fb")]
        ],
        "/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e/char000f": [
            "org.bluez.GattCharacteristic1": [
                "UUID": Variant("00002a6e-0000-1000-8000-00805f9b34fb"), "Flags": Variant(["read", "notify"]),
                "Service": Variant(ObjectPath("/org/bluez/hci0/dev_F0_00_00_00_00_01/service000e")),
                "Value": Variant([UInt8(1), 2, 3]),
            ]
        ],
    ]

    private static let goodTree: ObjectTree = {
        var tree = ObjectTree()
        tree.replace(with: goodObjects)
        return tree
    }()

    private static let goodMessages: [[UInt8]] = {
        let sender: BusName = ":1.5"
        var messages = goodObjects.sorted { $0.key < $1.key }.map { path, object in
            WireMessage.bytes(
                of: Signal(
                    .root, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
                    arguments: [path.value, object.value]),
                from: sender)
        }
        messages += goodObjects.sorted { $0.key < $1.key }.flatMap { path, object in
            object.names.map { interface in
                WireMessage.bytes(
                    of: Signal(
                        path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
                        arguments: [interface.value, (object[interface] ?? [:]).value, ["Value"].value]), from: sender)
            }
        }
        messages.append(
            WireMessage.bytes(
                of: MethodCall(
                    "org.example.x", at: "/a", interface: "org.example.X", member: "Do",
                    arguments: [
                        [ObjectPath("/"): goodObjects["/org/bluez/hci0"] ?? [:]].value, .double(.nan),
                        .structure([.byte(1)]),
                    ],
                    within: .seconds(1)), from: sender))
        return messages
    }()
}

extension Dice {
    /// A value of any type, nested so deep.
    package mutating func value(depth: Int) -> Value {
        switch below(depth > 0 ? 18 : 13) {
        case 0: .byte(UInt8(truncatingIfNeeded: next()))
        case 1: .boolean(below(2) == 0)
        case 2: .int16(Int16(truncatingIfNeeded: next()))
        case 3: .uint16(UInt16(truncatingIfNeeded: next()))
        case 4: .int32(Int32(truncatingIfNeeded: next()))
        case 5: .uint32(UInt32(truncatingIfNeeded: next()))
        case 6: .int64(pick([.min, .max, 0, -1, Int64(truncatingIfNeeded: next())]))
        case 7: .uint64(next())
        case 8: .double(Double(bitPattern: next()))
        case 9: .string(text())
        case 10: .path(pick([.root, "/org/bluez/hci0", "/org/bluez/hci0/dev_F0_00_00_00_00_01"]))
        case 11: .signature("a{sv}")
        case 12: .bytes(bytes(upTo: 600))
        case 13, 14: .variant(value(depth: depth - 1))
        case 15:
            .array(Variant.signature, (0..<below(depth < 4 ? 40 : 3)).map { _ in .variant(value(depth: depth - 2)) })
        case 16: .structure((0...below(3)).map { _ in value(depth: depth - 2) })
        default:
            .dictionary(
                key: String.signature, value: Variant.signature,
                (0..<below(4)).map { _ in Value.Entry(.string(text()), .variant(value(depth: depth - 2))) })
        }
    }
}
