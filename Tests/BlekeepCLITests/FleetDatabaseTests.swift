import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI

/// `blekeep fleet` of an administrator and of a gateway, with a real PostgreSQL.
@Suite(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"), .serialized)
struct FleetDatabaseTests {
    private let database: Database
    private let folder: TemporaryFolder
    private let options: [String]

    init() throws {
        folder = try TemporaryFolder()
        database = try Database()
        try database.execute("ALTER ROLE postgres PASSWORD 'admin'")
        try "admin\n".write(toFile: folder.file("pw"), atomically: true, encoding: .utf8)
        chmod(folder.file("pw"), 0o600)
        options = [
            "--url", "postgresql://postgres@127.0.0.1:\(database.port)/blekeep", "--password-file", folder.file("pw"),
        ]
    }

    /// Types `blekeep fleet …` as the administrator of the database.
    private func fleet(_ arguments: String...) throws -> Outcome {
        try runInRealTime(["fleet"] + arguments + options)
    }

    /// Writes a file, and returns its path.
    private func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    /// Says as a gateway what it runs.
    private func gateway(_ name: String, runs version: Int? = nil) throws {
        let version = version.map { "\($0), (SELECT digest FROM blekeep.configuration WHERE version = \($0))" }
        try database.execute(
            "SELECT * FROM blekeep.configure_1('\(name)', \(version ?? "NULL, NULL"), NULL, NULL, NULL, 2, 0, 9999)")
    }

    /// Types `blekeep fleet join` on a gateway, with what is typed at its question.
    private func join(_ typed: String, user: String = "cellar@", store: String) throws -> (Program.End?, String) {
        let loop = try RunLoop()
        let (port, output) = (database.port, folder.file("output"))
        let end = try loop.run {
            try await Program(
                shell: """
                    printf '\(typed)\\n' | "$0" fleet join postgresql://\(user)127.0.0.1:\(port)/blekeep \
                        --store '\(store)' -c \(emptyConfiguration) >\(output) 2>&1
                    """
            ).end(on: loop)
        }
        return (end, try String(contentsOfFile: output, encoding: .utf8))
    }

    @Test func initMakesTheTablesOnce() throws {
        let made = try fleet("init")
        #expect(made.lines == ["the database blekeep is ready; let gateways join with 'blekeep fleet invite NAME…'"])
        #expect(try fleet("init", "--keep", "90d").lines == ["the database blekeep was ready already"])
        #expect(try database.execute("SELECT keep = interval '90 days' FROM blekeep.setting") == ["t"])
        #expect(try fleet("init", "--keep", "always", "--json").output.contains(#""state":"there already""#))
        #expect(try database.execute("SELECT keep IS NULL FROM blekeep.setting") == ["t"])
        for keep in ["90m", "36h", "soon", "-1d"] {
            let failed = try fleet("init", "--keep=\(keep)")
            #expect(failed.failure?.message == "--keep needs whole days such as 90d, or always" && failed.code == 2)
        }
        try database.execute("UPDATE blekeep.setting SET version = 99")
        let later = try fleet("init")
        #expect(later.code == 78 && later.failure?.message.hasPrefix("the database has version 99 of") == true)
    }

    @Test func anInvitationIsGoodForOneGatewayOnce() throws {
        _ = try fleet("init")
        let invited = try fleet("invite", "cellar")
        let password = try #require(invited.lines.first?.split(separator: " ").last.map(String.init))
        #expect(invited.lines == ["cellar \(password)"] && password.count == 20)
        for name in ["any", "a b", "a/b", String(repeating: "a", count: 64)] {
            let failed = try fleet("invite", name)
            #expect(failed.code == 2 && failed.failure?.message.contains("isn't a gateway's name") == true)
        }

        let store = folder.file("cellar-password")
        // A file that is there already stays, and the invitation is still good.
        let existing = try join(password, store: folder.file("pw"))
        #expect(existing.0 != .exited(0) && existing.1.contains("exists already"), "\(existing)")
        #expect(try String(contentsOfFile: folder.file("pw"), encoding: .utf8) == "admin\n")
        #expect(try join("", store: store).0 == .exited(2))
        #expect(try join(password, user: "", store: store).0 == .exited(2))
        #expect(!FileManager.default.fileExists(atPath: store))

        let (end, output) = try join(password, store: store)
        #expect(end == .exited(0), "\(output)")
        #expect(
            output.hasPrefix("cellar has joined. Add this to the configuration of the gateway:\nsinks:\n  postgres:\n"))
        let own = try String(contentsOfFile: store, encoding: .utf8)
        #expect(own.count == 21 && own != "\(password)\n")
        #expect(try FileManager.default.attributesOfItem(atPath: store)[.posixPermissions] as? Int == 0o600)

        let again = folder.file("again")
        let (refused, reason) = try join(password, store: again)
        #expect(refused != .exited(0) && reason.contains("password"), "\(reason)")
        #expect(!FileManager.default.fileExists(atPath: again))

        // What it printed is enough for a gateway.
        let lines = output.split(separator: "\n").dropFirst().joined(separator: "\n")
        let status = try runInRealTime(["fleet", "status", "-c", try file("cellar.yaml", lines)])
        #expect([0, 1].contains(status.code), "\(status)")
    }

    @Test func aConfigurationGoesToOneGatewayFirst() throws {
        _ = try fleet("init")
        let yaml = try file(
            "fleet.yaml", "devices:\n  - {address: F0:00:00:00:00:01, alias: freezer, gateways: [attic]}\n")
        for name in ["attic", "cellar"] { try gateway(name) }
        #expect(try fleet("rollback").code == 5)

        let dry = try fleet("apply", yaml, "--dry-run")
        #expect(dry.lines == ["attic: 1 device", "  + freezer", "nothing changes for cellar"])
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["0"])

        let applied = try fleet("apply", yaml, "--comment", "one")
        #expect(
            applied.lines.last
                == "version 1 goes to attic first, and after 10m to all; 'blekeep fleet status' shows how far it is")
        let named = try fleet("apply", yaml, "--first", "cellar", "--soak", "1h", "--json")
        #expect(named.output.hasPrefix(#"{"version":1,"first":["cellar"],"soak_s":3600,"#), "\(named)")
        #expect(try fleet("apply", yaml, "--now").lines.last == "version 1 goes to all gateways now")
        #expect(try fleet("apply", yaml, "--now").lines.last == "version 1 is the same, and all gateways get it")

        let two = try file(
            "two.yaml", "interval: 5m\ndevices: [{address: F0:00:00:00:00:02, alias: roof, gateways: [barn]}]")
        let other = try fleet("apply", two, "--now")
        #expect(
            other.log.contains { $0.contains("no gateway barn takes its configuration from this database; ") },
            "\(other)")
        #expect(other.lines.contains("  - freezer") && other.lines.contains("  + roof"))
        #expect(try fleet("rollback").lines == ["version 1 goes to all gateways now"])
        #expect(try fleet("rollback", "1").lines == ["all gateways get version 1 already; name an earlier one"])
        #expect(try fleet("rollback", "2", "--json").lines == [#"{"version":2}"#])
        let none = try fleet("rollback", "7")
        #expect(none.code == 5 && none.failure?.message == "the database has no version 7 of the configuration")
    }

    /// Who watches a rollout may be away: the next one is not worse off for it.
    @Test func theFirstGatewayIsOneThatIsOnlineIfThereIsOne() throws {
        _ = try fleet("init")
        let yaml = try file("fleet.yaml", "interval: 5m")
        for name in ["attic", "cellar", "roof"] { try gateway(name) }
        try database.execute("UPDATE blekeep.running SET seen = now() - interval '2 min' WHERE gateway = 'attic'")
        #expect(try fleet("apply", yaml).output.contains("goes to cellar first"))
        try database.execute("UPDATE blekeep.running SET seen = now() - interval '2 min'")
        #expect(try fleet("apply", yaml).output.contains("goes to attic first"))
        try database.execute("DELETE FROM blekeep.running WHERE gateway <> 'roof'")
        #expect(try fleet("apply", yaml).output.contains("goes to all gateways now"))
    }

    @Test func badFilesAndNamesAreRefused() throws {
        chmod(folder.file("pw"), 0o644)
        let open = try fleet("init")
        #expect(open.code == 2 && open.failure?.message.hasPrefix("every user can read") == true)
        chmod(folder.file("pw"), 0o600)
        let yaml = try file("fleet.yaml", "interval: 5m")
        for words in [["apply", yaml], ["rollback"]] {
            let early = try runInRealTime(["fleet"] + words + options)
            #expect(
                early.failure?.message
                    == "the database blekeep has no configurations yet; run 'blekeep fleet init' for it"
                    && early.code == 78)
        }
        _ = try fleet("init")
        let command = try fleet("apply", try file("bad.yaml", "notices: [{run: [/bin/id]}]"))
        #expect(command.code == 78 && command.failure?.message.contains("it runs commands") == true)
        let nobody = try fleet("apply", yaml, "--first", "atic")
        #expect(nobody.code == 2 && nobody.failure?.message.hasSuffix("; none does") == true)
        try gateway("attic")
        let misspelled = try fleet("apply", yaml, "--first", "atic")
        #expect(misspelled.failure?.message.hasSuffix("; these do: attic") == true)
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["0"])
    }
}
