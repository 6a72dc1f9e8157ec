import BlekeepOutputs
import BlekeepRecords
import BusBench
import Testing

@testable import BlekeepConfiguration

@Suite struct ConfigurationParserTests {
    @Test func aGoodFileSaysEverything() throws {
        let part = ConfigurationPart(goodText, file: "f", names: names)
        let merge = ConfigurationMerge([part])
        #expect(part.problems.isEmpty && merge.problems.isEmpty)
        let radio = try #require(BluetoothAddress("00:1A:7D:DA:71:01"))
        let addresses = try (1...3).map { try #require(BluetoothAddress("F0:00:00:00:00:0\($0)")) }
        let points = [
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E)),
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6F)),
            CharacteristicConfiguration(
                service: BluetoothUUID(0x180D), characteristic: BluetoothUUID(0x2A37), interval: .seconds(300),
                notify: true),
        ]
        let expected = PollConfiguration(
            adapter: .address(radio), interval: .seconds(45),
            devices: [
                DeviceConfiguration(
                    alias: "greenhouse", address: addresses[0], adapter: .name("hci0"), interval: .seconds(60),
                    mode: .hold, characteristics: points),
                DeviceConfiguration(alias: "Küche 2", address: addresses[1]),
                DeviceConfiguration(address: addresses[2]),
            ], maxLinks: 7)
        let history = HistoryConfiguration(path: "/var/lib/blekeep/history.sqlite")
        #expect(merge.configuration == Configuration(poll: expected, history: history))
        #expect(expected.devices.map(\.name) == ["greenhouse", "Küche 2", "F0:00:00:00:00:03"])
    }

    @Test(arguments: ["", "\n", "# nothing\n", "---\n", "---\n...\n", "~", "{}", "devices:", "devices: []\n", " \r\n"])
    func whatSaysNothingLeavesEverythingAsItIs(text: String) {
        #expect(problems(in: text) == [])
        #expect(ConfigurationMerge([ConfigurationPart(text, file: "f", names: names)]).configuration == .init())
    }

    @Test func lineEndsOfOtherSystemsAnchorsAndAByteOrderMarkWithinReasonAreTaken() {
        #expect(problems(in: goodText.replacing("\n", with: "\r\n")) == [])
        #expect(problems(in: "interval: &i 10s\ndevices: [{address: F0:00:00:00:00:01, interval: *i}]") == [])
    }

    @Test func thereAreMoreThanTwoHundred() {
        #expect(Set(MalformedFiles.all.map(\.text)).count >= 200)
    }

    @Test(arguments: MalformedFiles.all)
    func eachMistakeHasItsPlaceAndItsAdvice(file: MalformedFile) {
        #expect(problems(in: file.text) == file.problems)
    }

    @Test(
        arguments: [
            ("a", "b", nil), ("f00000000002", nil, "the ID f00000000002 is taken already at f:2:10; choose another"),
            ("a", "a", "the ID a is taken already at f:2:10; choose another"),
            ("Attic", nil, "`Attic` isn't an ID; write 1 to 32 lower-case letters, digits and `_`, such as greenhouse"),
            ("lamp", nil, "the alias `lamp` is the ID of the device at f:2:10; choose another"),
        ] as [(String, String?, String?)])
    func aDeviceHasAnIDOfItsOwn(first: String, second: String?, problem: String?) {
        let other = second.map { "id: \($0), " } ?? ""
        let found = problems(
            in: """
                devices:
                  - {id: \(first), address: F0:00:00:00:00:01}
                  - {\(other)address: F0:00:00:00:00:02, alias: lamp}
                """)
        #expect(found.map { String($0.drop { $0 != " " }.dropFirst()) } == [problem].compactMap(\.self), "\(found)")
    }

    @Test func allMistakesAreReportedAtOnceInOrder() {
        let text = """
            intervall: 30s
            interval: 3
            interval: 40s
            devices:
              - adress: F0:00:00:00:00:01
                mode: keep
                mode: hold
              - address: F0:00:00:00:00:0G
                alias: a/b
                characteristics:
                  - temprature
                  - uuid: 2a6
                    notify: yes
            """
        #expect(
            problems(in: text) == [
                "1:1: a configuration has no key `intervall`; did you mean `interval`?",
                "2:11: `interval` is `3`; it can be from 5s to 1d",
                "3:1: the key `interval` is set already in line 2; keep one",
                "5:5: a device has no key `adress`; did you mean `address`?",
                "5:5: a device needs an `address`; add one, such as `address: F0:00:00:00:00:01`",
                "6:11: `keep` isn't a mode; write auto, hold, release, heard or passive",
                "7:5: the key `mode` is set already in line 6; keep one",
                "8:14: `F0:00:00:00:00:0G` isn't an address; write six pairs of hex digits, such as F0:00:00:00:00:01",
                "9:12: the alias `a/b` holds a /, which separates the parts of MQTT topics; leave it out",
                "11:9: no characteristic is called `temprature`; did you mean `Temperature`?",
                "12:15: no characteristic is called `2a6`; give its UUID, such as 2a6e",
                "13:17: `notify` is `yes`; write true or false",
            ])
    }

    @Test func messagesMoveNoCursor() {
        for problem in problems(in: "\"\\e[2J\\u202E\": 1\nalias\u{85}: 2\ndevices: [{alias: \"\\a\"}]") {
            #expect(!problem.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
    }

    @Test func noCutOfAGoodFileTrapsOrPassesForAnother() {
        let good = ConfigurationPart(goodText, file: "f", names: names).configuration.poll.devices
        let bytes = Array(goodText.utf8)
        for count in bytes.indices {
            let part = ConfigurationPart(
                String(decoding: bytes[..<count], as: UTF8.self), file: "f", names: names)
            let devices = part.configuration.poll.devices
            #expect(part.problems.allSatisfy { $0.place.line != nil && !$0.message.isEmpty })
            #expect(!part.problems.isEmpty || devices.map(\.address) == good.prefix(devices.count).map(\.address))
        }
    }

    @Test func noFlippedByteTraps() {
        let bytes = Array(goodText.utf8)
        for index in bytes.indices {
            let flips: [UInt8] = [0x01, 0x20, 0x80]
            for flip in TestLength.of([flips[index % 3]], atNight: flips) {
                var bad = bytes
                bad[index] ^= flip
                for problem in problems(in: String(decoding: bad, as: UTF8.self)) { #expect(!problem.isEmpty) }
            }
        }
    }

    @Test(arguments: ["[", "{", "- ", "? ", "{a: ", "&a [", "!!seq [", "\"", "'", "|\n", "a: b: ", "*"])
    func noDepthTraps(piece: String) {
        let text = String(repeating: piece, count: 20_000)
        #expect(!problems(in: text).isEmpty)
        #expect(!problems(in: "devices:\n  " + text).isEmpty)
    }
}
