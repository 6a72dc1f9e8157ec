import Blekeep
import Foundation
import Testing

@testable import BlekeepCLI
@testable import BlekeepConfiguration

@Suite struct ConfigurationViewTests {
    private func view(_ text: String, _ arguments: [String] = []) throws -> ConfigurationView {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = try globalOptions(["-c", file.path(percentEncoded: false)] + arguments)
        return try ConfigurationView(options, environment: [:])
    }

    /// With the file's name, which is another each time, as `f`.
    private func lines(_ view: ConfigurationView) -> [String] {
        let file = view.options.config ?? ""
        return view.lines.map { line in
            line.replacing(file, with: "f").split(separator: " ", omittingEmptySubsequences: true)
                .joined(separator: " ")
        }
    }

    @Test func showsWhatTheIntervalOfAnAdvertisingDeviceDoes() throws {
        let device = "{address: F0:00:00:00:00:01, alias: attic, mode: passive"
        let note = "# attic only advertises its values: blekeep listens when the last one is older than `interval`"
        #expect(try lines(view("devices: [\(device), interval: 5m}]\n")).last?.hasPrefix(note) == true)
        #expect(try lines(view("interval: 5m\ndevices: [\(device)}]\n")).last?.hasPrefix(note) == false)
        var poll = PollConfiguration(devices: [])
        for number in 1...5 {
            var device = DeviceConfiguration(alias: "s\(number)", address: BluetoothAddress(bits: UInt64(number)))
            (device.mode, device.interval) = (.passive, .seconds(300))
            poll.devices.append(device)
        }
        #expect(poll.intervalNotes.map { $0.hasPrefix("s1, s2, s3 and 2 more only advertise their values") } == [true])
    }

    @Test func checkCountsManyFiles() {
        let files = ["/etc/blekeep/config.yaml", "/etc/blekeep/conf.d/a.yaml", "/etc/blekeep/conf.d/b.yaml"]
        #expect(
            ConfigCommand.Check.summary(of: files)
                == "/etc/blekeep/config.yaml and 2 files in /etc/blekeep/conf.d")
        #expect(
            ConfigCommand.Check.summary(of: Array(files.prefix(2)))
                == "/etc/blekeep/config.yaml and /etc/blekeep/conf.d/a.yaml")
        #expect(ConfigCommand.Check.summary(of: ["a"]) == "a")
    }

    @Test func showsDefaults() throws {
        let lines = try lines(view("interval: 1m\n"))
        for line in [
            "interval: 1m # f:1:1", "throttle: 1s # default", "max_links: 5 # default", "# timeout: none # default",
            "# log_level: notice # default",
            "# adapter: of several adapters, the one that hears a device best # default",
            "power:", "mode: auto # default", "battery: 1m # default", "low: 5m # default", "critical: 15m # default",
            "wake: false # default", "devices: []", "history:", "size: 256MiB # default", "rollups: 128MiB # default",
            "reserve: 32MiB # default",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
    }

    @Test func showsWhereEachValueWasSaid() throws {
        let text = """
            power:
              battery: x3
              wake: true
            devices:
              - address: F0:00:00:00:00:01
                adaptive: true
                max_interval: 10m
                throttle: 10s
                power: {low: 1h, critical: pause}
                characteristics: [{uuid: 2a19, security: encrypted, notify: true, throttle: 0}]
              - address: F0:00:00:00:00:02
                mode: passive
                key: attic
            layouts:
              - uuid: fff1
                name: Probe
                fields: [{name: depth, type: uint8}]

            """
        let view = try view(text, ["--timeout", "9s", "-v"])
        let lines = lines(view)
        for line in [
            "battery: x3 # f:2:3", "wake: true # f:3:3", "low: 5m # default", "- address: F0:00:00:00:00:01 # f:5:5",
            "adaptive: true # f:6:5", "min_interval: 5s # default", "max_interval: 10m # f:7:5",
            "power: {low: 1h, critical: pause} # f:9:5", "# interval: 30s # as for all",
            "throttle: 10s # f:8:5", "# throttle: 1s # as for all", "mode: passive # f:12:5",
            "- {uuid: 2a19, notify: true, throttle: 0s, security: encrypted} # Battery Level",
            "key: attic # f:13:5", "- uuid: fff1 # f:15:11", "name: Probe", "- {name: depth, type: uint8}",
            "# timeout: 9s # --timeout", "# log_level: debug # -v",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(view.json.text.contains(#""power":{"mode":{"value":"auto","origin":"default"}"#))
        #expect(view.json.text.contains(#""security":{"value":"encrypted","origin":"#))
        #expect(view.json.text.contains(#""max_links":{"value":5,"#))
        #expect(view.json.text.contains(#""wake":{"value":true,"#))
    }

    /// A device has the keys of its tags as comments, with their place.
    @Test func showsWhatATagSets() throws {
        let text = """
            tags:
              cellar: {interval: 5m, power: {low: pause}, characteristics: [2a6e]}
            devices:
              - {address: F0:00:00:00:00:01, tags: [cellar]}
              - {address: F0:00:00:00:00:02, tags: [cellar], interval: 1m}

            """
        let view = try view(text)
        let lines = lines(view)
        for line in [
            "tags:", "cellar:", "interval: 5m # f:2:12", "# interval: 5m # as for tag:cellar, f:2:12",
            "interval: 1m # f:5:50", "# power: {low: pause} # as for tag:cellar, f:2:26",
            "# characteristics: # as for tag:cellar, f:2:47", "# - {uuid: 2a6e} # Temperature",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(view.json.text.contains(#""interval":{"value":"5m","origin":"as for tag:cellar, "#))
        let (_, before, after) = try shown(text)
        #expect(after == before)
    }

    @Test func showsTheHistoryAsAPathOrAsKeys() throws {
        var view = try view("history: /x/y\n")
        #expect(lines(view).contains("path: /x/y # f:1:1"))
        #expect(view.json.text.contains(#""history":{"path":{"value":"/x/y","origin":"#))
        view = try self.view("history:\n  path: /x/y\n  size: 10MB\n")
        #expect(lines(view).contains("path: /x/y # f:2:3") && lines(view).contains("size: 10MB # f:3:3"))
        #expect(view.json.text.contains(#""rollups":{"value":"128MiB","origin":"default"}"#))
    }

    // MARK: The file to begin with

    /// With all settings that are commented out.
    private var everything: String {
        ConfigInit.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && (!line.hasPrefix("# ") || line.hasPrefix("#  ")) ? line.dropFirst() : line
        }.joined(separator: "\n")
    }

    @Test func showsTheFolderOfMetrics() throws {
        let view = try view("metrics: {textfile: /m/}\n")
        let lines = lines(view)
        #expect(lines.contains("metrics:"))
        #expect(lines.contains("textfile: /m # f:1:11"), "\(lines)")
        #expect(view.json.text.contains(#""metrics":{"textfile":{"value":"/m","origin":"#))
        #expect(!self.lines(try self.view("interval: 1m\n")).contains("metrics:"))
    }

    /// What `config show` prints, as `config check` reads it.
    private func shown(_ text: String) throws -> (shown: String, before: Configuration, after: Configuration?) {
        let view = try view(text)
        let lines = view.lines.joined(separator: "\n")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        try Data(lines.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = try globalOptions(["-c", file.path(percentEncoded: false)])
        return (lines, view.loaded.configuration, try Composition.loadConfiguration(options)?.configuration)
    }

    @Test func everyKeyIsShownAsItIsRead() throws {
        let (lines, before, after) = try shown(everything)
        #expect(after == before, "\(lines)")
        #expect(before != Configuration())
    }

    @Test(arguments: [
        "devices: []\n", "adapter: hci1\nrecovery: {prefer_le: true}\n", "history: '/x y/: #z'\n",
        "sinks: {influx: {url: 'http://[::1]:81/a', org: 'a # b', bucket: 'true', token_file: t}}\n",
        "sinks: {mqtt: {url: 'mqtt://a', discovery: false, user: '12', version: 3.1.1}}\n",
        "notices: [{run: [/bin/sh, -c, 'echo \"$1\" \\ ', ''], events: []}]\n",
        "power: {battery: x3, low: pause, critical: 1h}\n",
        "devices:\n  - {address: F0:00:00:00:00:01, alias: '2024-01-01', power: {low: x2}}\n"
            + "  - {address: F0:00:00:00:00:02, alias: 'a: \"b\" \\ {c}'}\n",
        """
        layouts:
          - uuid: fff1
            fields:
              - {name: flags, type: bits8}
              - {name: a, type: uint16, scale: 0.010, offset: -0.5, special: {0xFFFF: "null", 3: off}, unit: "#"}
              - {name: a2, type: sint8}
              - {name: b, type: medfloat16, scale: 2e3, if: {bit: 3}}
              - {name: c, type: "utf8s(7)", if: [{bit: 1, is: 0}, {field: a2, is: -3}]}
              - {skip: 3, if: {bit: 2}}
              - {name: d, type: "sint24[]", scale: -12e-20}

        """,
    ])
    func isShownAsItIsRead(text: String) throws {
        let (lines, before, after) = try shown(text)
        #expect(after == before, "\(lines)")
    }

    private func parse(_ text: String) -> ConfigurationPart {
        ConfigurationPart(text, file: "f", names: Composition.characteristicNames)
    }

    @Test func theFirstFileIsGoodWithAndWithoutItsComments() {
        #expect(parse(ConfigInit.text).problems == [])
        #expect(parse(everything).problems == [])
        let part = parse(everything)
        #expect(part.configuration.poll.devices.count == 4)
        #expect(part.configuration.poll.layouts.count == 1)
        #expect(part.layoutTests == 2)
        #expect(part.configuration.poll.recipes.count == 1 && part.recipeTests == 1)
        #expect(part.configuration.poll.power == PowerConfiguration())
    }

    @Test func theFirstFileHasEveryKey() {
        func check(_ keys: [KeyFacts]) {
            for key in keys {
                // A bucket of InfluxDB 2 excludes the database that is the example.
                let isOther = ["org", "bucket"].contains(key.name)
                #expect(everything.contains("\(key.name):") || isOther, "\(key.name)")
                switch key.shape {
                case .section(let section), .list(let section): check(section.keys)
                case .value, .foreign: break
                }
            }
        }
        check(Configuration.keys.map(\.facts))
        let fieldKeys = ["type", "scale", "offset", "unit", "special", "skip", "if"]
        for key in LayoutParser.keys.map(\.name) + fieldKeys { #expect(everything.contains("\(key):"), "\(key)") }
        for mode in LinkMode.allCases { #expect(everything.contains(mode.rawValue), "\(mode)") }
    }
}
