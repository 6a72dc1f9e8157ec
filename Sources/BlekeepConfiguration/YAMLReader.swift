import BlekeepOutputs
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
    /// The fields of the recipe or the layout that is read now, as far as it is read.
    var fields = FieldNames()

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

    /// Returns an item of a list as text, for `config show`. Characters that nobody sees are spelled out.
    func source(_ item: Node) -> String {
        func text(allowUnicode: Bool) -> String {
            let node = Node([item.compact(isWhole: true)])
            return (try? Yams.serialize(node: node, width: 120, allowUnicode: allowUnicode)) ?? ""
        }
        let plain = text(allowUnicode: true)
        let isVisible = plain.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isInvisible }
        return isVisible ? plain : text(allowUnicode: false)
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

    /// Returns what a text stands for. For another text, notes a mistake and returns `nil`.
    ///
    /// - Parameter mistake: returns the message from the quoted text.
    mutating func value<Value>(
        _ entry: YAMLEntry?, what: String, _ parse: (String) -> Value?, else mistake: (String) -> String
    ) -> Value? {
        guard let entry, let text = text(entry, what: what) else { return nil }
        if let value = parse(text) { return value }
        note(mistake(Quoted.text(text)), at: entry.valuePlace)
        return nil
    }

    /// Returns an item of a list as if it were the value of the list's key.
    func item(_ node: Node, of key: String) -> YAMLEntry { YAMLEntry(key: key, place: place(of: node), node: node) }

    /// Returns the text of an item of a list.
    ///
    /// - Parameter key: the key with the list.
    mutating func text(_ item: Node, of key: String, what: String) -> String? {
        text(self.item(item, of: key), what: what)
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
        guard let entry else { return nil }
        return value(
            entry, what: "true or false", { entry.isPlain ? Bool($0) : nil },
            else: { "`\(entry.key)` is \($0); write true or false" })
    }

    mutating func integer(_ entry: YAMLEntry?, in range: ClosedRange<Int>) -> Int? {
        guard let entry else { return nil }
        return value(
            entry, what: "a whole number",
            { text in Int(text).flatMap { entry.isPlain && range.contains($0) ? $0 : nil } },
            else: { "`\(entry.key)` is \($0); write a whole number from \(range.lowerBound) to \(range.upperBound)" })
    }

    mutating func decimal(_ entry: YAMLEntry?) -> DecimalNumber? {
        guard let entry else { return nil }
        return value(
            entry, what: "a number such as 0.01", { entry.isPlain ? DecimalNumber($0) : nil },
            else: { "`\(entry.key)` is \($0); write a number such as 0.01 or -40" })
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

    var valuePlace: ConfigurationLocation {
        ConfigurationLocation(
            file: place.file, line: node.mark?.line ?? place.line, column: node.mark?.column ?? place.column)
    }

    /// Whether the value has no quotes: `true` is a flag, and `"true"` is text.
    var isPlain: Bool { node.scalar?.style == .plain }
}

extension Node.Scalar {
    /// Whether the value is empty or a word for null.
    var isNull: Bool { style == .plain && ["", "~", "null", "Null", "NULL"].contains(string) }
}

extension Node {
    /// Returns the node with small mappings, such as those of fields, in braces. Yams loses how they were written.
    ///
    /// - Parameter isWhole: whether it is a whole recipe or layout, which has a line for each key.
    fileprivate func compact(isWhole: Bool = false) -> Node {
        switch self {
        case .mapping(let mapping):
            let style: Node.Mapping.Style = isWhole || depth > 3 ? .block : .flow
            return .mapping(Mapping(mapping.map { ($0.key, $0.value.compact()) }, mapping.tag, style))
        case .sequence(let items): return .sequence(Sequence(items.map { $0.compact() }, items.tag, items.style))
        default: return self
        }
    }

    private var depth: Int {
        switch self {
        case .mapping(let mapping): 1 + (mapping.map(\.value.depth).max() ?? 0)
        case .sequence(let items): 1 + (items.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}
