import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepPostgres
import Glibc
import Logging
import RunLoop

struct FleetInit: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Prepare a PostgreSQL database for the readings of gateways.",
        discussion: """
            Makes the schema 'blekeep' in an existing database, and the roles 'blekeep_gateway' and 'blekeep_reader'. Run it \
            as an administrator of PostgreSQL. Run again, it brings the tables of an older version up to date, changes how long \
            readings stay, or lets gateways take this server for the right one with --primary.

            Examples:
              sudo -u postgres blekeep fleet init
              sudo -u postgres blekeep fleet init --keep 90d
              blekeep fleet init --url postgresql://admin@db.example/blekeep --password-file ./pw
            """)

    @Option(help: "How long readings stay, in whole days such as 90d; 'always' by default.")
    var keep: String?

    @Flag(help: "Let gateways take this server, though they used one with a later timeline before.")
    var primary = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let keep = try keep.map(Self.days)
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        let found = try await session.version()
        guard (0...PostgresSchema.version).contains(found) else {
            throw Failure(
                .badConfiguration,
                "the database has version \(found) of blekeep's tables, and this blekeep knows \(PostgresSchema.version); update blekeep on this machine"
            )
        }
        if found < PostgresSchema.version { _ = try await session.run(PostgresSchema.statements(from: found)) }
        _ = try await session.run("SELECT blekeep.set_limits()")
        if let keep {
            _ = try await session.run(
                "UPDATE blekeep.setting SET keep = $1::interval", with: [keep.map { "\($0) days" }])
        }
        if primary { _ = try await session.run("UPDATE blekeep.setting SET reign = reign + 1") }
        let name = Untrusted(session.settings.database)
        guard !options.json else {
            let state = found == 0 ? "made" : found < PostgresSchema.version ? "updated" : "there already"
            return try context.output.line(
                JSON.object([
                    "database": .text("\(name)"), "version": .integer(PostgresSchema.version),
                    "state": .text(state),
                ]).text)
        }
        try context.output.line(
            found == 0
                ? "the database \(name) is ready; let gateways join with 'blekeep fleet invite NAME…'"
                : found < PostgresSchema.version
                    ? "the database \(name) has the tables of this version now"
                    : "the database \(name) was ready already")
    }

    /// - Returns: `nil` for always.
    private static func days(_ text: String) throws -> Int? {
        if text == "always" { return nil }
        guard let length = try? DurationArgument(parsing: text).duration, length >= .seconds(86_400),
            length.components.seconds.isMultiple(of: 86_400)
        else { throw Failure(.usage, "--keep needs whole days such as 90d, or always") }
        return Int(length.components.seconds / 86_400)
    }
}

struct FleetInvite: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Let gateways join a database: print a password for each.",
        discussion: """
            Makes a role for each gateway, which may speak in the name of that gateway alone. The password is good for an hour; \
            'blekeep fleet join' on the gateway replaces it. Invited again, a gateway must join again.

            Examples:
              sudo -u postgres blekeep fleet invite cellar attic
            """)

    @Argument(help: ArgumentHelp("The gateways' names.", valueName: "name"))
    var names: [String]

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        for name in names
        where !MQTTConfiguration.isTopicPart(name) || name.utf8.count > 63
            || [DeviceConfiguration.anyGateway, FleetApply.all].contains(name)
            || ["pg_", "blekeep_"].contains(where: name.hasPrefix)
        {
            throw Failure(
                .usage,
                "'\(Untrusted(name))' isn't a gateway's name, which has up to 63 letters, digits, `_` and `-`, and doesn't begin with 'pg_' or 'blekeep_'"
            )
        }
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        for name in names {
            let password = DatabaseSession.newPassword()
            _ = try await session.run(
                "SELECT blekeep.invite_1($1, $2)", with: [name, try session.verifier(of: password, for: name)])
            try context.output.line(
                options.json
                    ? JSON.object(["gateway": .text(name), "password": .text(password)]).text : "\(name) \(password)")
        }
    }
}

struct FleetJoin: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a database that this gateway was invited to.",
        discussion: """
            Asks for the password of 'blekeep fleet invite', or reads it from the standard input, replaces it with a new one, \
            and writes that into a file for this gateway, which the service's group 'blekeep' may read. Other machines than \
            this one are reached through TLS, and must have a certificate of their name.

            Examples:
              sudo blekeep fleet join postgresql://cellar@db.example/blekeep
              blekeep fleet join postgresql://attic@localhost/blekeep --store ~/postgres-password
            """)

    @Argument(help: "The database and the gateway's name in it, as 'postgresql://NAME@HOST/DATABASE'.")
    var place: String

    @Option(help: ArgumentHelp("The new file for the password.", valueName: "file"), completion: .file())
    var store = "/etc/blekeep/postgres-password"

    @Option(help: ArgumentHelp("Certificates of the authorities to trust.", valueName: "file"), completion: .file())
    var caFile: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        var database = DatabaseOptions()
        (database.url, database.caFile, database.passwordFile) = (place, caFile, nil)
        let settings = try database.settings(gateway: "gateway")
        guard let user = settings.user else {
            throw Failure(.usage, "the URL needs the gateway's name: postgresql://NAME@HOST/DATABASE")
        }
        let asked = TerminalUser(on: context.loop, canAnswer: true)
        guard let once = await asked.answer(to: "The password of the invitation:"), !once.isEmpty else {
            throw Failure(.usage, "there is no password on the standard input; it is that of 'blekeep fleet invite'")
        }
        let session = try await DatabaseSession(settings, context, password: once)
        defer { session.end() }
        let password = DatabaseSession.newPassword()
        // First, because afterwards nothing else has it.
        try NewFile.write("\(password)\n", to: store, isPrivate: true, group: "blekeep")
        do {
            _ = try await session.run(
                "SELECT blekeep.join_1($1)", with: [try session.verifier(of: password, for: user)])
        } catch {
            try? NewFile.remove(store)
            throw error
        }
        let lines =
            [
                "gateway: \(user)", "sinks:", "  postgres:", "    url: \(place)", "    password_file: \(store)",
            ] + (caFile.map { ["    ca_file: \($0)"] } ?? [])
        guard !options.json else {
            return try context.output.line(JSON.object(["gateway": .text(user), "password_file": .text(store)]).text)
        }
        try context.output.line("\(user) has joined. Add this to the configuration of the gateway:")
        for line in lines { try context.output.line(line) }
    }
}

struct FleetRemove: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a gateway out of a database.",
        discussion: """
            Ends its connections, removes its role, and forgets what it said. Its readings stay, and other gateways may read \
            its devices.

            Example:
              sudo -u postgres blekeep fleet remove cellar
            """)

    @Argument(help: "The gateway's name.")
    var name: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        guard try await session.run("SELECT blekeep.remove_1($1)", with: [name]).first?[0] == "t" else {
            throw Failure(.notFound, "the database has no gateway '\(Untrusted(name))'")
        }
        try context.output.line(
            options.json
                ? JSON.object(["gateway": .text(name), "state": "removed"]).text
                : "removed \(Untrusted(name)); its readings stay")
    }
}

struct FleetApply: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Give a configuration to gateways of a database.",
        discussion: """
            Checks FILE for each gateway, shows what changes there, and stores it as a new version, which these gateways \
            take within about 10 s. Give it to one gateway first, look at 'blekeep fleet status', then give it to all. A \
            gateway takes part with 'configure: true' under 'sinks: postgres:', and keeps what it has when the version \
            doesn't fit its own files.

            FILE has devices, tags, layouts, recipes, interval, throttle, power, max_links and on_stop. What runs commands, \
            sends readings, writes to devices or names files is only in a gateway's own configuration.

            Examples:
              sudo -u postgres blekeep fleet apply fleet.yaml --to all --dry-run
              sudo -u postgres blekeep fleet apply fleet.yaml --to cellar,attic
              blekeep fleet apply fleet.yaml --to all --url postgresql://admin@db.example/blekeep
            """)

    @Argument(help: "The configuration; - for the standard input.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The gateways that get it, with commas, or 'all'.", valueName: "names"))
    var to: String

    @Option(
        help: "The version that this one replaces; by default the newest. When there is a newer one, nothing happens.")
    var replaces: Int?

    @Flag(help: "Only show what changes.")
    var dryRun = false

    @Flag(help: "Don't ask when no device is left, or when more than a few vanish.")
    var yes = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    /// The word for all gateways.
    static let all = "all"
    /// How many devices of a gateway may vanish without a question.
    private static let fewDevices = 3

    func run(in context: CommandContext) async throws {
        let text: String
        do { text = try ConfigurationFile.read(file == "-" ? "/dev/stdin" : file) } catch {
            throw Failure(.badConfiguration, error.description)
        }
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        let fleet = try await session.fleet()
        try fleet.last.check(isOf: replaces)
        let chosen = try chosen(of: fleet)
        let plan: FleetPlan
        do {
            plan = try FleetPlan(
                text, file: file == "-" ? "standard input" : file, gateways: fleet.gateways.map(\.name),
                names: Composition.characteristicNames
            ) { name in fleet.text(of: name) }
        } catch { throw Failure(.badConfiguration, error.description) }
        for name in plan.unknown {
            let meant = Spelling.closest(to: name, among: fleet.gateways.map(\.name))
            let advice = meant.map { "did you mean \($0)?" } ?? "set 'configure: true' there"
            context.log.warning("no gateway \(Untrusted(name)) takes its configuration from this database; \(advice)")
        }
        let changes = plan.changes.filter { chosen?.contains($0.gateway) ?? true }
        if options.json {
            let version = dryRun ? nil : try await apply(text, chosen, changes, fleet, at: session, in: context)
            return try context.output.line(Self.json(changes, version: version).text)
        }
        try show(changes, in: context)
        guard !dryRun else { return }
        let version = try await apply(text, chosen, changes, fleet, at: session, in: context)
        try context.output.line(
            "version \(version) goes to \(chosen?.joined(separator: ", ") ?? "all gateways"); 'blekeep fleet status' shows who has it"
        )
    }

    /// - Returns: `nil` for all gateways.
    private func chosen(of fleet: DatabaseSession.Fleet) throws(Failure) -> [String]? {
        guard to != Self.all else { return nil }
        let names = to.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names where !fleet.gateways.contains(where: { $0.name == name }) {
            let known = fleet.gateways.map(\.name).joined(separator: ", ")
            throw Failure(
                .usage,
                "no gateway '\(Untrusted(name))' takes its configuration from this database; \(known.isEmpty ? "none does" : "these do: \(known)")"
            )
        }
        return Array(Set(names)).sorted()
    }

    private func apply(
        _ text: String, _ chosen: [String]?, _ changes: [FleetPlan.Change], _ fleet: DatabaseSession.Fleet,
        at session: DatabaseSession, in context: CommandContext
    ) async throws -> Int {
        if !yes, let loss = Self.loss(changes) {
            let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard)
            guard await user.agrees(to: "\(loss). Apply it nevertheless?") else {
                throw Failure(.usage, "\(loss): nothing was applied; if that is meant, add --yes")
            }
        }
        return try await session.apply(text, to: chosen, inPlaceOf: fleet.last)
    }

    /// What the user may not have meant; `nil` for nothing.
    private static func loss(_ changes: [FleetPlan.Change]) -> String? {
        if changes.allSatisfy({ $0.devices == 0 }) { return "no gateway has a device then" }
        let losers = changes.filter { $0.before - $0.devices > fewDevices || $0.devices == 0 && $0.before > 0 }
        guard let worst = losers.max(by: { $0.before - $0.devices < $1.before - $1.devices }) else { return nil }
        let others = losers.count > 1 ? ", and \(losers.count - 1) more gateways lose many" : ""
        return "\(worst.gateway) has \(worst.devices) of \(worst.before) devices then\(others)"
    }

    private static func json(_ changes: [FleetPlan.Change], version: Int?) -> JSON {
        let gateways = changes.map { change in
            JSON.object([
                "name": .text(change.gateway), "devices": .integer(change.devices),
                "changes": .array(change.lines.map { .text($0) }),
            ])
        }
        return .object(["version": .integer(version), "gateways": .array(gateways)])
    }

    private func show(_ changes: [FleetPlan.Change], in context: CommandContext) throws {
        for change in changes where !change.lines.isEmpty {
            try context.output.line(
                "\(change.gateway): \(change.devices) \(change.devices == 1 ? "device" : "devices")")
            for line in change.lines { try context.output.line("  \(Untrusted(line, limit: 500))") }
        }
        let same = changes.filter(\.lines.isEmpty)
        if !same.isEmpty {
            try context.output.line("nothing changes for \(same.map(\.gateway).joined(separator: ", "))")
        }
    }
}

struct FleetRollback: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Give all gateways of a database an earlier configuration.",
        discussion: """
            They get it within about 10 s. By default, it is the version that all had before the newest one. Asks whether to \
            replace the newest one, so that two users at once don't go back twice; --replaces names it without a question.

            Examples:
              sudo -u postgres blekeep fleet rollback
              sudo -u postgres blekeep fleet rollback --replaces 5
              sudo -u postgres blekeep fleet rollback 3 --replaces 5
            """)

    @Argument(help: "The version; by default the one before the newest.")
    var version: Int?

    @Option(help: "The newest version, which this one replaces. When there is a newer one, nothing happens.")
    var replaces: Int?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        let last = try await session.last()
        try last.check(isOf: replaces)
        if replaces == nil, let last {
            let words = "the newest version is \(last.version), which \(Untrusted(last.author)) gave"
            let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard)
            guard await user.agrees(to: "\(words). Replace it?") else {
                throw Failure(.usage, "\(words): nothing was changed; to replace it, add --replaces \(last.version)")
            }
        }
        guard let number = try await session.rollBack(to: version, inPlaceOf: last) else {
            throw Failure(
                .notFound,
                version.map { "the database has no version \($0) of the configuration" }
                    ?? "there is no version before; apply a file with 'blekeep fleet apply'")
        }
        try context.output.line(
            options.json
                ? JSON.object(["version": .integer(number)]).text : "version \(number) goes to all gateways")
    }
}

struct FleetShow: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a version of the configuration that gateways share.",
        discussion: """
            Prints the text that was applied.

            Examples:
              sudo -u postgres blekeep fleet show
              sudo -u postgres blekeep fleet show 4 >fleet.yaml
            """)

    @Argument(help: "The version; by default the newest.")
    var version: Int?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let session = try await DatabaseSession(database.settings(gateway: "admin"), context)
        defer { session.end() }
        let newest = try await session.last()?.version
        guard let number = version ?? newest, let text = try await session.text(of: number) else {
            throw Failure(
                .notFound,
                version.map { "the database has no version \($0) of the configuration" }
                    ?? "the database has no configuration; apply a file with 'blekeep fleet apply'")
        }
        try context.output.write(
            options.json ? JSON.object(["version": .integer(number), "yaml": .text(text)]).text + "\n" : text)
    }
}

/// Which database, and how to reach it.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database, as 'postgresql://[USER@]HOST/DATABASE'.", valueName: "url"))
    var url = "postgresql:///blekeep"

    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("Certificates of the authorities to trust.", valueName: "file"), completion: .file())
    var caFile: String?

    func settings(gateway: String) throws -> PostgresConfiguration {
        guard var settings = PostgresConfiguration(url: url, gateway: gateway) else {
            throw Failure(.usage, "'\(Untrusted(url))' isn't postgresql://[USER@]HOST[:PORT]/DATABASE")
        }
        settings.caFile = caFile
        settings.passwordFile = passwordFile
        // A path that isn't whole would be a credential's name.
        if let file = passwordFile, !file.hasPrefix("/"), let path = realpath(file, nil) {
            settings.passwordFile = String(cString: path)
            free(path)
        }
        return settings
    }
}

/// A connection to a database, for a command.
private final class DatabaseSession {
    let settings: PostgresConfiguration
    private let client: PostgresClient
    private let context: CommandContext

    /// - Parameter password: `nil` for that of the option's file.
    init(_ settings: PostgresConfiguration, _ context: CommandContext, password: String? = nil) async throws {
        self.settings = settings
        self.context = context
        client = PostgresClient(settings, on: context.loop)
        context.work = "waiting for \(settings.name)"
        let file = Credentials(environment: context.environment).reader(of: settings.passwordFile)
        let secret: String?
        do { secret = try password ?? file() } catch { throw Failure(.usage, "\(error)") }
        let client = client
        try await context.answer { done in client.connect(password: secret) { done($0.mapError { $0 }) } }
    }

    /// - Throws: `Failure`.
    func run(_ sql: String, with parameters: [String?]? = nil) async throws -> PostgresClient.Rows {
        let client = client
        return try await context.answer { done in client.run(sql, with: parameters) { done($0.mapError { $0 }) } }
    }

    /// The version of blekeep's tables; 0 without them.
    func version() async throws -> Int {
        guard try await run("SELECT to_regclass('blekeep.setting')").first?[0] != nil else { return 0 }
        return try await run("SELECT version FROM blekeep.setting").first?[0].flatMap { Int($0) } ?? -1
    }

    // MARK: Configurations

    /// A version that an administrator gave to gateways.
    struct Assignment {
        let id, version: Int
        let author: String
    }

    /// The gateways that take a configuration, and what is meant for them.
    struct Fleet {
        let last: Assignment?
        let gateways: [(name: String, version: Int?)]
        /// The version that all are to have.
        let all: Int?
        let texts: [Int: String]

        /// What a gateway is to have, or would when it joined; `nil` for nothing.
        func text(of gateway: String) -> String? {
            let known = gateways.first { $0.name == gateway }
            return (known.map(\.version) ?? all).flatMap { texts[$0] }
        }
    }

    /// Returns what was given last: a change names it, and so replaces nothing that its author hasn't seen.
    func last() async throws -> Assignment? {
        let row = try await run("SELECT id, version, author FROM blekeep.assignment ORDER BY id DESC LIMIT 1").first
        guard let row, let id = row[0].flatMap({ Int($0) }), let version = row[1].flatMap({ Int($0) }) else {
            return nil
        }
        return Assignment(id: id, version: version, author: row[2] ?? "")
    }

    /// The text of a version; `nil` when there is none.
    func text(of version: Int) async throws -> String? {
        try await run("SELECT yaml FROM blekeep.configuration WHERE version = $1::bigint", with: ["\(version)"]).first?[
            0]
    }

    func fleet() async throws -> Fleet {
        // First, because what is given meanwhile is seen below, or refuses the change.
        let last = try await last()
        let gateways = try await run(
            "SELECT gateway, blekeep.meant_for(gateway) FROM blekeep.running ORDER BY gateway LIMIT 10000")
        let all = try await run(
            "SELECT version FROM blekeep.assignment WHERE gateways IS NULL ORDER BY id DESC LIMIT 1"
        ).first?[0].flatMap { Int($0) }
        let known = gateways.compactMap { row in row[0].map { (name: $0, version: row[1].flatMap { Int($0) }) } }
        var texts: [Int: String] = [:]
        for version in Set(known.compactMap(\.version) + [all].compactMap(\.self)) {
            texts[version] = try await text(of: version)
        }
        return Fleet(last: last, gateways: known, all: all, texts: texts)
    }

    /// - Parameters:
    ///   - gateways: `nil` for all.
    ///   - seen: the last that the author knows; `nil` for none.
    /// - Returns: the version.
    func apply(_ text: String, to gateways: [String]?, inPlaceOf seen: Assignment?) async throws -> Int {
        let rows = try await run(
            "SELECT blekeep.apply_1($1, $2::text[], $3::integer)",
            with: [text, gateways.map { "{\($0.joined(separator: ","))}" }, seen.map { "\($0.id)" }])
        return rows.first?[0].flatMap { Int($0) } ?? 0
    }

    /// - Parameters:
    ///   - version: `nil` for the one before the newest.
    ///   - seen: the last that the author knows; `nil` for none.
    /// - Returns: the version; `nil` when there is none.
    func rollBack(to version: Int?, inPlaceOf seen: Assignment?) async throws -> Int? {
        try await run(
            "SELECT blekeep.rollback_1($1::integer, $2::integer)",
            with: [version.map { "\($0)" }, seen.map { "\($0.id)" }]
        ).first?[0].flatMap { Int($0) }
    }

    func verifier(of password: String, for user: String) throws -> String {
        guard let text = client.verifier(of: password, for: user) else {
            throw Failure(.allFailed, "\(settings.name) closed the connection")
        }
        return text
    }

    /// 20 letters and digits: 119 bits.
    static func newPassword() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        var system = SystemRandomNumberGenerator()
        return String((0..<20).map { _ in letters[Int.random(in: 0..<letters.count, using: &system)] })
    }

    func end() { client.close() }
}

extension DatabaseSession.Assignment? {
    /// - Parameter version: the one that the author saw; `nil` for any.
    /// - Throws: `Failure` when another one is the newest.
    fileprivate func check(isOf version: Int?) throws(Failure) {
        guard let version, version != self?.version else { return }
        throw Failure(
            .allFailed,
            "the newest version is \(map { "\($0.version)" } ?? "none"), not \(version); look at it, and try again")
    }
}
