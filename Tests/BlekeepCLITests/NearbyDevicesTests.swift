import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// Whether the machine has no configuration. For root, it would come before that of the tests.
private let isWithoutConfiguration =
    (try? FileManager.default.contentsOfDirectory(atPath: "/etc/blekeep"))?.isEmpty ?? true

/// `add --all`, which writes a file for each nearby device with values that blekeep can decode.
@Suite(.enabled(if: isWithoutConfiguration, "/etc/blekeep has a configuration"))
final class NearbyDevicesTests {
    private let home = NSTemporaryDirectory() + "blekeep-home-\(UUID().uuidString.prefix(8))"
    private var folder: String { "\(home)/.config/blekeep" }

    init() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/conf.d", withIntermediateDirectories: true)
        try "interval: 5s\n".write(toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "\(folder)/conf.d").sorted() }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/conf.d/\(name)", encoding: .utf8)
    }

    private func addAll(in scenario: Scenario) async throws -> Outcome {
        try await add(["--all", "--yes"], in: scenario)
    }

    private static func context(
        _ bench: Bench, _ options: GlobalOptions, _ output: Collected, _ log: Lines, home: String
    ) -> CommandContext {
        CommandContext(
            on: bench.loop, options, output: output, terminal: .none,
            log: Logger(label: "test") { _ in StandardErrorLog(level: .notice, isJournal: false, write: log.add) },
            environment: ["HOME": home]
        ) { () async throws(BusError) in try await bench.connect() }
    }

    private func add(_ arguments: [String], in scenario: Scenario) async throws -> Outcome {
        let home = home
        return try await Bench.run(.virtual, scenario) { bench, _ in
            let output = Collected()
            let log = Lines()
            let add = try #require(try BlekeepCLI.Blekeep.parse(["add"] + arguments) as? Add)
            let context = Self.context(bench, add.options, output, log, home: home)
            do {
                try await context.run(add)
                return Outcome(output: output.text, log: log.all, failure: nil)
            } catch {
                return Outcome(output: output.text, log: log.all, failure: try #require(error as? Failure))
            }
        }
    }

    @Test func devicesThatOnlyAdvertiseArePassive() async throws {
        let outcome = try await addAll(in: .beacons)
        #expect(outcome.code == 0)
        #expect(outcome.lines.contains { $0.hasPrefix("F0:00:05:00:00:01  Attic  Ruuvi: temperature ") })
        // One is encrypted, and three are beacons.
        let count = Scenario.beacons.peripherals.count - 4
        #expect(outcome.lines.count { $0.hasPrefix("left out ") && $0.contains(": is a beacon; --format") } == 3)
        #expect(
            outcome.lines.contains { $0.hasPrefix("left out F0:00:05:00:00:0F  Boat") && $0.contains("--key FILE") })
        #expect(try files.count == count && files.contains("attic.yaml"))
        #expect(try text("attic.yaml").contains("mode: passive"))
        #expect(try !text("back-door.yaml").contains("mode: passive"))
        #expect(outcome.lines.count { $0.hasPrefix("wrote \(folder)/conf.d/") } == count)
        #expect(outcome.lines.last == "next: blekeep poll")
    }

    /// Otherwise `poll --simulate beacons --once` fails.
    @Test func theSimulatedSensorWithAKeyHasIt() throws {
        let world = try SimulatedWorld("beacons", file: nil, on: RunLoop(.virtual))
        #expect(world.configuration.devices.filter { $0.key != nil }.map(\.name) == ["Boat"])
    }

    /// On a terminal of 80 columns, a line of the table shows a value of each format, not only the format's name.
    @Test func aNarrowTableShowsValuesOfEachFormat() async throws {
        try await Bench.run(.virtual, .beacons) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            var boat = DeviceConfiguration(address: Scenario.numbered(15, group: 5))
            boat.key = SensorTable.key(of: "Boat")
            var devices = HeardDevices([boat])
            for try await heard in central.scan(for: .seconds(5)) { _ = devices.hear(heard, at: bench.loop.now) }
            let lines = devices.table(at: bench.loop.now, aliases: [:]).lines(width: 80, on: .none)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 })
            var formats: Set<BroadcastFormat> = []
            for device in devices.devices {
                guard let name = device.values.broadcasts.first?.name else { continue }
                let line = try #require(lines.first { $0.contains(device.heard.address.description) })
                let shown = device.values.items.filter { line.contains($0) }
                let values = shown.filter { $0.contains(where: \.isNumber) || $0.contains(" ") }
                #expect(values.contains { $0 != name }, "\(line)")
                formats.formUnion(BroadcastFormat.allCases.filter { $0.name == name })
            }
            #expect(formats == Set(BroadcastFormat.allCases))
        }
    }

    /// One device is added in the same way as all.
    @Test func oneDeviceThatOnlyAdvertisesIsPassive() async throws {
        let outcome = try await add(["F0:00:05:00:00:01"], in: .beacons)
        #expect(outcome.code == 0)
        let one = try text("attic.yaml")
        #expect(one.contains("    mode: passive  # Ruuvi: temperature "))
        #expect(one.contains("\n    # log: fill  # or all, only: fills gaps from its own memory"))
        unlink("\(folder)/conf.d/attic.yaml")
        _ = try await addAll(in: .beacons)
        let kind = try text("attic.yaml").split(separator: "#").dropLast()
        #expect(one.split(separator: "#").dropLast() == kind)
    }

    @Test(
        arguments: [
            ("07070707070707070707070707070707", 0o600, nil),
            ("zz", 0o600, "isn't a key; write 32 hex digits, or 24 for old Xiaomi devices, into its first line"),
            ("07070707070707070707070707070707", 0o604, "every user can read"),
            (
                "00000000000000000000000000000000", 0o600,
                "doesn't fit what F0:00:05:00:00:0F advertises; name another file"
            ),
            ("", 0, "No such file or directory"),
        ] as [(String, Int, String?)]) func aKeyIsCheckedBeforeItIsTaken(
            key: String, mode: Int, why: String?
        ) async throws
    {
        let path = "\(home)/key"
        if !key.isEmpty {
            try "\(key)\n".write(toFile: path, atomically: true, encoding: .utf8)
            chmod(path, mode_t(mode))
        }
        let outcome = try await add(["F0:00:05:00:00:0F", "--yes", "--key", path], in: .beacons)
        #expect(outcome.failure.map { $0.code == .badConfiguration && $0.message.contains(path) } ?? (why == nil))
        #expect(outcome.failure?.message.contains(why ?? "?") ?? true, "\(outcome)")
        #expect(try files.count == (why == nil ? 1 : 0))
    }

    @Test func aDeviceWithoutItsKeyIsAddedWithAWord() async throws {
        let outcome = try await add(["F0:00:05:00:00:0F", "--yes"], in: .beacons)
        #expect(outcome.code == 0)
        #expect(
            outcome.log.contains {
                $0.contains("Boat encrypts its values: 'blekeep set Boat key FILE' names the file with its key")
            }, "\(outcome)")
    }

    /// What an unconfigured device advertises would keep the poller from starting.
    @Test func aNameThatNoAliasCanHaveBreaksNothing() async throws {
        var scenario = Scenario.beacons
        let names = ["\u{200B}", "\u{FFFF}", "\u{E0001}", " ", "", "a\u{FFFF}b", "-\u{202E}#/+", "\u{1FFFE}"]
        for (index, name) in names.enumerated() { scenario.peripherals[index].name = name }
        let alone = try await add([scenario.peripherals[3].address.description], in: scenario)
        #expect(alone.code == 0, "\(alone.failure?.message ?? "")")
        _ = try await addAll(in: scenario)
        let loader = ConfigurationLoader(file: nil, environment: ["HOME": home], names: .assigned)
        let devices = try #require(try loader.load()).configuration.poll.devices
        #expect(devices.count > names.count)
        #expect(devices.allSatisfy { $0.alias.map { AliasRule.flaw(in: $0) == nil } ?? true })
    }

    @Test(arguments: ["devices: [{address: \"F0:00:05:00:00:01\", alias: \" \"}]\n", "# \u{FFFF}\n", "nonsense: 1\n"])
    func whatWouldBeWrongIsNotWritten(_ text: String) async throws {
        let home = home
        let failure = try await Bench.run(.virtual, .house) { bench, _ in
            let context = Self.context(bench, try Doctor.parse([]).options, Collected(), Lines(), home: home)
            var changes = DeviceChanges(context)
            let device = DeviceConfiguration(address: Scenario.numbered(1, group: 5))
            try NewDeviceFiles(context).add(device, text: text, to: &changes)
            let made = changes
            return await #expect(throws: Failure.self) { try await made.finish(nil) { _ in true } }
        }
        #expect(failure?.message.hasPrefix("nothing was written, because") == true)
        #expect(try files.isEmpty)
    }

    @Test func configuredDevicesStayAsTheyAre() async throws {
        let mine = "devices: [{address: \"F0:00:05:00:00:01\", alias: loft, mode: passive}]\n"
        try mine.write(toFile: "\(folder)/conf.d/mine.yaml", atomically: true, encoding: .utf8)
        let outcome = try await addAll(in: .beacons)
        #expect(!outcome.output.contains("Attic"))
        #expect(outcome.lines.first == "configured already: loft")
        #expect(try files.count == Scenario.beacons.peripherals.count - 4 && !files.contains("attic.yaml"))
        // All are configured now.
        let again = try await addAll(in: .beacons)
        #expect(again.code == 5)
        #expect(
            again.failure?.message
                == "no new device nearby has values that blekeep can decode; 'blekeep scan' lists all")
    }

    @Test func aFilterChoosesAmongNearbyDevices() async throws {
        let format = try await add(["--all", "--yes", "--format", "switchbot"], in: .beacons)
        #expect(try format.code == 0 && files == ["curtain.yaml", "garage.yaml"])
        let name = try await add(["--all", "--yes", "--name", "Badge"], in: .beacons)
        #expect(try name.code == 0 && files.contains("badge.yaml"))
        let pattern = try await add(["--all", "--yes", "--name", "Bea*"], in: .beacons)
        #expect(pattern.code == 5 && pattern.output.hasPrefix("left out F0:00:05:00:00:04  Beacon"))
        let far = try await add(["--all", "--yes", "--rssi", "-20"], in: .beacons)
        #expect(far.code == 5)
        let json = try await add(["--all", "--yes", "--format", "switchbot", "--json"], in: .beacons)
        #expect(json.code == 5 && json.lines.count { $0.contains(#""state":"unchanged","file":"#) } == 2)
    }

    @Test func anEncryptedDeviceHasItsKeysPath() async throws {
        // The service has it from systemd.
        let added = try await add(["F0:00:05:00:00:0F", "--key", "boat-key"], in: .beacons)
        #expect(try added.code == 0 && text("boat.yaml").contains("    key: boat-key\n"))
        let wrong = try await add(["F0:00:05:00:00:0E", "--key", "boat/key"], in: .beacons)
        #expect(
            wrong.failure?.message == "`boat/key` is neither the whole path of a file nor a credential's name")
    }

    @Test(
        arguments: [
            ("all", Array(0..<20)), ("1", [0]), (" 3, 1-2 20", [0, 1, 2, 19]), ("", []), ("0", nil), ("21", nil),
            ("3-1", nil), ("1-", nil), ("none", nil), ("1 x", nil), ("-1", nil),
        ] as [(String, [Int]?)])
    func theUserChoosesByNumbers(answer: String, indices: [Int]?) {
        #expect(NearbyDevices.Choice.indices(answer, of: 20) == indices)
    }

    @Test func withoutADeviceAUserMustChoose() async throws {
        let asked = try await add([], in: .beacons)
        #expect(asked.code == 2 && asked.failure?.message.hasPrefix("'add' without a device asks which to add") == true)
        for wrong in [["--yes"], ["--format", "ruvi"], ["--alias", "a"], ["F0:00:05:00:00:01", "--rssi", "-80"]] {
            #expect(throws: (any Error).self) { try BlekeepCLI.Blekeep.parse(["add"] + wrong) }
        }
    }

    /// As a configuration manager runs it again and again; the second time, nothing may need Bluetooth.
    @Test func aDeviceThatWasAddedStaysAsItIs() async throws {
        let probe = ["F0:00:00:00:00:04", "--alias", "oven"]
        #expect(try await add(probe, in: .house).output.hasPrefix("wrote \(folder)/conf.d/oven.yaml\n"))
        let mine = try text("oven.yaml") + "    interval: 10m\n"
        try mine.write(toFile: "\(folder)/conf.d/oven.yaml", atomically: true, encoding: .utf8)
        for arguments in [probe, [probe[0]], ["oven"]] {
            let again = try await add(arguments, in: .off)
            #expect(again.failure == nil, "\(arguments)")
            #expect(
                again.output
                    == "F0:00:00:00:00:04 is configured already, as oven, in \(folder)/conf.d/oven.yaml\n")
        }
        let json = try await add(probe + ["--json"], in: .off).output
        #expect(json.hasPrefix(#"{"device":"oven","address":"F0:00:00:00:00:04","state":"unchanged","file":"/"#))
        #expect(try files == ["oven.yaml"] && text("oven.yaml") == mine)
        let keyed = try await add(probe + ["--key", "/oven.key"], in: .off)
        #expect(keyed.code == 78)
        #expect(keyed.failure?.message.hasSuffix("; 'blekeep set oven key /oven.key' gives it this key") == true)
        // Not another alias, nor another device.
        #expect(try await add([probe[0], "--alias", "stove"], in: .off).code == 78)
        #expect(try await add(["F0:00:00:00:00:01", "--alias", "oven"], in: .off).code == 78)
    }

    @Test func aDeviceThatDoesNotConnectIsNamedAndOthersAreAdded() async throws {
        let outcome = try await addAll(in: .flaky)
        #expect(outcome.code == 1)
        #expect(try files.contains("flaky-drop.yaml"))
        #expect(try !files.contains("flaky-deaf.yaml"))
        #expect(outcome.failure?.message.contains("F0:00:01:00:00:04") == true)
    }

    // MARK: Devices that must be asked

    private static let asked = Scenario.asked(RecipeCatalogue.all)

    private func address(_ recipe: String) throws -> String {
        try #require(Self.asked.peripherals.first { $0.recipe == recipe }).address.description
    }

    /// It advertises only once in a while, and BlueZ doesn't know it yet.
    @Test func aDeviceThatSleepsIsRecognizedWhenItIsConnected() async throws {
        var scenario = Self.asked
        scenario.peripherals = [try #require(scenario.peripherals.first { $0.recipe == "jbd" })]
        scenario.peripherals[0] = scenario.peripherals[0].known(.none).behaving { $0.isInRange = false }
        let address = scenario.peripherals[0].address
        scenario.events = [.init(after: .seconds(20)) { $0.show("JBD-1") }]
        let added = try await add(["\(address)", "--yes"], in: scenario)
        #expect(added.failure == nil && added.lines.contains { $0.hasPrefix("JBD battery: voltage 15.60 V") })
        #expect(try text("jbd-1.yaml").contains("recipe: jbd"))
    }

    @Test func aRecipeThatWritesNeedsAYes() async throws {
        let plant = try address("miflora")
        let refused = try await add([plant], in: Self.asked)
        #expect(refused.code == 2 && refused.output.isEmpty)
        let sentence = "\(plant) looks like Mi Flora; the recipe miflora writes a01f to 1a00 at each tick"
        #expect(
            refused.failure?.message
                == "\(sentence): run this on a terminal, or add --yes; '--recipe none' adds it without")
        #expect(try files.isEmpty)

        let added = try await add([plant, "--yes"], in: Self.asked)
        #expect(added.failure == nil)
        #expect(
            added.lines == [
                sentence,
                "Mi Flora: battery_level 100 %, temperature 24.6 °C, illuminance 3021 lx, moisture 30 %, conductivity 347 µS/cm",
                "wrote \(folder)/conf.d/flower-care.yaml", "next: blekeep poll",
            ])
        let text = try text("flower-care.yaml")
        #expect(
            text.contains("    recipe: miflora  # Mi Flora: writes a01f to 1a00\n") && !text.contains("write: true"))
    }

    /// Airthings' devices look the same until their model is read.
    @Test func aModelIsReadAndAHarmlessRecipeNeedsNoYes() async throws {
        let wave = try await add([try address("airthings-wave-plus"), "--yes"], in: Self.asked)
        #expect(wave.failure == nil && wave.output.contains("radon 11 Bq/m³"), "\(wave)")
        let thermometer = try await add([try address("lywsd03mmc"), "--json"], in: Self.asked)
        #expect(thermometer.output.contains(#""state":"added","recipe":"lywsd03mmc","file":"#), "\(thermometer)")
        #expect(try files == ["airthings-wave-plus.yaml", "lywsd03mmc.yaml"])
        let printed = try await add([try address("jbd"), "--print"], in: Self.asked)
        #expect(
            printed.output.hasSuffix(
                "    recipe: jbd  # JBD battery: writes dda50300fffd77 to ff00/ff02, dda50400fffc77 to ff00/ff02\n"))
    }

    /// The recipe of each device that was added.
    private var recipes: [String: String] {
        get throws {
            try files.reduce(into: [:]) { recipes, file in
                let lines = try text(file).split(separator: "\n").map { $0.split(separator: " ") }
                let address = lines.first { $0.starts(with: ["-", "address:"]) }?.dropFirst(2).first
                let recipe = lines.first { $0.first == "recipe:" }?.dropFirst().first
                if let address { recipes[String(address)] = recipe.map(String.init) }
            }
        }
    }

    @Test func allLeavesOutRecipesThatWrite() async throws {
        let outcome = try await addAll(in: Self.asked)
        let harmless = RecipeCatalogue.all.filter(\.writes.isEmpty).map(\.name)
        #expect(try outcome.code == 0 && recipes.values.sorted() == harmless.sorted(), "\(outcome)")
        let left = outcome.lines.filter { $0.hasPrefix("left out ") }
        #expect(left.count == RecipeCatalogue.names.count - harmless.count)
        #expect(left.allSatisfy { $0.contains("--allow-writes") })
        let battery = try address("jbd")
        let allowed = try await add(["--all", "--yes", "--allow-writes", battery], in: Self.asked)
        #expect(allowed.code == 0 && allowed.output.contains("JBD battery: voltage 15.60 V"), "\(allowed)")
        #expect(try files.count == harmless.count + 1 && recipes[battery] == "jbd")
        for arguments in [["--all", "--allow-writes", "jbd"], [battery, "--allow-writes", battery]] {
            #expect(throws: (any Error).self) { try BlekeepCLI.Blekeep.parse(["add"] + arguments) }
        }
    }

    /// Devices with the same name answer to different recipes.
    @Test func allGetsEachDeviceRight() async throws {
        let addresses = Self.asked.peripherals.map(\.address.description)
        let outcome = try await add(["--all", "--yes", "--allow-writes"] + addresses, in: Self.asked)
        #expect(outcome.failure == nil, "\(outcome)")
        let recipes = try recipes
        for peripheral in Self.asked.peripherals {
            #expect(recipes[peripheral.address.description] == peripheral.recipe, "\(peripheral.name)")
        }
        #expect(recipes.count == RecipeCatalogue.names.count)
    }

    @Test func oneDeviceIsAskedByEachRecipeThatFits() async throws {
        let controller = try address("renogy-controller")
        let added = try await add([controller, "--yes"], in: Self.asked)
        #expect(try added.failure == nil && recipes == [controller: "renogy-controller"], "\(added)")
        #expect(added.lines.count { $0.contains("looks like Renogy ") } == 2, "\(added)")
        // A recipe that the user chose is the only one.
        let battery = try address("daly-81")
        let refused = try await add([battery, "--yes", "--recipe", "daly"], in: Self.asked)
        #expect(refused.code == 6 && refused.failure?.message.contains("doesn't answer as Daly battery does") == true)
        // The first recipe that fits is named when none does.
        let silent = SimulatedPeripheral(
            "BT-TH-9", Scenario.numbered(9, group: 9), advertised: [BluetoothUUID(0xFFF0)],
            services: [SimulatedService(BluetoothUUID(0xFFF0), [])])
        let scenario = Scenario("silent", "a device that answers nothing", peripherals: [silent])
        let none = try await add([silent.address.description, "--yes"], in: scenario)
        #expect(none.code == 6 && none.failure?.message.contains("doesn't answer as Renogy battery does") == true)
    }

    @Test func aDeviceThatAdvertisesItsValuesNeedsNoRecipe() async throws {
        var thermometer = SimulatedPeripheral("sps", Scenario.numbered(10, group: 9), services: [])
        // 22.30 °C, 45.78 %, 78 %.
        thermometer.manufacturerData = [0x08B6: [0xE2, 0x11, 0, 0x31, 0x31, 78, 0x08]]
        let scenario = Scenario("sps", "an Inkbird IBS-TH", peripherals: [thermometer])
        let one = try await add([thermometer.address.description], in: scenario)
        #expect(try one.failure == nil && text("sps.yaml").contains("mode: passive"), "\(one)")
        unlink("\(folder)/conf.d/sps.yaml")
        let all = try await addAll(in: scenario)
        #expect(try all.failure == nil && text("sps.yaml").contains("mode: passive"), "\(all)")
        unlink("\(folder)/conf.d/sps.yaml")
        let chosen = try await add(
            [thermometer.address.description, "--recipe", "inkbird-ibs-th", "--print"], in: scenario)
        #expect(chosen.output.contains("    recipe: inkbird-ibs-th"), "\(chosen)")
    }

    /// A name on the air is a lie: this device holds other values than a Mi Flora.
    @Test func whoLiesAboutItsNameIsNotAdded() async throws {
        var liar = SimulatedPeripheral.environmentalSensor(
            "Flower care", address: Scenario.numbered(1, group: 8), temperature: 0...50)
        liar.services.append(
            SimulatedService(
                BluetoothUUID(0x1204),
                [SimulatedCharacteristic(BluetoothUUID(0x1A02), constant: Array("no flower".utf8))]))
        liar = liar.answering { _, _ in
            Issue.record("it was written to")
            return []
        }
        let scenario = Scenario("liar", "another device with a known name", peripherals: [liar])
        let printed = try await add([liar.address.description, "--print"], in: scenario)
        #expect(printed.output.contains("    recipe: miflora  # Mi Flora: writes a01f to 1a00\n"))
        let outcome = try await add([liar.address.description, "--yes"], in: scenario)
        #expect(outcome.code == 6 && outcome.failure?.message.contains("doesn't answer as Mi Flora does: step") == true)
        #expect(try files.isEmpty)
        let plain = try await add([liar.address.description, "--recipe", "none"], in: scenario)
        #expect(try plain.code == 0 && text("flower-care.yaml").contains("characteristics:"))
    }

    @Test func aRecipeOfTheUserMayForbidAndNeedsLeaveToWrite() async throws {
        let own = """
            recipes:
              - name: probe
                title: Probe
                about: wedges until its battery is out
                recognize: [{name: "BT-TH-*"}]
                never: [{name: "JBD-*"}]
                steps:
                  - write: ffd0/ffd1
                    bytes: ff0301000022d1f1
                    await: fff0/fff1
                    fields: [{name: level, at: 4, type: uint8}]
            """
        try own.write(toFile: "\(folder)/conf.d/own.yaml", atomically: true, encoding: .utf8)
        let battery = try address("jbd")
        let forbidden = try await add([battery, "--yes"], in: Self.asked)
        #expect(forbidden.code == 2)
        #expect(
            forbidden.failure?.message
                == "\(battery) looks like a device that must not be connected: Probe, wedges until "
                + "its battery is out; '--recipe none' adds it all the same")
        #expect(try await addAll(in: Self.asked).output.contains("JBD-1  ff00: must not be connected: Probe, wedges"))
        let outcome = try await add([try address("renogy-controller"), "--yes"], in: Self.asked)
        #expect(outcome.output.contains("Probe: 87"), "\(outcome)")
        #expect(
            try text("bt-th-1.yaml").contains(
                "    recipe: probe  # Probe: writes ff0301000022d1f1 to ffd0/ffd1\n    write: true\n"))
        let unknown = try await add([battery, "--recipe", "jbb", "--yes"], in: Self.asked)
        #expect(unknown.failure?.message == "no recipe is called 'jbb'; did you mean 'jbd'?")
        let advertises = try await add([battery, "--recipe", "RuuviTag", "--yes"], in: Self.asked)
        #expect(
            advertises.failure?.message
                == "no recipe is called 'RuuviTag': blekeep knows by itself what such devices advertise; see "
                + "/usr/share/doc/blekeep/pages/Devices/Ruuvi.md")
    }

    @Test func aScanShowsTheRecipe() async throws {
        let text = try await run(["scan", "--timeout", "3s"], in: Self.asked)
        #expect(text.lines.contains { $0.hasPrefix(try! address("miflora")) && $0.hasSuffix("\tMi Flora") })
        #expect(text.lines.contains { $0.hasSuffix("\tperhaps Airthings Wave or another; Airthings ASA") })
        #expect(text.lines.contains { $0.hasSuffix("\tRenogy battery or Renogy controller") })
        let json = try await run(["scan", "--timeout", "3s", "--json"], in: Self.asked).output
        #expect(json.contains(#""recipe":{"name":"jbd","title":"JBD battery","match":"yes"}"#))
    }

    @Test func withoutAnAdapterNothingIsWritten() async throws {
        let outcome = try await addAll(in: .off)
        #expect(outcome.code == 4)
        #expect(try files.isEmpty)
    }
}
