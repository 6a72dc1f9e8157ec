import Yams

/// A part of the configuration with keys of its own: the whole file, `history`, or a device. Parser, `config show`,
/// `config init`, the manual and the page of all keys follow from its declarations in `Keys.swift`.
protocol Section {
    /// The section without any key: its values are the defaults. Required keys have a value without a meaning.
    static var blank: Self { get }
    /// In the order in which messages and outputs have them.
    static var keys: [Key<Self>] { get }
    /// The key that a value alone stands for, such as `path` of `history: /x`; `nil` for none.
    static var shorthand: String? { get }
    /// Notes mistakes in keys that depend on each other.
    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader)
    /// What `config show` adds to an item of a list; `nil` for nothing.
    var remark: String? { get }
}

extension Section {
    static var shorthand: String? { nil }
    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {}
    var remark: String? { nil }
}

/// The places of a key, of its value, and of all that is below it. An item of a list has the same place twice.
package struct Located: Sendable, Equatable {
    package var key: ConfigurationLocation
    package var value: ConfigurationLocation
    package var keys: [String: Located] = [:]
    package var items: [Located] = []
    /// The tag whose key it is, where a device has its value; `nil` for a key of its own.
    var tag: String?

    var withoutItems: Located { Located(key: key, value: value) }
}

/// A section as far as it is read, and the places of its keys, also of those with mistakes.
struct Draft<S: Section> {
    var section: S
    var at: Located
    var isComplete = true

    func has(_ key: String) -> Bool { at.keys[key] != nil }
}

/// How a value is written.
struct Form<Value> {
    /// The bounds, or what else the value is, in Markdown.
    var bounds: String
    /// Whether `bounds` excludes something that a reader doesn't expect.
    var isLimit = false
    var words: [(word: String, meaning: String)] = []
    /// What the file is that the value names; `nil` when blekeep doesn't only read it.
    var file: NamedFile.Kind?
    /// Returns the value; otherwise notes a mistake and returns `nil`.
    let read: (YAMLEntry, inout YAMLReader) -> Value?
    let show: (Value) -> SettingValue
}

/// What a declaration tells users about a key. All texts are Markdown.
package struct KeyFacts {
    enum Shape {
        case value
        case section(SectionFacts)
        case list(SectionFacts)
        /// A value with a parser of its own, and the lines of its example.
        case foreign([String])
    }

    package let name: String
    let help: String
    var shape = Shape.value
    var fallback = ""
    var bounds: String
    var isLimit = false
    var words: [(word: String, meaning: String)] = []
    /// A value for each example of the section: `nil` where the example lacks the key.
    var examples: [String?]
    /// The message about a missing key; `nil` when the key isn't required.
    var missing: String?

    /// The default where it isn't a value that a file can have; `nil` for none.
    var defaultInWords: String? {
        let isOther = fallback.hasPrefix("`") || fallback.hasPrefix("required") || fallback == "see below"
        return isOther || fallback == "none" ? nil : fallback
    }

    var isSequence: Bool { bounds.hasPrefix("a list") }

    /// Whether the lists of several files add up.
    var isList: Bool {
        switch shape {
        case .list, .foreign: true
        case .value, .section: false
        }
    }
}

/// What the declarations tell users about a section.
package struct SectionFacts {
    /// The noun in messages, such as `a device`.
    let what: String
    package let keys: [KeyFacts]
    let shorthand: String?

    init<S: Section>(_ keys: [Key<S>], what: String) {
        self.what = what
        self.keys = keys.map(\.facts)
        shorthand = S.shorthand
    }
}

struct Key<S: Section> {
    let facts: KeyFacts
    /// Reads the value into the draft, and returns whether it could.
    let read: (YAMLEntry, inout YAMLReader, inout Draft<S>) -> Bool
    /// Returns the setting in force; `nil` when it needs no mention.
    let show: (S, Located?, Showing) -> Setting?
    /// Takes the value from another section; adds it, if the key is a list.
    let take: (S, inout S) -> Void
    /// Removes the items of a list; `nil` for another value.
    private(set) var clear: ((inout S) -> Void)?

    /// When `config show` has a key.
    enum Shown {
        case always
        case unlessDefault
        case when((S) -> Bool)
    }

    /// - Parameters:
    ///   - fallback: the default in words; `nil` for the value in `blank`.
    ///   - examples: values for `config init`; `nil` for the default.
    ///   - required: the first half of the message about a missing key; `nil` when the key isn't required.
    init<Value>(
        _ name: String, _ path: WritableKeyPath<S, Value>, _ form: Form<Value>, default fallback: String? = nil,
        examples: [String?]? = nil, shown: Shown = .always, required: String? = nil, _ help: String
    ) {
        let usual = form.show(S.blank[keyPath: path])
        // A word such as `off` is the word, although YAML may take it for another value elsewhere.
        let word = form.words.first { usual == .text($0.word) }?.word
        let otherwise = required == nil ? "`\(word ?? YAMLString.text(usual))`" : "required"
        self.init(
            name, path, { $0 }, form, default: fallback ?? otherwise, examples: examples ?? [YAMLString.text(usual)],
            required: required, help,
            show: { section, at, _ in
                let value = form.show(section[keyPath: path])
                switch shown {
                case .unlessDefault where value == usual: return nil
                case .when(let isShown) where !isShown(section): return nil
                default: return Setting(name, value, at, file: form.file)
                }
            })
    }

    /// A key without a default value.
    ///
    /// - Parameters:
    ///   - inherited: the value of the whole configuration that the section has without the key; `nil` for none.
    ///   - remark: what `config show` writes in a comment without the key; `nil` for nothing.
    init<Value>(
        _ name: String, _ path: WritableKeyPath<S, Value?>, _ form: Form<Value>, default fallback: String = "none",
        inherited: KeyPath<Configuration, Value>? = nil, remark: String? = nil, examples: [String?] = [],
        _ help: String
    ) {
        self.init(
            name, path, { $0 }, form, default: inherited == nil ? fallback : "that of all devices",
            examples: examples, required: nil, help,
            show: { section, at, showing in
                if let value = section[keyPath: path] { return Setting(name, form.show(value), at, file: form.file) }
                if let inherited {
                    let value = form.show(showing.configuration[keyPath: inherited])
                    return Setting(name, value, origin: "as for all", isRemark: true)
                }
                return remark.map { Setting(name, .text($0), origin: "default", isRemark: true) }
            })
    }

    /// - Parameter stored: returns the form in which the section has a value.
    private init<Value, Stored>(
        _ name: String, _ path: WritableKeyPath<S, Stored>, _ stored: @escaping (Value) -> Stored, _ form: Form<Value>,
        default fallback: String, examples: [String?], required: String?, _ help: String,
        show: @escaping (S, Located?, Showing) -> Setting?
    ) {
        facts = KeyFacts(
            name: name, help: help, fallback: fallback, bounds: form.bounds, isLimit: form.isLimit, words: form.words,
            examples: examples,
            missing: required.map { "\($0); add one, such as `\(name): \((examples.first ?? nil) ?? "")`" })
        read = { entry, reader, draft in
            draft.at.keys[name] = Located(key: entry.place, value: entry.valuePlace)
            guard let value = form.read(entry, &reader) else { return false }
            draft.section[keyPath: path] = stored(value)
            return true
        }
        self.show = show
        take = { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// A section that always has a value.
    init<C: Section>(
        _ name: String, section path: WritableKeyPath<S, C>, as what: String? = nil, example: String? = nil,
        _ help: String
    ) {
        self.init(name, as: what, isInline: false, example: example, help, get: { $0[keyPath: path] }) {
            $1[keyPath: path] = $0
        }
    }

    /// A section that may be missing.
    ///
    /// - Parameters:
    ///   - isInline: whether `config show` and the example write it on one line.
    ///   - example: the example on one line; `nil` for one with all keys.
    init<C: Section>(
        _ name: String, section path: WritableKeyPath<S, C?>, as what: String? = nil, isInline: Bool = false,
        default fallback: String = "none", example: String? = nil, _ help: String
    ) {
        self.init(
            name, as: what, isInline: isInline, default: fallback, example: example, help, get: { $0[keyPath: path] }
        ) { $1[keyPath: path] = $0 }
    }

    private init<C: Section>(
        _ name: String, as what: String?, isInline: Bool, default fallback: String = "see below", example: String?,
        _ help: String, get: @escaping (S) -> C?, set: @escaping (C, inout S) -> Void
    ) {
        // Once for all sections of this kind.
        let keys = C.keys
        let inner = SectionFacts(keys, what: what ?? "`\(name)`")
        let short = inner.keys.first { $0.name == inner.shorthand }
        facts = KeyFacts(
            name: name, help: help, shape: example == nil ? .section(inner) : .value, fallback: fallback,
            bounds: isInline
                ? inner.keys.map { "`\($0.name)`" }.joined(separator: ", ")
                : short.map { "\($0.bounds), or keys" } ?? "keys",
            examples: [example ?? ""])
        read = { entry, reader, draft in
            draft.at.keys[name] = Located(key: entry.place, value: entry.valuePlace)
            guard let child = reader.section(keys, of: entry, as: inner.what) else { return false }
            set(child.section, &draft.section)
            draft.at.keys[name] = child.at
            return true
        }
        show = { section, at, showing in
            get(section).map { child in
                let settings = child.settings(keys, at: at, showing: showing.inside(name))
                return Setting(key: name, content: .section(settings, isInline: isInline), at: at)
            }
        }
        take = { other, section in if let child = get(other) { set(child, &section) } }
    }

    /// A list of sections.
    ///
    /// - Parameters:
    ///   - isInline: whether `config show` writes each item on one line.
    ///   - example: the number of the section's example that has the key.
    ///   - isShownEmpty: whether `config show` writes a list without items.
    init<C: Section>(
        _ name: String, list path: WritableKeyPath<S, [C]>, of what: String, isInline: Bool = false,
        default fallback: String = "none", example: Int = 0, isShownEmpty: Bool = true, _ help: String
    ) {
        let keys = C.keys
        facts = KeyFacts(
            name: name, help: help, shape: .list(SectionFacts(keys, what: what)), fallback: fallback,
            bounds: "a list", examples: [String?](repeating: nil, count: example) + [""])
        read = { entry, reader, draft in
            var at = Located(key: entry.place, value: entry.valuePlace)
            for node in reader.list(entry, what: name) {
                let item = YAMLEntry(key: name, place: reader.place(of: node), node: node)
                guard let child = reader.section(keys, of: item, as: what) else { continue }
                draft.section[keyPath: path].append(child.section)
                at.items.append(child.at)
            }
            draft.at.keys[name] = at
            return true
        }
        show = { section, at, showing in
            if !isShownEmpty, section[keyPath: path].isEmpty { return nil }
            let items = section[keyPath: path].enumerated().map { index, child in
                Setting.Item(
                    settings: child.settings(keys, at: at?.items.dropFirst(index).first, showing: showing.inside(name)),
                    remark: child.remark, isInline: isInline)
            }
            return Setting(key: name, content: .list(items), at: at)
        }
        take = { $1[keyPath: path] += $0[keyPath: path] }
        clear = { $0[keyPath: path] = [] }
    }

    /// Takes the value of another section instead of its own.
    func replace(from other: S, in section: inout S) {
        clear?(&section)
        take(other, &section)
    }

    /// A key with a reader of its own.
    init(
        facts: KeyFacts, read: @escaping (YAMLEntry, inout YAMLReader, inout Draft<S>) -> Bool,
        show: @escaping (S, Located?, Showing) -> Setting?, take: @escaping (S, inout S) -> Void
    ) {
        self.facts = facts
        self.read = read
        self.show = show
        self.take = take
    }
}

extension YAMLReader {
    /// Reads a section with its keys. Unknown keys are mistakes, and so are missing ones that are required.
    ///
    /// - Parameter what: the noun for the section in messages, such as `a device`.
    /// - Returns: `nil` without a required key.
    mutating func section<S: Section>(_ keys: [Key<S>], of entry: YAMLEntry, as what: String) -> Draft<S>? {
        var draft = Draft(section: S.blank, at: Located(key: entry.place, value: place(of: entry.node)))
        if case .scalar = entry.node, let key = keys.first(where: { $0.facts.name == S.shorthand }) {
            return key.read(entry, &self, &draft) ? draft : nil
        }
        guard let entries = mapping(entry.node, what: what, keys: keys.map(\.facts.name)) else { return nil }
        for key in keys {
            if let entry = entries[key.facts.name] {
                if !key.read(entry, &self, &draft), key.facts.missing != nil { draft.isComplete = false }
            } else if let message = key.facts.missing {
                note(message, at: draft.at.value)
                draft.isComplete = false
            }
        }
        S.check(draft, in: &self)
        return draft.isComplete ? draft : nil
    }
}

// MARK: What is in force

/// The value of a setting, which YAML and JSON write differently.
package enum SettingValue: Sendable, Hashable, ExpressibleByStringInterpolation {
    case text(String)
    case number(Int)
    case flag(Bool)
    case words([String])
    /// A mapping on one line of YAML.
    case mapping(String)

    package init(stringLiteral text: String) { self = .text(text) }
}

/// A setting in force, and where it comes from.
package struct Setting {
    package enum Content {
        case value(SettingValue)
        case section([Setting], isInline: Bool)
        case list([Item])
    }

    package struct Item {
        package var settings: [Setting]
        /// What YAML has in place of the settings; `nil` for the settings.
        package var lines: [String]?
        /// A name for the user that the file doesn't have.
        package var remark: String?
        package var isInline = false
    }

    package let key: String
    package var content: Content
    /// The place in a file, the option, the variable, or `default`.
    package var origin: String
    /// Whether the configuration file has no such key, or takes the value from elsewhere without it.
    package var isRemark = false
    /// The place in a file; `nil` for other origins.
    var place: ConfigurationLocation?
    /// What the file is that the value names; `nil` when blekeep doesn't only read it.
    var file: NamedFile.Kind?

    package init(_ key: String, _ value: SettingValue, origin: String, isRemark: Bool) {
        self.init(key: key, content: .value(value), at: nil)
        self.origin = origin
        self.isRemark = isRemark
    }

    fileprivate init(_ key: String, _ value: SettingValue, _ at: Located?, file: NamedFile.Kind?) {
        self.init(key: key, content: .value(value), at: at)
        self.file = file
    }

    init(key: String, content: Content, at: Located?) {
        self.key = key
        self.content = content
        place = at?.key
        let origin = place?.description ?? "default"
        self.origin = at?.tag.map { "as for tag:\($0), \(origin)" } ?? origin
        isRemark = at?.tag != nil
    }
}

/// What the settings of a section follow from besides the section.
struct Showing {
    let configuration: Configuration
    /// The settings that come from options or the environment, by their path, such as `history.path`.
    var overrides: [String: Setting] = [:]
    /// The path of the section, with a dot behind each name.
    var path = ""

    func inside(_ key: String) -> Showing {
        var inner = self
        inner.path += "\(key)."
        return inner
    }
}

extension Section {
    func settings(_ keys: [Key<Self>], at: Located?, showing: Showing) -> [Setting] {
        keys.compactMap { key in
            showing.overrides[showing.path + key.facts.name] ?? key.show(self, at?.keys[key.facts.name], showing)
        }
    }
}
