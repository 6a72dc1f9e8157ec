import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct DeviceEditTests {
    private let first = BluetoothAddress(bits: 0xF000_0000_0001)
    private let second = BluetoothAddress(bits: 0xF000_0000_0002)

    private static let text = """
        # The house.
        interval: 1m   # often
        devices:
          # The plants.
          - address: F0:00:00:00:00:01  # below the roof
            alias: 'green''house'       # Anna's

            interval: 5m
            # in the corner
          # The cold one.
          - alias: freezer
            enabled: false   # broken
            address: "F0:00:00:00:00:02"
          - {address: f0-00-00-00-00-03, mode: hold}  # a word
        max_links: 3

        """

    private func edited(
        _ edit: DeviceEdit, _ address: BluetoothAddress, _ text: String = Self.text
    ) throws -> String {
        try edit.applied(to: address, in: text, file: "f", names: names)
    }

    /// The lines that an edit took away and added.
    private func changes(_ edit: DeviceEdit, _ address: BluetoothAddress) throws -> [String] {
        let new = try edited(edit, address).split(separator: "\n", omittingEmptySubsequences: false)
        let old = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
        return new.difference(from: old).sorted { Self.line($0) < Self.line($1) }.map { change in
            switch change {
            case .remove(_, let line, _): "-\(line)"
            case .insert(_, let line, _): "+\(line)"
            }
        }
    }

    private static func line(_ change: CollectionDifference<Substring>.Change) -> Int {
        switch change {
        case .remove(let offset, _, _): 2 * offset
        case .insert(let offset, _, _): 2 * offset + 1
        }
    }

    @Test func anAliasIsReplacedWithItsQuotes() throws {
        #expect(
            try changes(value("alias", "cellar"), first) == [
                "-    alias: 'green''house'       # Anna's", "+    alias: cellar       # Anna's",
            ])
        #expect(
            try changes(value("alias", "a: \"b\" \\"), second) == [
                "-  - alias: freezer", #"+  - alias: "a: \"b\" \\""#,
            ])
    }

    @Test func aMissingKeyFollowsTheAddress() throws {
        #expect(try changes(value("enabled", "false"), first) == ["+    enabled: false"])
        #expect(
            try changes(value("alias", "x"), BluetoothAddress(bits: 0xF000_0000_0003)) == [
                "-  - {address: f0-00-00-00-00-03, mode: hold}  # a word",
                "+  - {address: f0-00-00-00-00-03, alias: x, mode: hold}  # a word",
            ])
    }

    @Test func aListInBracketsIsForTheUserToEdit() throws {
        let error = #expect(throws: ConfigurationErrors.self) {
            try edited(.removal, first, "devices: [{address: F0:00:00:00:00:01}]")
        }
        #expect(
            error?.description == """
                f:1:11: blekeep can't remove the device F0:00:00:00:00:01 from a list in brackets, such as \
                `devices: [{…}]`; edit the file yourself
                """)
    }

    @Test func aRemovedDeviceTakesItsOwnCommentsAlong() throws {
        #expect(
            try changes(.removal, first) == [
                "-  - address: F0:00:00:00:00:01  # below the roof", "-    alias: 'green''house'       # Anna's", "-",
                "-    interval: 5m", "-    # in the corner",
            ])
        #expect(
            try changes(.removal, BluetoothAddress(bits: 0xF000_0000_0003)) == [
                "-  - {address: f0-00-00-00-00-03, mode: hold}  # a word"
            ])
    }

    @Test(arguments: [
        // The list of devices without its only one, in several styles.
        ("devices:\n- address: F0:00:00:00:00:01\n  alias: a\ninterval: 1m", "devices:\ninterval: 1m"),
        ("devices:\n  -\n    address: F0:00:00:00:00:01\n", "devices:\n"),
        ("devices:\r\n  - address: F0:00:00:00:00:01\r\n    alias: a\r\n", "devices:\r\n"),
        ("---\ndevices:\n- address: F0:00:00:00:00:01\n...\n", "---\ndevices:\n...\n"),
        ("devices:\n  - address: F0:00:00:00:00:01\n    characteristics:\n    - 2a6e\n    - 2a6f", "devices:"),
    ])
    func theLastDeviceIsRemoved(text: String, expected: String) throws {
        #expect(try edited(.removal, first, text) == expected)
    }

    @Test func anInsertedLineEndsAsItsNeighbor() throws {
        let text = "devices:\r\n  - address: F0:00:00:00:00:01\r\n"
        #expect(try edited(value("enabled", "false"), first, text) == text + "    enabled: false\r\n")
    }

    @Test(arguments: [
        "devices:\n  - address: F0:00:00:00:00:01\n    alias: >-\n      a\n",
        // Both devices would get the alias.
        "devices:\n  - {address: F0:00:00:00:00:01, alias: &a x, interval: 1m}\n",
    ])
    func leavesToTheUserWhatItCannotChange(text: String) throws {
        let edit = try value("alias", "b")
        #expect(throws: ConfigurationErrors.self) { try edited(edit, first, text) }
    }

    @Test func changesNothingInAFileWithMistakes() throws {
        let error = #expect(throws: ConfigurationErrors.self) {
            try edited(.removal, first, "devices:\n  - address: F0:00:00:00:00:01\n    alais: x")
        }
        #expect(error?.description == "f:3:5: a device has no key `alais`; did you mean `alias`?")
    }

    // MARK: Any key

    private func value(_ key: String, _ text: String) throws -> DeviceEdit {
        .value(try DeviceValue(key, text, of: DeviceConfiguration(address: first), names: names))
    }

    @Test(
        arguments: [
            ("interval", "10m", "-    interval: 5m", "+    interval: 10m"), ("mode", "hold", nil, "+    mode: hold"),
            ("tags", "cold, wet", nil, "+    tags: [cold, wet]"),
            ("temperature.offset", "-0.3", nil, "+    calibration: [{name: temperature, offset: -0.3}]"),
            ("characteristics", "temperature,2a19", nil, "+    characteristics: [temperature, 2a19]"),
            ("power", "{low: 10m}", nil, "+    power: {low: 10m}"),
            ("alias", "Anna: b", "-    alias: 'green''house'       # Anna's", #"+    alias: "Anna: b"       # Anna's"#),
        ] as [(String, String, String?, String)])
    func aKeyIsSetAndTheRestStays(key: String, text: String, old: String?, new: String) throws {
        #expect(try changes(value(key, text), first) == [old, new].compactMap { $0 })
    }

    @Test func aListInLinesIsReplacedAndRemoved() throws {
        let head = "devices:\n  - address: F0:00:00:00:00:01\n    characteristics:"
        for list in ["\n      - 2a6e\n      - 2a6f\n", "\n    - 2a6e\n    - {uuid: 2a6f}\n", " [2a6e,\n      2a6f]\n"] {
            let text = head + list + "    # the corner\n    mode: hold\n"
            let set = try edited(value("characteristics", "2a19"), first, text)
            #expect(set == head + " [2a19]\n    # the corner\n    mode: hold\n")
            let removed = try edited(.absence(of: "characteristics"), first, text)
            #expect(removed == "devices:\n  - address: F0:00:00:00:00:01\n    # the corner\n    mode: hold\n")
        }
        // The comment in the list would be lost.
        #expect(throws: ConfigurationErrors.self) {
            try edited(value("characteristics", "2a19"), first, head + "\n      - 2a6e  # warm\n")
        }
    }

    @Test func aRemovedKeyLeavesItsComment() throws {
        #expect(
            try changes(.absence(of: "alias"), first) == ["-    alias: 'green''house'       # Anna's", "+    # Anna's"])
        #expect(
            try changes(.absence(of: "mode"), BluetoothAddress(bits: 0xF000_0000_0003)) == [
                "-  - {address: f0-00-00-00-00-03, mode: hold}  # a word",
                "+  - {address: f0-00-00-00-00-03}  # a word",
            ])
        let text = "devices:\n  - alias: a\n    address: F0:00:00:00:00:01\n"
        #expect(
            try edited(.absence(of: "alias"), first, text) == "devices:\n  - address: F0:00:00:00:00:01\n")
        #expect(try edited(.absence(of: "mode"), first, text) == text)
    }

    @Test(
        arguments: [
            ("interva", "5m", "a device has no key `interva`; did you mean `interval`?"),
            ("interval", "2s", "`interval` is `2s`; it can be from 5s to 1d"),
            ("mode", "hodl", "`hodl` isn't a mode; did you mean `hold`?"),
            ("temperature.offset", "warm", "`offset` is `warm`; write a number such as 0.01 or -40"),
            ("Temp.offset", "1", "`Temp` isn't the name of a field; write one such as temperature"),
            ("tags", "a b", "the tag `a b` can have letters, digits, `_`, `-` and `.`; leave out the rest"),
            ("characteristics", "[2a6e}", nil), ("interval", "5m\n    mode: hold", nil),
        ] as [(String, String, String?)])
    func aValueIsCheckedAsInAFile(key: String, text: String, message: String?) {
        let error = #expect(throws: ConfigurationErrors.self) { try value(key, text) }
        if let message { #expect(error?.problems.map(\.message) == [message]) }
    }

    @Test func correctionsOfAFieldAddUp() throws {
        var device = DeviceConfiguration(address: first)
        device.calibration = [
            FieldCalibration(name: "humidity", calibration: Calibration(offset: try #require(DecimalNumber("2"))))
        ]
        let value = try DeviceValue("humidity.factor", "1.02", of: device, names: names)
        #expect(value.yaml == "[{name: humidity, offset: 2, factor: 1.02}]")
        let other = try DeviceValue("temperature.offset", "-0.3", of: device, names: names)
        #expect(other.yaml == "[{name: humidity, offset: 2}, {name: temperature, offset: -0.3}]")
        #expect(DeviceValue.calibration(of: device, without: "humidity.offset") == nil)
        #expect(
            DeviceValue.calibration(of: device, without: "humidity.factor")?.yaml == "[{name: humidity, offset: 2}]")
    }

    // MARK: Another sensor

    @Test(arguments: [
        "devices:\n  - address: F0:00:00:00:00:01  # below the roof\n    alias: a\n",
        "devices:\n  - {address: F0:00:00:00:00:01, alias: a}  # one\n",
        "devices:\r\n- alias: a\r\n  address: \"F0:00:00:00:00:01\"\r\n",
        "devices: [{address: F0:00:00:00:00:01, alias: a}]\n",
    ])
    func aSuccessorHasTheIDAndCanBePutBack(text: String) throws {
        let id = DeviceID(first)
        let replaced = try edited(.replacement(by: second, id: id), first, text)
        let device = try #require(ConfigurationPart(replaced, file: "f", names: names).configuration.poll.devices.first)
        #expect(device.id == id && device.address == second && device.alias == "a")
        let back = try edited(.replacement(by: first, id: id), second, replaced)
        #expect(back == text.replacing("\"F0:00:00:00:00:01\"", with: "F0:00:00:00:00:01"))
    }

    @Test(arguments: [
        ("", true), ("# a\n", true), ("devices:\n", true), ("devices: []", true), ("devices: [{address: x}]", false),
        ("interval: 1m\n", false), ("devices:\ninterval: 1m", false),
    ])
    func knowsAnEmptyFile(text: String, isEmpty: Bool) {
        #expect(DeviceEdit.isEmpty(text) == isEmpty)
    }
}
