import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Recipes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipes", abstract: "List the recipes for devices that must be asked, or print one.",
        discussion: """
            A recipe says what to write to a device, and what its answers mean. A device's key 'recipe' names one.

            Examples:
              blekeep recipes
              blekeep recipes show miflora > my-recipe.yaml
            """,
        subcommands: [List.self, Show.self], defaultSubcommand: List.self)

    struct List: FileCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List all recipes: blekeep's, and those in the configuration.",
            discussion: """
                WRITES is what a recipe writes to a device. With --json, it prints one object a line.

                Example:
                  blekeep recipes list
                """)

        @OptionGroup var common: CommonOptions

        func run() throws {
            let recipes = try Recipes.all(options)
            let output = StandardOutput()
            guard !options.json else {
                for recipe in recipes { try output.line(Recipes.json(recipe).text) }
                return
            }
            var table = Table(columns: [
                .init(title: "RECIPE"), .init(title: "TITLE"), .init(title: "FROM"), .init(title: "WRITES"),
                .init(title: "DEVICES"),
            ])
            table.rows = recipes.map { recipe in
                let writes = Set(recipe.writes.map(\.characteristic.uuid.description)).sorted()
                return [
                    .init(recipe.name), .init(Untrusted(recipe.title).description),
                    .init(recipe.isOwn ? "configuration" : "blekeep"),
                    .init(
                        writes.isEmpty ? "nothing" : writes.count == 1 ? writes[0] : "\(writes.count) characteristics"),
                    .init(Untrusted.whole(recipe.about)),
                ]
            }
            let terminal = Terminal.standardOutput(noColor: options.noColor, environment: Composition.environment)
            for line in table.lines(width: nil, on: terminal) { try output.line(line) }
        }
    }

    struct Show: FileCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a recipe as an item of 'recipes:' in a configuration.",
            discussion: """
                Give the copy another name before you change it: blekeep's names can't be taken.

                Example:
                  blekeep recipes show jbd
                """)

        @Argument(help: "The recipe's name.", completion: .custom { _, _, _ in RecipeCatalogue.names })
        var name: String

        @OptionGroup var common: CommonOptions

        func run() throws {
            let recipe = try Recipes.named(name, in: Recipes.all(options))
            let output = StandardOutput()
            guard !options.json else { return try output.line(Recipes.json(recipe).text) }
            let page = FamilyPage.name(recipe: recipe.name).map { "# About such devices: \(FamilyPage.path(of: $0))\n" }
            try output.write((page ?? "") + recipe.source)
        }
    }

    /// blekeep's recipes, and behind them those in the configuration.
    static func all(_ options: GlobalOptions) throws(Failure) -> [Recipe] {
        do {
            let own = try Composition.configurationLoader(options).load()?.configuration.poll.recipes ?? []
            return RecipeCatalogue.all + own.filter(\.isOwn)
        } catch {
            throw Failure(.badConfiguration, error.description)
        }
    }

    static func named(_ name: String, in recipes: [Recipe]) throws(Failure) -> Recipe {
        if let recipe = recipes.first(where: { $0.name == name }) { return recipe }
        if let format = BroadcastFormat.allCases.first(where: { name.lowercased().hasPrefix($0.rawValue) }),
            let page = FamilyPage.name(recipe: nil, formats: [format.name])
        {
            throw Failure(
                .usage,
                "no recipe is called '\(Untrusted(name))': blekeep knows by itself what such devices advertise; see \(FamilyPage.path(of: page))"
            )
        }
        let meant = Spelling.closest(to: name, among: recipes.map(\.name)).map { "did you mean '\($0)'?" }
        throw Failure(.usage, "no recipe is called '\(Untrusted(name))'; \(meant ?? "'blekeep recipes' lists all")")
    }

    private static func json(_ recipe: Recipe) -> JSON {
        let writes = recipe.writes.map { write in
            JSON.object([
                "characteristic": .text(write.characteristic.description), "bytes": .text(write.bytes.summary),
            ])
        }
        return .object([
            "recipe": .text(recipe.name), "title": .text(recipe.title), "about": .text(recipe.about),
            "own": .boolean(recipe.isOwn), "source": .text(recipe.facts), "limits": .text(recipe.limits),
            "tried": .text(recipe.tried), "writes": .array(writes), "yaml": .text(recipe.source),
            "page": .text(FamilyPage.name(recipe: recipe.name).map(FamilyPage.path)),
        ])
    }
}
