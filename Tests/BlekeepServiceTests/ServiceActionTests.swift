import BlekeepRecords
import DBus
import Testing

@testable import BlekeepService

/// The arguments of the service's methods.
@Suite struct ServiceActionTests {
    private func action(_ arguments: [Value]) throws -> DeviceCommand.Action? {
        try ServiceAction.write(arguments).action
    }

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
        func action(_ seconds: UInt64) throws -> DeviceCommand.Action? {
            try ServiceAction.pause(seconds: seconds).action
        }
        #expect(try action(0) == .pause(.untilResumed))
        #expect(try action(60) == .pause(.time(.seconds(60))))
        #expect(throws: UserError.self) { try ServiceAction.pause(seconds: .max) }
        #expect(throws: UserError.self) { try ServiceAction.pause(seconds: 367 * 86_400) }
    }

    @Test func eachActionHasItsPermission() throws {
        #expect(ServiceAction.poll.permission.rawValue == "org.blekeep.poll")
        #expect(ServiceAction.resume.permission.rawValue == "org.blekeep.control")
        #expect(ServiceAction.reload.permission.rawValue == "org.blekeep.control")
        #expect(try ServiceAction.pause(seconds: 1).permission.rawValue == "org.blekeep.control")
    }
}
