import BlekeepRecords

/// The recipes that ship with blekeep. Their text is in the executable, and each is parsed when it is needed.
package enum RecipeCatalogue {
    /// The names, in alphabetical order.
    package static var names: [String] { sources.map(\.name).sorted() }

    /// Returns the recipe of this name; `nil` without one.
    package static func recipe(named name: String) -> Recipe? {
        sources.first { $0.name == name }.flatMap { parsed($0.text).recipes.first }
    }

    /// All recipes, in the order of their names.
    package static var all: [Recipe] { names.compactMap { recipe(named: $0) } }

    /// The recipes with a log, also those that have nothing else.
    package static var logs: [Recipe] {
        texts.filter { $0.text.contains("\n  log:") }.flatMap { parsed($0.text).recipes }
    }

    /// Returns what a device keeps in its own memory, by its recipe, or by the format that it advertises.
    ///
    /// - Parameters:
    ///   - recipe: the name of the device's recipe.
    ///   - formats: those that the device advertises.
    ///   - own: the recipes in the configuration.
    package static func log(recipe: String?, formats: Set<BroadcastFormat>, own: [Recipe]) -> Recipe? {
        let all = own.filter(\.isOwn) + logs
        return all.first { known in
            guard let log = known.log else { return false }
            return log.fills.map(formats.contains) ?? (known.name == recipe)
        }
    }

    /// What recognizes a device, of all recipes: without their steps, which take most of the time to parse, and most of the memory.
    package static var heads: [Recipe] {
        sources.sorted { $0.name < $1.name }.compactMap { source in
            // One after the other, so that each parse uses the memory of the one before.
            let lines = source.text.split(separator: "\n").prefix { !$0.hasPrefix("  steps:") }
            let text = lines.joined(separator: "\n") + "\n  steps: [{read: 2a00}]\n"
            guard var head = parsed(text).recipes.first else { return nil }
            (head.steps, head.source) = ([], "")
            return head
        }
    }

    /// Returns the whole recipe of a head; a recipe of the user as it is.
    package static func whole(_ recipe: Recipe) -> Recipe {
        recipe.isOwn || !recipe.steps.isEmpty ? recipe : self.recipe(named: recipe.name) ?? recipe
    }

    /// Returns the recipes that fit a device best, in their order, and how well: one that must never connect it comes before
    /// all others; `nil` when none fits.
    package static func match(
        _ traits: Recipe.Traits, in recipes: [Recipe]
    ) -> (recipes: [Recipe], match: Recipe.Match)? {
        func rank(_ match: Recipe.Match) -> Int {
            switch match {
            case .never: 0
            case .yes: 1
            case .ifRead: 2
            case .no: 3
            }
        }
        let matches = recipes.lazy.map { (recipe: $0, match: $0.match(traits)) }.filter { $0.match != .no }
        guard let best = matches.min(by: { rank($0.match) < rank($1.match) })?.match else { return nil }
        return (matches.filter { rank($0.match) == rank(best) }.map(\.recipe), best)
    }

    /// Parses recipes as a configuration has them.
    static func parsed(_ items: String) -> (recipes: [Recipe], problems: [ConfigurationProblem], tests: Int) {
        let part = ConfigurationPart(
            "recipes:\n" + items, file: "catalogue.yaml",
            names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        let recipes = part.configuration.poll.recipes.map { recipe in
            var recipe = recipe
            recipe.isOwn = false
            recipe.source = items
            return recipe
        }
        return (recipes, part.problems, part.recipeTests)
    }

    /// The texts of the recipes that ask for values.
    static let sources = texts.filter { $0.text.contains("\n  steps:") }

    /// The texts of all recipes: each begins with a line `- name: NAME`.
    private static let texts: [(name: String, text: String)] = {
        let lines = String(decoding: PackageResources.catalogue_yaml, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let head = "- name: "
        return lines.indices.filter { lines[$0].hasPrefix(head) }.map { start in
            let rest = lines[(start + 1)...]
            let end = rest.firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") } ?? rest.endIndex
            var text = lines[start..<end].joined(separator: "\n")
            while text.hasSuffix("\n") { text.removeLast() }
            return (String(lines[start].dropFirst(head.count)), text + "\n")
        }
    }()
}
