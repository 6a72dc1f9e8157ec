import BlekeepOutputs
import BlekeepRecords
import Yams

/// The forms of values that several keys, or lists of words, have.
extension Form {
    /// A value that a text stands for.
    ///
    /// - Parameters:
    ///   - what: the noun in messages, such as `a size such as 256MiB`.
    ///   - parse: returns the value, or `nil` for another text.
    ///   - mistake: returns the message about another text, from the key and the quoted text.
    static func text(
        _ what: String, bounds: String, isLimit: Bool = false, parse: @escaping (String) -> Value?,
        else mistake: @escaping (String, String) -> String, show: @escaping (Value) -> SettingValue
    ) -> Form {
        Form(
            bounds: bounds, isLimit: isLimit,
            read: { entry, reader in reader.value(entry, what: what, parse, else: { mistake(entry.key, $0) }) },
            show: show)
    }
}

// MARK: Numbers

extension Form<Duration> {
    static func duration(in range: ClosedRange<Duration>) -> Form {
        let (least, most) = (DurationText.text(range.lowerBound), DurationText.text(range.upperBound))
        return Form(
            bounds: "`\(least)` to `\(most)`", isLimit: true, read: { $1.duration($0, in: range) },
            show: { .text(DurationText.text($0)) })
    }
}

extension Form<Int> {
    static func integer(in range: ClosedRange<Int>) -> Form {
        Form(
            bounds: "`\(range.lowerBound)` to `\(range.upperBound)`", isLimit: true,
            read: { $1.integer($0, in: range) }, show: { .number($0) })
    }
}

extension Form<Bool> {
    static var flag: Form { Form(bounds: "`true` or `false`", read: { $1.flag($0) }, show: { .flag($0) }) }
}

extension Form<DecimalNumber> {
    static var decimal: Form {
        Form(bounds: "a number", read: { $1.decimal($0) }, show: { .mapping($0.description) })
    }

    static var factor: Form {
        Form(
            bounds: "a number other than `0`",
            read: { entry, reader in
                guard let factor = reader.decimal(entry) else { return nil }
                if factor.digits != 0 { return factor }
                reader.note("a `\(entry.key)` of 0 makes all values equal; write another one", at: entry.valuePlace)
                return nil
            }, show: { .mapping($0.description) })
    }
}

extension Form<Int64> {
    static func size(atLeast least: Int64) -> Form {
        Form(
            bounds: least == 0 ? "`0` or more" : "at least `\(SizeText.text(least))`", isLimit: least > 0,
            read: { entry, reader in
                guard let text = reader.text(entry, what: "a size such as 256MiB") else { return nil }
                do {
                    let size = try SizeText.parse(text)
                    if size >= least { return size }
                    reader.note(
                        "`\(entry.key)` is \(Quoted.text(text)); it must be at least \(SizeText.text(least))",
                        at: entry.valuePlace)
                } catch {
                    reader.note("`\(entry.key)` is \(Quoted.text(text)); \(error)", at: entry.valuePlace)
                }
                return nil
            }, show: { .text(SizeText.text($0)) })
    }
}

extension Form<PowerIntervals.Rule> {
    static var rule: Form {
        let range = PollConfiguration.intervals
        let (least, most) = (DurationText.text(range.lowerBound), DurationText.text(range.upperBound))
        let what = "an interval from \(least) to \(most), a factor from x1 to x1000, or pause"
        return .text(
            what, bounds: "`\(least)` to `\(most)`, `x1` to `x1000`, or `pause`", isLimit: true,
            parse: { text in
                if text == "pause" { return .pause }
                if text.hasPrefix("x"), let factor = Int(text.dropFirst()), (1...1000).contains(factor) {
                    return .times(factor)
                }
                guard let interval = try? DurationText.parse(text), range.contains(interval) else { return nil }
                return .every(interval)
            }, else: { "`\($0)` is \($1); write \(what)" },
            show: { rule in
                switch rule {
                case .every(let interval): .text(DurationText.text(interval))
                case .times(let factor): .text("x\(factor)")
                case .pause: "pause"
                }
            })
    }
}

// MARK: Words

extension Form where Value: CaseIterable & RawRepresentable<String> {
    /// One of several words.
    ///
    /// - Parameters:
    ///   - noun: the noun for the word in messages, such as `a mode`.
    ///   - meaning: returns what a word means.
    static func word(_ noun: String, meaning: ((Value) -> String)? = nil) -> Form {
        let words = Value.allCases.map(\.rawValue)
        let all = list(words, last: "or")
        var form = Form(
            // More words than a line can have are on a page of their own.
            bounds: list(words.map { "`\($0)`" }, last: "or"), isLimit: words.count <= 5,
            read: { entry, reader in
                guard let text = reader.text(entry, what: all) else { return nil }
                if let word = Value(rawValue: text) { return word }
                let meant = Spelling.meant(by: text, among: words)
                reader.note(
                    "\(Quoted.text(text)) isn't \(noun); \(meant.map { "did you mean `\($0)`?" } ?? "write \(all)")",
                    at: entry.valuePlace)
                return nil
            }, show: { .text($0.rawValue) })
        if let meaning { form.words = Value.allCases.map { ($0.rawValue, meaning($0)) } }
        return form
    }
}

extension Form {
    private static func list(_ words: [String], last: String) -> String {
        "\(words.dropLast().joined(separator: ", ")) \(last) \(words.last ?? "")"
    }

    /// A list of words, in any order.
    ///
    /// - Parameter noun: the noun for a word in messages, such as `an event`.
    static func words<Word>(_ noun: String) -> Form
    where Word: CaseIterable & Hashable & RawRepresentable<String>, Value == Set<Word> {
        let words = Word.allCases.map(\.rawValue)
        let all = list(words, last: "and")
        return Form(
            bounds: "a list of \(list(words.map { "`\($0)`" }, last: "and"))",
            read: { entry, reader in
                let nodes = reader.list(entry, what: entry.key)
                return Set(
                    nodes.compactMap { node in
                        guard let text = reader.text(node, of: entry.key, what: noun) else { return nil }
                        if let word = Word(rawValue: text) { return word }
                        reader.note(
                            "\(Quoted.text(text)) isn't \(noun); `\(entry.key)` can have \(all)",
                            at: reader.place(of: node))
                        return nil
                    })
            }, show: { chosen in .words(Word.allCases.filter(chosen.contains).map(\.rawValue)) })
    }
}

extension Form<[String]> {
    static var tags: Form {
        Form(
            bounds: "a list of up to \(TagRule.maxTags) words",
            read: { entry, reader in
                var tags: [String] = []
                for node in reader.list(entry, what: "tags") {
                    let place = reader.place(of: node)
                    guard let tag = reader.text(node, of: "tags", what: "a word such as cellar") else { continue }
                    if let flaw = TagRule.flaw(in: tag) {
                        reader.note("the tag \(Quoted.text(tag)) \(flaw)", at: place)
                    } else if tags.contains(tag) {
                        reader.note("the tag `\(tag)` is listed already; keep one", at: place)
                    } else if tags.count >= TagRule.maxTags {
                        reader.note("a device has at most \(TagRule.maxTags) tags; remove this one", at: place)
                    } else {
                        tags.append(tag)
                    }
                }
                return tags
            }, show: { .words($0) })
    }

    static var fieldNames: Form {
        Form(
            bounds: "a list of names",
            read: { entry, reader in
                var names: [String] = []
                for node in reader.list(entry, what: "names of fields") {
                    let place = reader.place(of: node)
                    if node.mapping != nil {
                        reader.note("`fields` has only names; `calibration` corrects fields", at: place)
                        continue
                    }
                    guard let name = reader.text(node, of: entry.key, what: "a field's name") else { continue }
                    if !Form<String>.isFieldName(name) {
                        reader.note(Form<String>.noFieldName(Quoted.text(name)), at: place)
                    } else if names.contains(name) {
                        reader.note("the field `\(name)` is listed already; keep one", at: place)
                    } else {
                        for misfit in FieldMisfit.all([name], derived: [], in: []) {
                            reader.note(misfit.message(of: nil), at: place)
                        }
                        names.append(name)
                    }
                }
                return names
            }, show: { .words($0) })
    }

    /// The gateways that may read a device, the preferred ones first.
    static var gateways: Form {
        Form(
            bounds: "a list of up to \(DeviceConfiguration.maxGateways) names",
            read: { entry, reader in
                var names: [String] = []
                for node in reader.list(entry, what: "names of gateways") {
                    let place = reader.place(of: node)
                    guard let name = reader.text(node, of: entry.key, what: "a gateway's name") else { continue }
                    if !MQTTConfiguration.isTopicPart(name) {
                        reader.note(ConfigurationMerge.noGateway(name), at: place)
                    } else if names.contains(name) {
                        reader.note("the gateway `\(name)` is listed already; keep one", at: place)
                    } else if names.count >= DeviceConfiguration.maxGateways {
                        reader.note(
                            "a device has at most \(DeviceConfiguration.maxGateways) gateways; remove this one",
                            at: place)
                    } else {
                        names.append(name)
                    }
                }
                return names
            }, show: { .words($0) })
    }

    static var ruleNames: Form {
        Form(
            bounds: "a list of up to \(Rule.maxRules) names",
            read: { entry, reader in
                let nodes = reader.list(entry, what: "names of rules")
                return Array(
                    nodes.compactMap { reader.text($0, of: "rules", what: "a rule's name") }.prefix(Rule.maxRules))
            }, show: { .words($0) })
    }

    /// A program and its arguments.
    static var command: Form {
        Form(
            bounds: "a list: an absolute path, and arguments",
            read: { entry, reader in
                let nodes = reader.list(entry, what: "the program and its arguments")
                let words = nodes.compactMap { reader.text($0, of: entry.key, what: "a program or an argument") }
                guard let program = words.first, words.count == nodes.count else { return nil }
                if program.hasPrefix("/") { return words }
                reader.note(
                    "\(Quoted.text(program)) isn't an absolute path of a program", at: reader.place(of: nodes[0]))
                return nil
            }, show: { .words($0) })
    }
}

// MARK: Rules

extension Form<Rule.Condition> {
    static var condition: Form {
        .words("a condition such as temperature of freezer > -10 °C for 15m", read: Rule.Condition.init)
    }
}

extension Form<Rule.End> {
    static var end: Form { .words("a comparison such as < -12 °C", read: Rule.End.init) }
}

extension Form where Value: CustomStringConvertible {
    fileprivate static func words(_ what: String, read: @escaping (String) throws(UserError) -> Value) -> Form {
        Form(
            bounds: what.hasPrefix("a condition") ? "a condition" : "a comparison",
            read: { entry, reader in
                guard let text = reader.text(entry, what: what) else { return nil }
                do throws(UserError) { return try read(text) } catch {
                    reader.note("`\(entry.key)` is \(Quoted.text(text)); \(error.message)", at: entry.valuePlace)
                    return nil
                }
            }, show: { .text($0.description) })
    }
}

// MARK: Texts

extension Form<String> {
    private static func isPath(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("/") && !text.unicodeScalars.contains(where: \.isInvisible)
    }

    private static func filePath(_ text: String) -> String? { isPath(text) && !text.hasSuffix("/") ? text : nil }

    private static func notPath(_ key: String, text: String) -> String {
        "\(text) isn't an absolute path of a file; write one such as /var/lib/blekeep/history.sqlite"
    }

    fileprivate static func isFieldName(_ text: String) -> Bool { text.isWord(max: 64) }

    fileprivate static func noFieldName(_ text: String) -> String {
        "\(text) isn't the name of a field; write one such as temperature"
    }

    static var fieldName: Form {
        .text(
            "a field's name", bounds: "a name", parse: { isFieldName($0) ? $0 : nil },
            else: { _, text in noFieldName(text) }, show: { .text($0) })
    }

    static var path: Form {
        .text("the path of a file", bounds: "a path", parse: filePath, else: notPath, show: { .text($0) })
    }

    /// A file with certificates or a key for TLS.
    static var certificate: Form {
        var form = path
        form.file = .certificates
        return form
    }

    static var folder: Form {
        .text(
            "the path of a folder", bounds: "a path",
            parse: { text in
                var path = text[...]
                while path.hasSuffix("/") { path.removeLast() }
                return isPath(path) ? String(path) : nil
            },
            else: { "\($1) isn't an absolute path of a folder; write one such as /var/lib/prometheus/node-exporter" },
            show: { .text($0) })
    }

    /// A path, or the name of a credential.
    static func secret(_ kind: NamedFile.Kind) -> Form {
        Form(
            bounds: "a path or a credential's name", isLimit: true, file: kind,
            read: { entry, reader in
                guard let text = reader.text(entry, what: "the path of a file, or a credential's name") else {
                    return nil
                }
                let message: String
                if kind == .key, AdvertisementKey(hex: text) != nil {
                    message =
                        "don't write keys in a configuration; put the key into a file or a systemd credential, and "
                        + "name it here"
                } else if filePath(text) != nil || Credentials.isName(text) {
                    return text
                } else if text.hasPrefix("/") {
                    message = notPath(entry.key, text: Quoted.text(text))
                } else {
                    message = "\(Quoted.text(text)) is neither the whole path of a file nor a credential's name"
                }
                reader.note(message, at: entry.valuePlace)
                return nil
            }, show: { .text($0) })
    }

    static func any(_ what: String) -> Form {
        .text(what, bounds: what, parse: { $0 }, else: { _, _ in "" }, show: { .text($0) })
    }

    /// A name of something in a server.
    static var name: Form {
        .text(
            "a name", bounds: "a name",
            parse: {
                !$0.isEmpty && $0.utf8.count <= 256 && !$0.unicodeScalars.contains(where: \.isInvisible) ? $0 : nil
            }, else: { "`\($0)` is \($1); it can have up to 256 visible characters" }, show: { .text($0) })
    }

    /// A part of MQTT's topics.
    static var topicPart: Form {
        .text(
            "a word", bounds: "up to 64 letters, digits, `_`, `-`",
            parse: { MQTTConfiguration.isTopicPart($0) ? $0 : nil },
            else: { "`\($0)` is \($1); it can have up to 64 letters, digits, `_` and `-`" }, show: { .text($0) })
    }

    static var gatewayName: Form {
        .text(
            "a word", bounds: "up to 64 letters, digits, `_`, `-`, and not `any`",
            parse: { MQTTConfiguration.isTopicPart($0) && $0 != DeviceConfiguration.anyGateway ? $0 : nil },
            else: { "`\($0)` is \($1); it can have up to 64 letters, digits, `_` and `-`, and isn't `any`" },
            show: { .text($0) })
    }

    /// The name of a header of HTTP.
    static var header: Form {
        .text(
            "a header's name", bounds: "a header's name",
            parse: { text in
                let others = "!#$%&'*+-.^_`|~".utf8
                let isToken = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || others.contains($0) }
                return isToken && (1...64).contains(text.utf8.count) ? text : nil
            }, else: { "`\($0)` is \($1); it can be a header's name, such as X-Api-Key" }, show: { .text($0) })
    }

    static var alias: Form {
        Form(
            bounds: "up to \(AliasRule.limit) characters",
            read: { entry, reader in
                guard let text = reader.text(entry, what: "a name for the device") else { return nil }
                guard let flaw = AliasRule.flaw(in: text) else { return text }
                reader.note("the alias \(Quoted.text(text)) \(flaw)", at: entry.valuePlace)
                return nil
            }, show: { .text($0) })
    }
}

extension Form<String?> {
    /// A part of topics, or `false` for none.
    static var topicPartOrFalse: Form {
        Form(
            bounds: "as `base`, or `false`",
            read: { entry, reader in
                entry.node.bool == false
                    ? .some(nil) : Form<String>.topicPart.read(entry, &reader).map { .some($0) }
            }, show: { $0.map { .text($0) } ?? .flag(false) })
    }
}

extension Form<MQTTConfiguration.Version> {
    static var version: Form {
        .text(
            "auto, 5 or 3.1.1", bounds: "`auto`, `5` or `3.1.1`", isLimit: true, parse: Value.init(rawValue:),
            else: { "`\($0)` is \($1); it can be auto, 5 or 3.1.1" }, show: { .text($0.rawValue) })
    }
}

// MARK: Bluetooth

extension Form<AdapterChoice> {
    static var adapter: Form {
        .text(
            "an adapter's address, or its name such as hci0", bounds: "an adapter", parse: { AdapterChoice($0) },
            else: { "\($1) isn't an adapter; write its address, or its name such as hci0" },
            show: { .text($0.description) })
    }
}

extension Form<BluetoothAddress> {
    static var address: Form {
        .text(
            "an address such as F0:00:00:00:00:01", bounds: "six pairs of hex digits",
            parse: { BluetoothAddress($0) },
            else: { "\($1) isn't an address; write six pairs of hex digits, such as F0:00:00:00:00:01" },
            show: { .text($0.description) })
    }
}

extension Form<DeviceID> {
    static var deviceID: Form {
        .text(
            "a device's ID", bounds: "1 to 32 of `a-z`, `0-9` and `_`", parse: { DeviceID($0) },
            else: { "\($1) isn't an ID; write 1 to 32 lower-case letters, digits and `_`, such as greenhouse" },
            show: { .text($0.description) })
    }
}

extension Form<BluetoothUUID> {
    static var characteristic: Form {
        Form(
            bounds: "a name or UUID",
            read: { entry, reader in
                guard let text = reader.text(entry, what: "a characteristic's name or UUID") else { return nil }
                if let uuid = BluetoothUUID(text) ?? reader.names.find(text) { return uuid }
                let meant = reader.names.closest(text).map { "did you mean `\($0)`?" } ?? "give its UUID, such as 2a6e"
                reader.note("no characteristic is called \(Quoted.text(text)); \(meant)", at: entry.valuePlace)
                return nil
            }, show: { .text($0.description) })
    }

    static var service: Form {
        .text(
            "a service's UUID such as 180d", bounds: "a UUID", parse: { BluetoothUUID($0) },
            else: { "\($1) isn't a UUID; write 4 hex digits such as 180d, or all 32 with hyphens" },
            show: { .text($0.description) })
    }
}

// MARK: Servers

extension Form<ServerURL> {
    static var mqttURL: Form { url(of: ServerURL.mqtt, "mqtt", usual: "1883 or 8883", bounds: "") }

    static func httpURL(bounds: String = "") -> Form {
        url(of: ServerURL.http, "http", usual: "80 or 443", bounds: bounds)
    }

    private static func url(
        of parse: @escaping (String) -> ServerURL?, _ scheme: String, usual: String, bounds: String
    ) -> Form {
        .text(
            "a URL", bounds: "`\(scheme)://HOST[:PORT]` or `\(scheme)s://HOST[:PORT]`\(bounds)", parse: parse,
            else: { key, _ in
                "`\(key)` isn't \(scheme)://HOST or \(scheme)s://HOST, with :PORT where it is another than \(usual)"
            }, show: { .text($0.text) })
    }
}

extension Form<PostgresURL> {
    static var postgresURL: Form {
        .text(
            "a URL", bounds: "`postgresql://[USER@]HOST[:PORT][,HOST…]/DATABASE`", parse: PostgresURL.init,
            else: { key, _ in
                "`\(key)` isn't postgresql://USER@HOST/DATABASE, with :PORT where it is another than 5432, and with `password_file` for a password"
            }, show: { .text($0.text) })
    }
}

/// Sizes as users write them: `512KiB`, `256MiB`, `1GiB`, `10MB`. A number without a unit is bytes.
enum SizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000),
    ]
    /// Other ways to write `kB` and bytes.
    private static let otherUnits: [(name: String, bytes: Int64)] = [("KB", 1000), ("B", 1), ("", 1)]

    /// Reads a whole number with or without a unit, as bytes.
    /// Throws `UserError`, which says how to write a size, without the text itself.
    static func parse(_ text: some StringProtocol) throws(UserError) -> Int64 {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard !digits.isEmpty, let factor = (units + otherUnits).first(where: { $0.name == unit })?.bytes else {
            throw UserError("write a whole number with the unit KiB, MiB, GiB, kB, MB or GB, such as 256MiB")
        }
        guard let count = Int64(digits), case let (bytes, overflow) = count.multipliedReportingOverflow(by: factor),
            !overflow
        else { throw UserError("that is too large; write less") }
        return bytes
    }

    /// Returns the shortest text that `parse` reads as the same size.
    static func text(_ bytes: Int64) -> String {
        let texts = units.filter { bytes != 0 && bytes % $0.bytes == 0 }.map { "\(bytes / $0.bytes)\($0.name)" }
        return texts.min { $0.utf8.count < $1.utf8.count } ?? "\(bytes)"
    }
}
