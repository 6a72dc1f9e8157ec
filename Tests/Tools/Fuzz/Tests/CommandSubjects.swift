import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import Fuzzing

@testable import BlekeepCLI
@testable import BlekeepConfiguration
@testable import blekeep_decode

/// The subjects in the command, which is an executable target that only tests can import.
extension Subject {
    static let commands = [tables, layouts, recipes, captures, configuration, arguments, environment, credentials]

    /// Names in the tables that people look at.
    static let tables = Subject(name: "tables") { dice in
        let shown = Untrusted(dice.text()).description
        _ = DisplayWidth.of(shown)
        let cut = DisplayWidth.cut(shown, to: dice.below(40))
        if let harm = harm(in: cut) { return "cut: \(harm)" }
        var table = Table(columns: [
            .init(title: "A", narrowest: 3), .init(title: "B", isNumeric: true, expendability: 1),
        ])
        table.rows = [[.init(shown), .init(cut)]]
        for line in table.lines(width: dice.below(60), on: .none) {
            if let harm = harm(in: line) { return "table: \(harm)" }
        }
        return nil
    }

    /// Layouts of one's own, made of fields that follow each other by chance.
    static let layouts = Subject(
        name: "own layouts",
        feed: { dice in
            var text = "layouts:\n  - uuid: fff1\n    endian: \(dice.pick(["little", "big"]))\n    fields:\n"
            for number in 0...dice.below(6) {
                let type = dice.pick([
                    "uint1", "uint7", "uint8", "uint12", "uint16", "uint24", "uint32", "uint56", "sint8", "sint16",
                    "sint56", "bits8", "bits16", "medfloat16", "medfloat32", "float32", "float64", "utf8s", "utf8s(3)",
                    "utf8z", "hex", "hex(4)", "datetime", "timeexp8", "eui64", "uuid", "uint8[]", "float64[]", "uint57",
                ])
                text += "      - {name: f\(number), type: \"\(type)\""
                if dice.below(3) == 0 {
                    text += ", scale: \(dice.pick(["0.01", "1e300", "-1e-300", "9999999999999999", "0"]))"
                }
                if dice.below(4) == 0 { text += ", offset: \(dice.pick(["-273.15", "1e308", "0.0000000001"]))" }
                if dice.below(5) == 0 { text += ", if: {bit: \(dice.below(70))}" }
                if dice.below(5) == 0 { text += ", if: {field: f0, is: \(dice.below(300))}" }
                if dice.below(6) == 0 { text += ", special: {0x80: unknown}" }
                text += "}\n"
            }
            let part = ConfigurationPart(text, file: "x", names: Composition.characteristicNames)
            guard let layout = part.configuration.poll.layouts.first else { return nil }
            let decoder = LayoutDecoder(layout)
            for _ in 0..<8 {
                if let problem = check((try? decoder.decode(dice.bytes(upTo: 64))) ?? []) { return problem }
            }
            return nil
        }, share: 8)

    /// blekeep's recipes with random mistakes in their text, and devices that answer anything.
    static let recipes = Subject(
        name: "recipes",
        feed: { dice in
            let text = Array(dice.pick(RecipeCatalogue.sources).text.utf8)
            let broken = String(decoding: dice.below(3) == 0 ? text : dice.broken(text), as: UTF8.self)
            let part = ConfigurationPart(
                "recipes:\n" + broken, file: "x", names: Composition.characteristicNames)
            for problem in part.problems {
                if let harm = harm(in: problem.description) { return "problem: \(harm)" }
            }
            guard let recipe = part.configuration.poll.recipes.first else { return nil }
            for _ in 0..<4 {
                let trial = RecipeTrial(recipe, answers: (0..<4).map { _ in dice.bytes(upTo: 100) })
                if let problem = check(trial.outcome.answers.flatMap(\.measurements)) { return problem }
            }
            return nil
        }, share: 8)

    /// Captures with the device's address at random places, and their files with random mistakes.
    static let captures = Subject(
        name: "captures",
        feed: { dice in
            guard let recipe = RecipeCatalogue.recipe(named: dice.pick(RecipeCatalogue.names)) else { return nil }
            let own = (0..<6).map { _ in UInt8(dice.below(256)) }
            var capture = Capture(address: BluetoothAddress(bits: own.reduce(0) { $0 << 8 | UInt64($1) }))
            capture.name = dice.text()
            capture.recipe = recipe.name
            capture.exchanges = RecipeTrial(recipe, answers: recipe.example).exchange
            for _ in 0..<3 {
                let index = dice.below(capture.exchanges.count)
                guard capture.exchanges[index].kind != .written else { continue }
                let place = dice.below(capture.exchanges[index].bytes.count + 1)
                capture.exchanges[index].bytes.insert(contentsOf: dice.below(2) == 0 ? own : own.reversed(), at: place)
            }
            var packet = Capture.Packet(at: .zero)
            packet.serviceData = [BluetoothUUID(0xFE95): dice.bytes(upTo: 8) + own + dice.bytes(upTo: 8)]
            capture.packets = [packet]
            let redacted = capture.redacted(for: dice.below(4) == 0 ? nil : recipe)
            let text = CaptureFile.text(redacted, by: "blekeep")
            if [own, own.reversed()].contains(where: { text.contains(String(hex: $0)) }) {
                return "the address stayed in \(text)"
            }
            do throws(ConfigurationErrors) {
                guard try CaptureFile.parse(text, file: "x") == redacted else { return "another capture: \(text)" }
            } catch { return "\(error) in \(text)" }
            let broken = String(decoding: dice.broken(Array(text.utf8)), as: UTF8.self)
            do throws(ConfigurationErrors) {
                let read = try CaptureFile.parse(broken, file: "x")
                if let problem = check(read.trial(of: recipe).outcome.answers.flatMap(\.measurements)) {
                    return problem
                }
            } catch {
                for problem in error.problems {
                    if let harm = harm(in: problem.description) { return "problem: \(harm)" }
                }
            }
            return nil
        }, share: 8)

    /// Returns a configuration with random mistakes.
    static let configuration = Subject(
        name: "configuration text",
        feed: { dice in
            var text = Array(goodConfiguration.utf8)
            switch dice.below(3) {
            case 0: text = dice.broken(text)
            case 1:
                let place = dice.below(text.count)
                text.replaceSubrange(place..<min(text.count, place + dice.below(30)), with: Array(dice.text().utf8))
            default: text = Array((0..<dice.below(12)).map { _ in dice.text() }.joined(separator: "\n").utf8)
            }
            let string = String(decoding: text, as: UTF8.self)
            let part = ConfigurationPart(string, file: "x", names: Composition.characteristicNames)
            for problem in part.problems {
                if let harm = harm(in: problem.description) { return "problem: \(harm) of \(string.debugDescription)" }
            }
            return nil
        }, share: 10)

    /// A value in a characteristic's own form.
    private static func encoded(_ text: String, _ uuid: BluetoothUUID) throws(UserError) -> [UInt8] {
        try ValueText([text, "x=\(text)"].suffix(text.utf8.count % 2 + 1)).bytes(
            for: ValueForm(of: uuid, layout: LayoutDecoder(uuid)), of: uuid)
    }

    /// Random arguments of the command line.
    static let arguments = Subject(name: "arguments") { dice in
        let text = dice.text()
        _ = try? DurationText.parse(text)
        if let bytes = try? SizeText.parse(text), (try? SizeText.parse(SizeText.text(bytes))) != bytes {
            return "a size: \(text.debugDescription)"
        }
        _ = try? TimeText.parse(text, now: Int64(dice.below(1 << 41))) { _ in 3600 }
        _ = BluetoothUUID(text)
        _ = BluetoothAddress(text)
        _ = AdapterChoice(text)
        _ = BlekeepCLI.Blekeep.spelled([text, dice.text(), "poll", dice.text()])
        let uuid = BluetoothUUID(UInt16(0x2A00 + dice.below(0x200)))
        let readers: [() throws -> Void] = [{ _ = try CharacteristicName(text) }, { _ = try encoded(text, uuid) }]
        for parse in readers {
            do { try parse() } catch let failure as Failure {
                if let harm = harm(in: failure.message.replacing("\n", with: " ")) { return "message: \(harm)" }
            } catch is UserError {
                // The command makes it a Failure.
            } catch { return "\(error)" }
        }
        let alias = dice.text()
        // Skip texts that a configuration refuses as an alias.
        let known = AliasRule.flaw(in: alias) == nil ? [DeviceConfiguration(alias: alias, address: anyAddress)] : []
        do throws(Failure) { _ = try DeviceName.resolve(text, among: known) } catch {
            if let harm = harm(in: error.message) { return "device: \(harm)" }
        }
        _ = DecodeBatch.gatt.answer(to: "{\"uuid\":\"2a6e\",\"hex\":\"\(text)\"}")
        return nil
    }

    /// Random environment variables.
    static let environment = Subject(name: "environment") { dice in
        var variables: [String: String] = [:]
        let names =
            EnvironmentVariable.allCases.map(\.rawValue) + [
                "STATE_DIRECTORY", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME", "NO_COLOR", "TERM",
                "CREDENTIALS_DIRECTORY", "BLEKEEP_" + dice.text(), "blekeep_" + dice.text(),
            ]
        for name in names where dice.below(2) == 0 {
            // As C has them: up to the first zero.
            variables[String(name.prefix { $0 != "\0" })] = String(
                dice.pick([dice.text(), "/" + dice.text(), "hci0", "10s", "debug"]).prefix { $0 != "\0" })
        }
        // They go through the log, which lets nothing through that could harm.
        guard EnvironmentVariable.warnings(about: variables).count <= 8 else { return "too many warnings" }
        _ = Terminal.standardOutput(noColor: false, environment: variables)
        for path in [
            HistoryPath.default(environment: variables, isRoot: false),
            ConfigurationLoader(environment: variables, names: Composition.characteristicNames).folders.first,
        ] {
            if let path, !path.hasPrefix("/") { return "a place that is none: \(path.debugDescription)" }
        }
        return nil
    }

    /// Files of secrets with random contents.
    static let credentials = Subject(
        name: "credentials",
        feed: { dice in
            let folder = folderInMemory + "/blekeep-credentials-\(getpid())"
            mkdir(folder, 0o700)
            let name = dice.pick(["sensor", dice.text(), "..", ".", "a/b", "", "/etc/passwd", "missing"])
            let secret = "0123456789abcdef0123456789ABCDEF"
            let bytes = dice.below(3) == 0 ? dice.bytes(upTo: 300) : dice.broken(Array("\(secret)\n".utf8))
            let isName = Credentials.isName(name)
            if isName, name != "missing" { _ = write(bytes, to: "\(folder)/\(name)") }
            defer { if isName { unlink("\(folder)/\(name)") } }
            let credentials = Credentials(
                environment: dice.below(9) == 0 ? [:] : ["CREDENTIALS_DIRECTORY": dice.below(9) == 0 ? "" : folder])
            do throws(CredentialError) {
                let line = try credentials.line(name)
                if !isName { return "a credential \(name.debugDescription)" }
                if line.utf8.count > 256 * 3 { return "a line of \(line.utf8.count)" }
                _ = PairingSecret(line)
            } catch {
                if let harm = harm(in: error.description) { return "message: \(harm)" }
            }
            var device = DeviceConfiguration(alias: "x", address: anyAddress)
            device.keyFile = name
            var all = Configuration(poll: PollConfiguration(devices: [device]))
            for problem in all.readKeys(credentials) {
                if let harm = harm(in: problem) { return "problem: \(harm) of \(name.debugDescription)" }
                if problem.contains(secret.prefix(8)) { return "told: \(problem)" }
            }
            return nil
        }, share: 10)

    private static let goodConfiguration = """
        adapter: hci0
        interval: 45s
        max_links: 7
        history: /var/lib/blekeep/history.sqlite
        power: {mode: auto, battery: x2, low: 5m, critical: pause}
        devices:
          - address: F0:00:00:00:00:01
            alias: greenhouse
            interval: 60s
            adaptive: true
            characteristics:
              - temperature
              - uuid: 2a37
                notify: true
                interval: 5m
        layouts:
          - uuid: a0b40010-926d-4d61-98df-8c5c62ee53b3
            name: Soil probe
            endian: big
            fields:
              - {name: flags, type: bits8}
              - {name: temperature, type: sint16, scale: 0.01, offset: -40, unit: °C, special: {0x8000: unknown}}
              - {skip: 1}
              - {name: moisture, type: uint8, scale: 0.5, unit: "%", if: {bit: 0}}
              - {name: label, type: utf8s}
            tests:
              - {hex: 010c4e00c86f6b, expect: {temperature: -8.5, moisture: 100, label: ok}}
        """
}
