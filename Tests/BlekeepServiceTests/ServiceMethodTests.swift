import BlekeepRecords
import DBus
import Testing

@testable import BlekeepService

/// The arguments of the service's methods.
@Suite struct ServiceMethodTests {
    private func action(_ arguments: [Value]) throws -> DeviceCommand.Action { try ServiceMethod.write(arguments) }

    @Test func aWriteNamesItsCharacteristic() throws {
        let wanted = WriteRequest(
            service: BluetoothUUID(0x1802), characteristic: BluetoothUUID(0x2A06), instance: 2, value: .bytes([1]))
        #expect(try action([.string("1802"), .string("2a06"), .uint32(2), .string("0x01")]) == .write(wanted))
    }

    @Test(arguments: [
        ("1802", "nonsense", 1, "1"), ("nonsense", "2a06", 1, "1"), ("", "2a06", 0, "1"), ("", "2a06", 1, "0xabc"),
    ])
    func badArgumentsAreRefused(service: String, characteristic: String, instance: UInt32, value: String) {
        #expect(throws: UserError.self) {
            try action([.string(service), .string(characteristic), .uint32(instance), .string(value)])
        }
    }

    @Test func aPauseHasABound() throws {
        func action(_ seconds: UInt64) throws -> DeviceCommand.Action { try ServiceMethod.pause([.uint64(seconds)]) }
        #expect(try action(0) == .pause(.untilResumed))
        #expect(try action(60) == .pause(.time(.seconds(60))))
        #expect(throws: UserError.self) { try action(.max) }
        #expect(throws: UserError.self) { try action(367 * 86_400) }
    }

    @Test func eachMethodHasItsPermissionAndItsAction() throws {
        func table(_ methods: [ServiceMethod]) -> [String] {
            methods.map { "\($0.member.name) \($0.permission.rawValue)" }
        }
        let control = ["PollNow org.blekeep.poll", "Pause org.blekeep.control", "Resume org.blekeep.control"]
        #expect(table(Poller1.methods) == control + ["Reload org.blekeep.control"])
        #expect(table(KeptDevice1.methods) == ["Write org.blekeep.write"])
        #expect(try Poller1.methods[3].action([]) == .reload)
        #expect(try Poller1.methods[1].action([[ObjectPath]().value, .uint64(0)]) == .device(.pause(.untilResumed)))
    }
}
