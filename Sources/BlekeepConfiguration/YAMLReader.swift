import BlekeepRecords
import Yams

/// Takes values of the expected kinds from YAML nodes, and notes mistakes.
struct YAMLReader {
    let file: String
    /// Keys to skip, because they are reported already.
    let hidden: Set<ConfigurationLocation>
    let names: CharacteristicNames
    private(set) var problems: [ConfigurationProblem]
    /// The number of tests that the file's layouts passed.
    var layoutTests = 0
    /// The number of tests that the file's recipes passed.
    var recipeTests = 0
    /// The names of the file's recipes that have mistakes.
    var flawedRecipes: Set<String> = []

    init(_ yaml: YAMLText, file: String, names: CharacteristicNames) {
        self.file = file
        hidden = yaml.hidden
        self.names = names
        problems = yaml.problems
    }

    mutating func note(_ message: String, at place: ConfigurationLocation) {
        problems.append(ConfigurationProblem(place: place, message: message))
    }

    func place(of node: Node) -> ConfigurationLocation {
        ConfigurationLocation(file: file, line: node.mark?.line, column: node.mark?.column)
    }

    /// Returns the entries of a mapping, without unknown keys.
    ///
    /// - Parameter what: the noun for the mapping in messages, such as `a device`.
    mutating func mapping(_ node: Node, what: String, keys: [String]) -> [String: YAMLEntry]? {
        guard case .mapping(let mapping) = node else {
            note("\(what) is written as keys with values, such as `\(keys[0]): …`", at: place(of: node))
            return nil
        }
        var entries: [String: YAMLEntry] = [:]
        for (keyNode, value) in mapping {
            let place = place(of: keyNode)
            guard !hidden.contains(place) else { continue }
            guard case .scalar(let scalar) = keyNode else {
                note("a key is a word; \(what) has \(Self.list(keys))", at: place)
                continue
            }
            guard keys.contains(scalar.string) else {
                note(Self.unknown(scalar.string, what: what, keys: keys), at: place)
                continue
            }
            if entries[scalar.string] != nil {
                note("the key \(Quoted.text(scalar.string)) occurs twice; keep one", at: place)
                continue
            }
            entries[scalar.string] = YAMLEntry(key: scalar.string, place: place, node: value)
        }
        return entries
    }

    /// Returns the entries of a mapping whose keys are names; none for a key without a value.
    ///
    /// - Parameter what: the noun for the names in messages, such as `tags`.
    mutating func named(_ entry: YAMLEntry, what: String) -> [YAMLEntry] {
        if case .scalar(let scalar) = entry.node, scalar.isNull { return [] }
        guard case .mapping(let mapping) = entry.node else {
            note("`\(entry.key)` is written as \(what) with keys, such as `cellar: {…}`", at: place(of: entry.node))
            return []
        }
        return mapping.compactMap { keyNode, value in
            let place = place(of: keyNode)
            guard !hidden.contains(place) else { return nil }
            guard let name = keyNode.scalar?.string else {
                note("a key is a word; `\(entry.key)` has \(what)", at: place)
                return nil
            }
            return YAMLEntry(key: name, place: place, node: value)
        }
    }

    /// Returns the text of a value. For anything else, notes a mistake and returns `nil`.
    ///
    /// - Parameter what: the noun for the value in messages, such as `an address such as F0:00:00:00:00:01`.
    mutating func text(_ entry: YAMLEntry?, what: String) -> String? {
        guard let entry else { return nil }
        guard case .scalar(let scalar) = entry.node else {
            note("`\(entry.key)` is \(what), not a list or keys", at: place(of: entry.node))
            return nil
        }
        guard !scalar.isNull else {
            note("`\(entry.key)` has no value; write \(what), or remove the line", at: entry.place)
            return nil
        }
        guard Self.tags.contains(scalar.tag.description) else {
            note(
                "tags such as \(Quoted.text(scalar.tag.description)) have no meaning here; remove it",
                at: entry.valuePlace)
            return nil
        }
        return scalar.string
    }

    /// Returns the text of an item of a list.
    ///
    /// - Parameter key: the key with the list.
    mutating func text(_ item: Node, of key: String, what: String) -> String? {
        text(YAMLEntry(key: key, place: place(of: item), node: item), what: what)
    }

    /// Returns the items of a list; none for a key without a value.
    mutating func list(_ entry: YAMLEntry?, what: String) -> [Node] {
        guard let entry else { return [] }
        switch entry.node {
        case .sequence(let items): return Array(items)
        case .scalar(let scalar) where scalar.isNull: return []
        default:
            note("`\(entry.key)` is a list of \(what), each on a line that starts with `- `", at: place(of: entry.node))
            return []
        }
    }

    mutating func duration(_ entry: YAMLEntry?, in range: ClosedRange<Duration>) -> Duration? {
        guard let entry, let text = text(entry, what: "a duration such as 30s") else { return nil }
        do {
            let duration = try DurationText.parse(text)
            if range.contains(duration) { return duration }
            note(
                "`\(entry.key)` is \(Quoted.text(text)); it can be from \(DurationText.text(range.lowerBound)) to "
                    + "\(DurationText.text(range.upperBound))", at: entry.valuePlace)
        } catch {
            note("`\(entry.key)` is \(Quoted.text(text)); \(error)", at: entry.valuePlace)
        }
        return nil
    }

    mutating func flag(_ entry: YAMLEntry?) -> Bool? {
        guard let entry, let text = text(entry, what: "true or false") else { return nil }
        if entry.isPlain, let flag = Bool(text) { return flag }
        note("`\(entry.key)` is \(Quoted.text(text)); write true or false", at: entry.valuePlace)
        return nil
    }

    mutating func integer(_ entry: YAMLEntry?, in range: ClosedRange<Int>) -> Int? {
        guard let entry, let text = text(entry, what: "a whole number") else { return nil }
        if entry.isPlain, let number = Int(text), range.contains(number) { return number }
        note(
            "`\(entry.key)` is \(Quoted.text(text)); write a whole number from \(range.lowerBound) to "
                + "\(range.upperBound)", at: entry.valuePlace)
        return nil
    }

    mutating func decimal(_ entry: YAMLEntry?) -> DecimalNumber? {
        guard let entry, let text = text(entry, what: "a number such as 0.01") else { return nil }
        if entry.isPlain, let number = DecimalNumber(text) { return number }
        note(
            "`\(entry.key)` is \(Quoted.text(text)); write a number such as 0.01 or -40",
            at: entry.valuePlace)
        return nil
    }

    private static let tags: Set<String> = Set(
        ["", "!"] + ["str", "int", "bool", "float"].map { "tag:yaml.org,2002:\($0)" })

    private static func unknown(_ key: String, what: String, keys: [String]) -> String {
        if key == "<<" { return "blekeep doesn't read merge keys (`<<`); write the keys instead" }
        if let advice = foreign(key, what: what, keys: keys) {
            return "\(what) has no key \(Quoted.text(key)); write \(advice)"
        }
        guard let meant = Spelling.closest(to: key, among: keys) else {
            return "\(what) has no key \(Quoted.text(key)); it has \(list(keys))"
        }
        return "\(what) has no key \(Quoted.text(key)); did you mean `\(meant)`?"
    }

    /// Says how to write what other programs call by this key; `nil` for a key that isn't usual.
    private static func foreign(_ key: String, what: String, keys: [String]) -> String? {
        switch key {
        case "host", "port", "server", "broker":
            let scheme = ["`mqtt`": "mqtt", "`postgres`": "postgresql"][what] ?? "http"
            return keys.contains("url") ? "`url: \(scheme)://HOST:PORT`" : nil
        case "username": return keys.contains("user") ? "`user`" : nil
        case "password": return keys.contains("password_file") ? "`password_file`, the path of a file that has it" : nil
        case "token": return keys.contains("token_file") ? "`token_file`, the path of a file that has it" : nil
        default: return nil
        }
    }

    private static func list(_ keys: [String]) -> String {
        keys.map { "`\($0)`" }.joined(separator: ", ")
    }
}

/// A key and its value.
struct YAMLEntry {
    var key: String
    /// The place of the key.
    var place: ConfigurationLocation
    var node: Node

    /// The place of the value.
    var valuePlace: ConfigurationLocation {
        ConfigurationLocation(
            file: place.file, line: node.mark?.line ?? place.line, column: node.mark?.column ?? place.column)
    }

    /// Whether the value has no quotes: `true` is a flag, and `"true"` is text.
    var isPlain: Bool { node.scalar?.style == .plain }
}

extension Node.Scalar {
    /// Whether the value is empty or a word for null.
    var isNull: Bool {
        style == .plain && ["", "~", "null", "Null", "NULL"].contains(string)
    }
}
