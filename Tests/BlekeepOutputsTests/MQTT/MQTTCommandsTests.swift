import BlekeepRecords
import Testing

@testable import BlekeepOutputs

/// Messages that are commands, and messages that aren't.
@Suite struct MQTTCommandsTests {
    private let commands: MQTTCommands

    init() throws {
        var mqtt = MQTTConfiguration(host: "b", port: 1883, isEncrypted: false, gateway: "cellar")
        mqtt.commands = [.poll, .pause, .set]
        let attic = DeviceConfiguration(
            alias: "attic", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        let lamp = DeviceConfiguration(alias: "lamp", address: try #require(BluetoothAddress("F0:00:00:00:00:02")))
        commands = MQTTCommands(mqtt, configuration: PollConfiguration(devices: [attic, lamp]))
    }

    private static func command(_ action: DeviceCommand.Action, _ device: UInt64) -> DeviceCommand {
        DeviceCommand(action, DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + device)))
    }

    private func command(_ end: String, _ payload: String, isRetained: Bool = false) throws -> DeviceCommand {
        try commands.command("blekeep/cellar/\(end)", payload: Array(payload.utf8), isRetained: isRetained).command
    }

    @Test func theTopicSaysWhatAndTheDevice() throws {
        #expect(try command("f00000000002/command/poll", "PRESS") == Self.command(.poll, 2))
        #expect(try command("f00000000001/command/pause", "ON") == Self.command(.pause(.untilResumed), 1))
        #expect(try command("f00000000001/command/pause", "90m") == Self.command(.pause(.time(.seconds(5400))), 1))
        #expect(try command("f00000000001/command/pause", "OFF") == Self.command(.resume, 1))
        let request = WriteRequest(
            service: BluetoothUUID(0x1802), characteristic: BluetoothUUID(0x2A06), instance: 2,
            value: try ValueText(["2"]))
        #expect(try command("f00000000002/command/set/1802/2a06/2", "2") == Self.command(.write(request), 2))
        #expect(
            try command("f00000000002/command/set/1802/2a06", "")
                == Self.command(
                    .write(
                        WriteRequest(
                            service: BluetoothUUID(0x1802), characteristic: BluetoothUUID(0x2A06), value: .bytes([]))),
                    2))
    }

    @Test(arguments: [
        ("f00000000009/command/poll", "", "the configuration has no device f00000000009"),
        ("f00000000001/command/reboot", "", "there is no command reboot"),
        ("f00000000001/command/pause", "soon", "soon isn't ON, OFF, or a duration such as 1h"),
        ("f00000000001/command/pause", "9999d", "9999d isn't ON, OFF, or a duration such as 1h"),
        (
            "f00000000001/command/set/1802", "1",
            "a value is set at …/command/set/SERVICE/CHARACTERISTIC, or …/CHARACTERISTIC/2"
        ),
        (
            "f00000000001/command/set/1802/2a06/0", "1",
            "a value is set at …/command/set/SERVICE/CHARACTERISTIC, or …/CHARACTERISTIC/2"
        ),
        ("f00000000001/command/poll/now", "", "there is no topic blekeep/cellar/f00000000001/command/poll/now"),
        ("", "", "there is no topic blekeep/cellar/"),
        ("f00000000001/command", "", "there is no topic blekeep/cellar/f00000000001/command"),
    ])
    func theReasonIsSaid(end: String, payload: String, reason: String) {
        #expect(throws: UserError(reason)) { try command(end, payload) }
    }

    @Test func retainedAndLongMessagesAreRefused() {
        #expect(throws: UserError.self) { try command("f00000000002/command/poll", "", isRetained: true) }
        let long = String(repeating: "0", count: MQTTCommands.maxPayload + 1)
        #expect(throws: UserError("the message is too long")) {
            try command("f00000000002/command/set/1802/2a06", long)
        }
    }

    @Test func otherTopicsAreNoCommands() {
        #expect(commands.isCommand("blekeep/cellar/f00000000001/command/poll"))
        for topic in ["blekeep/cellar/f00000000001/state", "homeassistant/status", "", "blekeep/other/X/command/poll"] {
            #expect(!commands.isCommand(topic))
        }
    }
}
