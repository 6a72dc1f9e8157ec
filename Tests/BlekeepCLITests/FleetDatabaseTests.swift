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
    private func gateway(_ name: String) throws {
        if try database.execute("SELECT 1 FROM pg_roles WHERE rolname = '\(name)'").isEmpty {
            try database.execute("SELECT blekeep.invite_1('\(name)', NULL)")
        }
        try database.execute(
            "SET SESSION AUTHORIZATION \(name); SELECT * FROM blekeep.configure_1('\(name)', NULL, NULL, NULL, NULL, NULL)"
        )
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
        #expect(
            later.code == 78
                && later.failure?.message
                    == "the database has version 99 of blekeep's tables, and this blekeep knows 1; update blekeep on this machine"
        )
        try database.execute("UPDATE blekeep.setting SET version = 1")
        _ = try fleet("init", "--primary")
        #expect(try database.execute("SELECT reign FROM blekeep.setting") == ["1"])
    }

    @Test func anInvitationIsGoodForOneGatewayOnce() throws {
        _ = try fleet("init")
        let invited = try fleet("invite", "cellar")
        let password = try #require(invited.lines.first?.split(separator: " ").last.map(String.init))
        #expect(invited.lines == ["cellar \(password)"] && password.count == 20)
        for name in ["any", "all", "blekeep_gateway", "pg_x", "a b", "a/b", String(repeating: "a", count: 64)] {
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
            output.hasPrefix(
                "cellar has joined. Add this to the configuration of the gateway:\ngateway: cellar\nsinks:\n  postgres:\n"
            ))
        let own = try String(contentsOfFile: store, encoding: .utf8)
        #expect(own.count == 21 && own != "\(password)\n")
        #expect(
            try FileManager.default.attributesOfItem(atPath: store)[.posixPermissions] as? Int
                == (getgrnam("blekeep") == nil ? 0o600 : 0o640))

        let again = folder.file("again")
        let (refused, reason) = try join(password, store: again)
        #expect(refused != .exited(0) && reason.contains("password"), "\(reason)")
        #expect(!FileManager.default.fileExists(atPath: again))

        // What it printed is enough for a gateway.
        let lines = output.split(separator: "\n").dropFirst().joined(separator: "\n")
        let status = try runInRealTime(["fleet", "status", "-c", try file("cellar.yaml", lines)])
        #expect([0, 1].contains(status.code), "\(status)")
    }

    @Test func aConfigurationGoesToWhomTheOperatorSays() throws {
        _ = try fleet("init")
        let yaml = try file(
            "fleet.yaml", "devices:\n  - {address: F0:00:00:00:00:01, alias: freezer, gateways: [attic]}\n")
        for name in ["attic", "cellar"] { try gateway(name) }
        #expect(try fleet("rollback").code == 5)

        let dry = try fleet("apply", yaml, "--to", "all", "--dry-run")
        #expect(dry.lines == ["attic: 1 device", "  + freezer", "nothing changes for cellar"])
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["0"])

        let first = try fleet("apply", yaml, "--to", "attic")
        #expect(
            first.lines == [
                "attic: 1 device", "  + freezer", "version 1 goes to attic; 'blekeep fleet status' shows who has it",
            ])
        let all = try fleet("apply", yaml, "--to", "all", "--replaces", "1", "--json")
        #expect(all.output.hasPrefix(#"{"version":1,"gateways":[{"name":"attic","devices":1,"changes":[]}"#), "\(all)")

        let two = try file(
            "two.yaml", "interval: 5m\ndevices: [{address: F0:00:00:00:00:02, alias: roof, gateways: [cellar, barn]}]")
        let loss = try fleet("apply", two, "--to", "all")
        #expect(
            loss.code == 2
                && loss.failure?.message
                    == "attic has 0 of 1 devices then: nothing was applied; if that is meant, add --yes",
            "\(loss)")
        let old = try fleet("apply", two, "--to", "all", "--yes", "--replaces", "7")
        #expect(old.code == 6 && old.failure?.message.hasPrefix("the newest version is 1, not 7; ") == true)
        let other = try fleet("apply", two, "--to", "all", "--yes")
        #expect(
            other.log.contains { $0.contains("no gateway barn takes its configuration from this database; ") },
            "\(other)")
        #expect(other.lines.contains("  - freezer") && other.lines.contains("  + roof"))
        let empty = try fleet("apply", try file("empty.yaml", ""), "--to", "all")
        #expect(empty.failure?.message.hasPrefix("no gateway has a device then: nothing was applied; ") == true)
        let unseen = try fleet("rollback")
        #expect(
            unseen.code == 2
                && unseen.failure?.message
                    == "the newest version is 2, which postgres gave: nothing was changed; to replace it, add --replaces 2",
            "\(unseen)")
        #expect(try fleet("rollback", "--replaces", "2").lines == ["version 1 goes to all gateways"])
        let late = try fleet("rollback", "--replaces", "2")
        #expect(
            late.code == 6 && late.failure?.message == "the newest version is 1, not 2; look at it, and try again",
            "\(late)")
        #expect(try fleet("rollback", "2", "--replaces", "1", "--json").lines == [#"{"version":2}"#])
        let none = try fleet("rollback", "7", "--replaces", "2")
        #expect(none.code == 5 && none.failure?.message == "the database has no version 7 of the configuration")
    }

    @Test func aVersionIsPrintedAsItWasApplied() throws {
        _ = try fleet("init")
        let none = try fleet("show")
        #expect(none.code == 5 && none.failure?.message.hasPrefix("the database has no configuration; ") == true)
        try gateway("attic")
        let texts = ["interval: 5m # \u{e9}\n\n", "interval: 6m"]
        for text in texts { _ = try fleet("apply", try file("fleet.yaml", text), "--to", "attic", "--yes") }
        #expect(try fleet("show").output == texts[1])
        #expect(try fleet("show", "1").output == texts[0])
        #expect(try fleet("show", "2", "--json").lines == [#"{"version":2,"yaml":"interval: 6m"}"#])
        #expect(try fleet("show", "3").code == 5)
    }

    /// Whoever applies at the same time.
    @Test func aConflictHasOneExitCode() throws {
        _ = try fleet("init")
        try gateway("attic")
        let yaml = try file("fleet.yaml", "interval: 5m")
        _ = try fleet("apply", yaml, "--to", "attic", "--yes")
        try database.execute(
            """
            CREATE FUNCTION blekeep.sooner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'admin gave version 3 meanwhile' USING ERRCODE = 'BK004';
            END $$;
            CREATE TRIGGER sooner BEFORE INSERT ON blekeep.assignment EXECUTE FUNCTION blekeep.sooner();
            """)
        let (other, again) = (try file("other.yaml", "interval: 6m"), "; look at it, and try again")
        for outcome in [
            try fleet("apply", other, "--to", "all", "--yes"),
            try fleet("apply", other, "--to", "all", "--yes", "--replaces", "4"),
            try fleet("rollback", "1", "--replaces", "1"), try fleet("rollback", "--replaces", "4"),
        ] {
            #expect(outcome.code == 6 && outcome.failure?.message.hasSuffix(again) == true, "\(outcome)")
        }
    }

    /// Whoever made it, and whatever it says.
    @Test func aGatewayThatIsGoneCanBeRemoved() throws {
        _ = try fleet("init")
        for name in ["attic", "cellar"] { try gateway(name) }
        try database.execute(
            """
            SET SESSION AUTHORIZATION attic;
            SELECT blekeep.report_1('attic', 'x', '{}', '[]'), blekeep.tick_1('attic', 'x', '[{"id": "f01"}]', '{f01}', '{}');
            """)
        for attack in ["SELECT lo_create(0)", "CREATE TEMPORARY TABLE t ()"] {
            #expect(throws: (any Error).self) { try database.execute("SET SESSION AUTHORIZATION attic; \(attack)") }
        }
        // What it made earlier.
        let object =
            "SELECT lo_create(42); ALTER LARGE OBJECT 42 OWNER TO attic; GRANT CREATE ON SCHEMA public TO attic;"
        for place in ["blekeep", "postgres"] { try database.execute(object, in: place) }
        let kept = try fleet("remove", "attic")
        #expect(kept.code == 6 && kept.failure?.message.contains(" in another database, which must go first: ") == true)
        try database.execute("DROP OWNED BY attic", in: "postgres")
        #expect(try fleet("remove", "attic").lines == ["removed attic; its readings stay"])
        #expect(try fleet("remove", "attic").code == 5)
        let left =
            "SELECT name FROM blekeep.member UNION ALL SELECT name FROM blekeep.gateway UNION ALL SELECT gateway FROM blekeep.owner"
        #expect(try database.execute(left) == [])
        #expect(try database.execute("SELECT rolname FROM pg_roles WHERE rolname IN ('attic', 'cellar')") == ["cellar"])
        // No other role goes with it.
        #expect(try fleet("remove", "postgres").code == 5)
    }

    @Test func anAdministratorNeedsToBeNoSuperuser() throws {
        try database.execute(
            "CREATE ROLE cloud LOGIN CREATEROLE PASSWORD 'admin'; ALTER DATABASE blekeep OWNER TO cloud")
        let own = [
            "--url", "postgresql://cloud@127.0.0.1:\(database.port)/blekeep", "--password-file", folder.file("pw"),
        ]
        for words in [["init"], ["invite", "attic"], ["remove", "attic"]] {
            let outcome = try runInRealTime(["fleet"] + words + own)
            #expect(outcome.code == 0, "\(outcome)")
        }
    }

    @Test func badFilesAndNamesAreRefused() throws {
        chmod(folder.file("pw"), 0o644)
        let open = try fleet("init")
        #expect(open.code == 2 && open.failure?.message.hasPrefix("every user can read") == true)
        chmod(folder.file("pw"), 0o600)
        let yaml = try file("fleet.yaml", "interval: 5m")
        for words in [["apply", yaml, "--to", "all"], ["rollback"]] {
            let early = try runInRealTime(["fleet"] + words + options)
            #expect(early.failure?.message.contains("run `blekeep fleet init` for it") == true, "\(early)")
        }
        _ = try fleet("init")
        let command = try fleet("apply", try file("bad.yaml", "notices: [{run: [/bin/id]}]"), "--to", "all")
        #expect(command.code == 78 && command.failure?.message.contains("it runs commands") == true)
        let nobody = try fleet("apply", yaml, "--to", "atic")
        #expect(nobody.code == 2 && nobody.failure?.message.hasSuffix("; none does") == true)
        try gateway("attic")
        let misspelled = try fleet("apply", yaml, "--to", "atic")
        #expect(misspelled.failure?.message.hasSuffix("; these do: attic") == true)
        #expect(try database.execute("SELECT count(*) FROM blekeep.configuration") == ["0"])
    }
}
