import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Write, check and show the configuration.",
        discussion: """
            'blekeep config init --print' shows all keys with comments, such as tags: and offset:. After a change, check \
            the configuration, and make the running poller read it. 'check' names the files: without -c, \
            config.yaml and conf.d/*.yaml in ~/.config/blekeep or, for root and the service, in /etc/blekeep.

            Example:
              blekeep config check && sudo blekeep reload
            """,
        subcommands: [ConfigInit.self, Check.self, ConfigShow.self])

    struct Check: FileCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Report every mistake in the configuration, with file, line and column.",
            discussion: """
                With --json, it prints one object with all mistakes, for other programs. The exit code is 78 when there are \
                any.

                Example:
                  blekeep config check -c ./config.yaml
                """)

        @OptionGroup var common: CommonOptions

        func run() throws {
            let loaded: LoadedConfiguration?
            var notes: [String] = []
            do {
                loaded = try Composition.configurationLoader(options).load()
                notes = try loaded?.checkFiles(Credentials(environment: Composition.environment)) ?? []
            } catch {
                if options.json { try StandardOutput().line(Self.json(error).text) }
                throw Failure(.badConfiguration, error.description)
            }
            guard let loaded else { throw Failure.noConfiguration }
            let (poll, sinks) = (loaded.configuration.poll, loaded.configuration.sinks)
            if poll.devices.isEmpty, !loaded.notes.isEmpty {
                throw Failure(.badConfiguration, (loaded.notes + ["so no device is left"]).joined(separator: "\n"))
            }
            notes += ServiceFiles.unreadable(loaded.configuration.namedFiles)
            notes += loaded.configuration.notices.compactMap(\.obstacle)
            notes += loaded.notes
            notes += ConfiguredSinks.missingLibraries(sinks)
            if let warning = sinks.mqtt?.versionWarning() { notes.append(warning) }
            notes += poll.intervalNotes.map(Untrusted.whole)
            notes += poll.airEstimates
            notes += poll.batteryNotes.map(Untrusted.whole)
            notes += poll.recipeWrites
            guard !options.json else { return try StandardOutput().line(Self.json(loaded, notes: notes).text) }
            var parts = [Self.count(poll.devices.count, of: "device")]
            if !poll.layouts.isEmpty {
                parts.append(Self.count(poll.layouts.count, of: "layout"))
                parts.append(Self.count(loaded.layoutTests, of: "layout test"))
            }
            let recipes = poll.recipes.count(where: \.isOwn)
            if recipes > 0 {
                parts.append(Self.count(recipes, of: "recipe"))
                parts.append(Self.count(loaded.recipeTests, of: "recipe test"))
            }
            let verdict = poll.devices.isEmpty ? "no mistakes" : "good"
            let lines = ["\(Self.summary(of: loaded.files)): \(verdict), \(parts.joined(separator: ", "))"] + notes
            for line in lines { try StandardOutput().line(line) }
        }

        private static func json(_ errors: ConfigurationErrors) -> JSON {
            let mistakes = errors.problems.map { problem -> JSON in
                .object([
                    "file": .text(problem.place.file), "line": .integer(problem.place.line),
                    "column": .integer(problem.place.column), "message": .text(problem.message),
                ])
            }
            return .object(["state": "bad", "mistakes": .array(mistakes)])
        }

        private static func json(_ loaded: LoadedConfiguration, notes: [String]) -> JSON {
            .object([
                "state": .text(loaded.configuration.poll.devices.isEmpty ? "empty" : "good"),
                "files": .array(loaded.files.map { .text($0) }),
                "devices": .integer(loaded.configuration.poll.devices.count),
                "layouts": .integer(loaded.configuration.poll.layouts.count),
                "layout_tests": .integer(loaded.layoutTests),
                "recipes": .integer(loaded.configuration.poll.recipes.count(where: \.isOwn)),
                "recipe_tests": .integer(loaded.recipeTests),
                "notes": .array(notes.map { .text($0) }),
            ])
        }

        /// Names one or two files, and counts more by their folder.
        static func summary(of files: [String]) -> String {
            guard let first = files.first, files.count > 2 else {
                return files.map(Untrusted.whole).joined(separator: " and ")
            }
            let folders = Set(
                files.dropFirst().map { $0.split(separator: "/", omittingEmptySubsequences: false).dropLast() })
            let place = folders.count == 1 ? " in \(Untrusted.whole(folders.first?.joined(separator: "/") ?? ""))" : ""
            return "\(Untrusted.whole(first)) and \(files.count - 1) files\(place)"
        }

        private static func count(_ number: Int, of what: String) -> String {
            "\(number) \(what)\(number == 1 ? "" : "s")"
        }
    }
}

struct ConfigShow: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print all settings, and where each comes from.",
        discussion: """
            Example:
              blekeep config show
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run() throws {
        let view = try ConfigurationView(options, environment: Composition.environment)
        try StandardOutput().write(options.json ? view.json.text + "\n" : view.lines.joined(separator: "\n") + "\n")
    }
}
