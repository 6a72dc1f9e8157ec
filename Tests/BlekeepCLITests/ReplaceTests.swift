import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// `replace`, and `set` of several devices, in virtual time.
@Suite final class ReplaceTests {
    private let path = NSTemporaryDirectory() + "blekeep-replace-\(UUID().uuidString.prefix(8)).yaml"
    private static let text = """
        history: \(NSTemporaryDirectory())blekeep-no-such-history.sqlite
        devices:
          # below the stairs
          - {address: F0:00:05:00:00:06, alias: cellar, mode: passive, format: atc, tags: [cold]}
          - {address: F0:00:05:00:00:01, alias: attic, mode: passive, tags: [cold]}
        """

    init() throws { try Self.text.write(toFile: path, atomically: true, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    private func run(_ arguments: String...) async throws -> (output: String, failure: Failure?) {
        let path = path
        return try await Bench.run(.virtual, .beacons) { bench, _ in
            let output = Collected()
            let parsed = try BlekeepCLI.Blekeep.parse(arguments + ["-c", path])
            let command = try #require(parsed as? any ContextCommand)
            let context = CommandContext(
                on: bench.loop, command.options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in
                    StandardErrorLog(level: .notice, isJournal: false, write: { _ in })
                }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            do {
                try await context.run(command)
                return (output.text, nil)
            } catch { return (output.text, try #require(error as? Failure)) }
        }
    }

    @Test func anIntervalOfADeviceThatOnlyAdvertisesIsExplained() async throws {
        let set = try await run("set", "Cellar", "ATTIC", "interval", "5m")
        #expect(
            set.output.hasSuffix(
                """
                cellar, attic only advertise their values: blekeep listens when the last one is older than `interval`, \
                and takes them for lost after three intervals in silence; `scan: active` listens all the time

                """), "\(set)")
        let again = try await run("set", "cellar", "tags", "+cold")
        #expect(again.output == "nothing to change: cellar has tags [cold] already\n")
        #expect(
            try await run("unset", "cellar", "throttle").output.hasPrefix("nothing to change: cellar has no throttle"))
    }

    @Test func aKeyThatCannotBeUsedIsRefused() async throws {
        let key = path + ".key"
        defer { try? FileManager.default.removeItem(atPath: key) }
        for (text, mode, why) in [
            (nil, 0, "can't read \(key): No such file or directory; write the secret into this file"),
            ("zz", 0o600, "\(key) isn't a key; write 32 hex digits, or 24 for old Xiaomi devices, into its first line"),
            (
                "07070707070707070707070707070707", 0o604,
                "every user can read \(key); protect it with 'chmod o= \(key)'"
            ),
        ] as [(String?, mode_t, String)] {
            try text?.write(toFile: key, atomically: true, encoding: .utf8)
            chmod(key, mode)
            let set = try await run("set", "cellar", "key", key)
            #expect(set.failure?.message == "nothing was changed: cellar: `key`: \(why)")
            #expect(set.failure?.code == .badConfiguration)
            #expect(try self.text == Self.text)
        }
        chmod(key, 0o600)
        #expect(try await run("set", "cellar", "key", key).failure == nil)
    }

    @Test func allIsAGroup() async throws {
        let set = try await run("set", "all", "throttle", "5m")
        #expect(
            set.output.split(separator: "\n").map { $0.prefix { $0 != "/" } } == [
                "set throttle of cellar to 5m in ", "set throttle of attic to 5m in ",
            ], "\(set)")
        let replace = try await run("replace", "all", "F0:00:05:00:00:0B")
        #expect(
            replace.failure?.message == "'all' names 2 devices, and this command takes one: cellar, attic", "\(replace)"
        )
    }

    @Test func aMisspelledFieldOfACorrectionIsRefused() async throws {
        let set = try await run("set", "cellar", "temprature.offset", "-0.3")
        #expect(set.failure?.code == .badConfiguration)
        #expect(
            set.failure?.message.hasSuffix("has no field `temprature`; did you mean `temperature`?") == true, "\(set)")
        #expect(try text == Self.text)
    }

    @Test func anotherKindNeedsForceAndCanBePutBack() async throws {
        let other = try await run("replace", "cellar", "F0:00:05:00:00:0B")
        #expect(
            other.failure?.message
                == "cellar is of the kind ATC, and F0:00:05:00:00:0B is Qingping; --force replaces it all the same")
        #expect(try text == Self.text)
        let forced = try await run("replace", "cellar", "F0:00:05:00:00:0B", "--force")
        #expect(
            forced.output == "F0:00:05:00:00:0B has the place of F0:00:05:00:00:06 as cellar, in \(path)\n")
        #expect(try text.contains("id: f00005000006"))
        let back = try await run("replace", "cellar", "F0:00:05:00:00:06", "--force")
        #expect(back.output == "F0:00:05:00:00:06 has the place of F0:00:05:00:00:0B as cellar, in \(path)\n")
        #expect(try text == Self.text)
    }

    @Test(arguments: [
        ("F0:00:05:00:00:06", "F0:00:05:00:00:06 is cellar already; name the new sensor"),
        (
            "F0:00:05:00:00:99",
            "blekeep doesn't hear F0:00:05:00:00:99: switch it on and bring it near, or add --force"
        ),
        (
            "F0:00:05:00:00:05",
            "cellar advertises its values, and F0:00:05:00:00:05 advertises none that blekeep knows; "
                + "--force replaces it all the same"
        ),
    ])
    func whatCannotBeRightIsRefused(new: String, message: String) async throws {
        #expect(try await run("replace", "cellar", new).failure?.message == message)
        let taken = try await run("replace", "cellar", "F0:00:05:00:00:01")
        #expect(taken.failure?.message.hasPrefix("F0:00:05:00:00:01 is configured already, as attic") == true)
        #expect(try text == Self.text)
    }

    @Test func aMistakeInOneDeviceChangesNone() async throws {
        let failed = try await run("set", "tag:cold", "format", "mopeka")
        #expect(failed.failure == nil)
        #expect(try text.contains("format: mopeka, tags") && text.components(separatedBy: "mopeka").count == 3)
        let before = try text
        let mode = try await run("set", "tag:cold", "mode", "hold")
        #expect(mode.failure?.message.contains("`format` has no effect without `mode: passive`") == true)
        #expect(try text == before)
        let single = try await run("set", "cellar", "attic", "key", "/k")
        #expect(single.failure?.message == "'key' belongs to one device: name only that one, and no tag")
    }

    @Test func aDeviceThatOnlyAdvertisesIsNotRead() async throws {
        let read = try await run("read", "attic", "temperature")
        #expect(
            read.failure?.message
                == "attic is configured to only advertise ('mode: passive'); 'blekeep values attic' shows what it advertised"
        )
    }

    @Test func wordsAreAddedToTags() async throws {
        let set = try await run("set", "tag:cold", "attic", "tags", "+wet", "--json")
        #expect(set.output.split(separator: "\n").count == 2 && set.output.contains(#""state":"changed""#))
        #expect(try text.components(separatedBy: "tags: [cold, wet]").count == 3)
        let again = try await run("set", "cellar", "tags", "+wet")
        #expect(again.output == "nothing to change: cellar has tags [cold, wet] already\n")
        let gone = try await run("unset", "tag:wet", "tags")
        #expect(gone.output == "removed tags of cellar in \(path)\nremoved tags of attic in \(path)\n")
    }
}
