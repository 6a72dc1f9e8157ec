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
            try changes(.alias("cellar"), first) == [
                "-    alias: 'green''house'       # Anna's", "+    alias: cellar       # Anna's",
            ])
        #expect(
            try changes(.alias("a: \"b\" \\"), second) == ["-  - alias: freezer", #"+  - alias: "a: \"b\" \\""#])
    }

    @Test func aMissingKeyFollowsTheAddress() throws {
        #expect(try changes(.enabled(false), first) == ["+    enabled: false"])
        #expect(
            try changes(.alias("x"), BluetoothAddress(bits: 0xF000_0000_0003)) == [
                "-  - {address: f0-00-00-00-00-03, mode: hold}  # a word",
                "+  - {address: f0-00-00-00-00-03, alias: x, mode: hold}  # a word",
            ])
    }

    @Test func enableKeepsALineWithAComment() throws {
        #expect(
            try changes(.enabled(true), second) == [
                "-    enabled: false   # broken", "+    enabled: true   # broken",
            ])
    }

    @Test(arguments: [
        "devices:\n  - address: F0:00:00:00:00:01  # below the roof\n    # the plants\n    alias: a\n",
        "devices:\r\n- alias: a\r\n  address: F0:00:00:00:00:01\r\n",
        "devices:\n  - address: F0:00:00:00:00:01",
        "devices:\n  - {address: F0:00:00:00:00:01}  # one\n",
        "devices:\n  - {alias: a, address: \"F0:00:00:00:00:01\", mode: hold}\n",
        "devices: [{address: F0:00:00:00:00:01, alias: a}]\n",
    ])
    func enableUndoesDisable(text: String) throws {
        let disabled = try edited(.enabled(false), first, text)
        #expect(disabled.contains("enabled: false"))
        #expect(try edited(.enabled(true), first, disabled) == text)
    }

    @Test(arguments: [
        ("devices:\n  - enabled: false\n    address: F0:00:00:00:00:01\n", "  - enabled: true\n"),
        ("devices:\n  - {enabled: false, address: F0:00:00:00:00:01}\n", "{enabled: true, address"),
        ("devices:\n  - {address: F0:00:00:00:00:01,\n     enabled: false}\n", "     enabled: true}\n"),
    ])
    func enableKeepsAKeyThatSharesItsLine(text: String, expected: String) throws {
        #expect(try edited(.enabled(true), first, text).contains(expected))
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
        #expect(try edited(.enabled(false), first, text) == text + "    enabled: false\r\n")
    }

    @Test(arguments: [
        (DeviceEdit.removal, "devices: [{address: F0:00:00:00:00:01}]"),
        (.alias("b"), "devices:\n  - address: F0:00:00:00:00:01\n    alias: >-\n      a\n"),
        // Both devices would get the alias.
        (.alias("b"), "devices:\n  - {address: F0:00:00:00:00:01, alias: &a x, interval: 1m}\n"),
    ])
    func leavesToTheUserWhatItCannotChange(edit: DeviceEdit, text: String) throws {
        #expect(throws: ConfigurationErrors.self) { try edited(edit, first, text) }
    }

    @Test func changesNothingInAFileWithMistakes() throws {
        let error = #expect(throws: ConfigurationErrors.self) {
            try edited(.removal, first, "devices:\n  - address: F0:00:00:00:00:01\n    alais: x")
        }
        #expect(error?.description == "f:3:5: a device has no key `alais`; did you mean `alias`?")
    }

    @Test(arguments: [
        ("", true), ("# a\n", true), ("devices:\n", true), ("devices: []", true), ("devices: [{address: x}]", false),
        ("interval: 1m\n", false), ("devices:\ninterval: 1m", false),
    ])
    func knowsAnEmptyFile(text: String, isEmpty: Bool) {
        #expect(DeviceEdit.isEmpty(text) == isEmpty)
    }
}
