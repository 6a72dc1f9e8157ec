import BlekeepOutputs
import BlekeepRecords
import Glibc
import Testing

@testable import BlekeepConfiguration

@Suite struct ConfigurationLoaderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A pipe would have to be written again, and the poller would wait for it.
    @Test func aPipeIsNotReadAgain() throws {
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: ConfigurationProblem.self) { try ConfigurationFile.read(pipe, mayWait: false) }
    }

    /// No program writes into a pipe in a folder, so that reading it would never end.
    @Test func aPipeInAFolderIsAMistake() throws {
        try folder.write("max_links: 1", to: "etc/config.yaml")
        try folder.write("max_links: 1", to: "etc/conf.d/b.yaml")
        let pipe = "\(folder.path)/etc/conf.d/a.yaml"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: ConfigurationErrors.self) { try load() }
    }

    @Test func findsNothingWhereNothingIs() throws {
        #expect(try load() == nil)
        #expect(try ConfigurationLoader(environment: [:], names: names, systemFolder: folder.path).load() == nil)
    }

    @Test func aNamedFileIsTheOnlyOne() throws {
        try folder.write("max_links: 1", to: "etc/config.yaml")
        let file = try folder.write("\u{FEFF}max_links: 2", to: "other.txt")
        let loaded = try load(file: file)
        #expect(loaded?.configuration == Configuration(poll: PollConfiguration(maxLinks: 2)) && loaded?.files == [file])
    }

    @Test func aUsersOwnFolderGoesBeforeTheSystemsAndForTheSuperuserBehindIt() throws {
        let system = try folder.write("max_links: 1", to: "etc/config.yaml")
        #expect(try load()?.files == [system])
        let own = try folder.write("max_links: 2", to: "home/.config/blekeep/conf.d/a.yaml")
        #expect(try load()?.files == [own])
        #expect(try load(isRoot: true)?.files == [system])
        let elsewhere = try folder.write("max_links: 3", to: "xdg/blekeep/config.yaml")
        #expect(try load(environment: ["XDG_CONFIG_HOME": "\(folder.path)/xdg"])?.files == [elsewhere])
        #expect(try load(environment: ["XDG_CONFIG_HOME": "xdg"])?.files == [own])
    }

    @Test func dropInsAddWhatIsNotSaidYet() throws {
        let files = [
            try folder.write("max_links: 3\ndevices: [{address: F0:00:00:00:00:01}]", to: "etc/config.yaml"),
            try folder.write("devices: [{address: F0:00:00:00:00:02}]", to: "etc/conf.d/10.yaml"),
            try folder.write("interval: 1m\ndevices: [{address: F0:00:00:00:00:03}]", to: "etc/conf.d/9.yaml"),
        ]
        for name in [".hidden.yaml", "old.yaml~", "notes.txt"] { try folder.write("x: [", to: "etc/conf.d/\(name)") }
        let loaded = try #require(try load())
        #expect(loaded.files == files)
        #expect(loaded.configuration.poll.maxLinks == 3 && loaded.configuration.poll.interval == .seconds(60))
        #expect(loaded.configuration.poll.devices.map(\.address.description.last) == ["1", "2", "3"])
    }

    @Test func whatIsSaidTwiceNamesBothPlaces() throws {
        try folder.write(
            "interval: 30s\nmax_links: 70\ndevices:\n  - address: F0:00:00:00:00:01\n    alias: a",
            to: "etc/config.yaml")
        try folder.write(
            "devices:\n  - address: F0:00:00:00:00:01\n  - address: F0:00:00:00:00:02\n    alias: a\ninterval: 40s",
            to: "etc/conf.d/a.yaml")
        let errors = #expect(throws: ConfigurationErrors.self) { try load() }
        let etc = "\(folder.path)/etc"
        #expect(
            errors?.description == """
                \(etc)/config.yaml:2:12: `max_links` is `70`; write a whole number from 1 to 64
                \(etc)/conf.d/a.yaml:2:14: the device F0:00:00:00:00:01 is configured already at \
                \(etc)/config.yaml:4:14; keep one
                \(etc)/conf.d/a.yaml:4:12: the alias `a` is taken already at \(etc)/config.yaml:5:12; choose another
                \(etc)/conf.d/a.yaml:5:1: `interval` is set already at \(etc)/config.yaml:1:1; keep one
                """)
    }

    @Test(arguments: [1000, 1001]) func aGatewayHasAThousandDevices(count: Int) throws {
        let devices = (0..<count).map { "  - address: \(BluetoothAddress(bits: 0xF000_0000_0001 + UInt64($0)))" }
        try folder.write("devices:\n" + devices.joined(separator: "\n"), to: "etc/config.yaml")
        let place = "\(folder.path)/etc/config.yaml:1002:5"
        let message = "this gateway has 1001 devices, and may have 1000; give the others to another one"
        var problems: [String] = []
        do { _ = try load() } catch let errors as ConfigurationErrors { problems = errors.problems.map(\.description) }
        #expect(problems == (count > 1000 ? ["\(place): \(message)"] : []))
    }

    @Test func filesThatCannotBeReadSayWhyBesideAllElse() throws {
        #expect(problems(file: "\(folder.path)/none") == ["\(folder.path)/none: there is no such file; check the path"])
        #expect(problems(file: folder.path) == ["\(folder.path): this is a folder; name the file in it"])
        let bad = try folder.write(Array("a: 1\nbé".utf8) + [0xFF, 0x20], to: "latin")
        #expect(problems(file: bad) == ["\(bad):2:3: this is not UTF-8 text; save the file as UTF-8"])
        let large = try folder.write([UInt8](repeating: 0x23, count: 1 << 21), to: "large")
        #expect(problems(file: large).first?.contains("larger than 1 MiB") == true)
        #expect(problems(file: "/dev/zero").first?.contains("larger than 1 MiB") == true)
        try folder.write("interval: 1", to: "etc/config.yaml")
        try folder.write([0xC3], to: "etc/conf.d/b.yaml")
        #expect(problems().count == 2)
        try folder.write("", to: "etc/conf.d/c.yml")
        #expect(
            problems() == [
                "\(folder.path)/etc/conf.d/c.yml: blekeep doesn't read files with such a name; rename it to end in .yaml"
            ]
        )
    }

    /// The same file on all gateways, and each one's name beside it.
    @Test func aDeviceIsReadByTheGatewayThatItNames() throws {
        let devices = """
            sinks: {mqtt: {url: "mqtt://broker", fleet: home}}
            devices:
              - {address: F0:00:00:00:00:01, gateways: [cellar]}
              - {address: F0:00:00:00:00:02, gateways: [attic]}
              - {address: F0:00:00:00:00:03}
              - {address: F0:00:00:00:00:04, gateways: [attic], enabled: false}
              - {address: F0:00:00:00:00:05, gateways: [attic, cellar]}
            """
        try folder.write(devices, to: "etc/config.yaml")
        for (name, polled) in [
            ("cellar", [true, false, true, false, true]), ("attic", [false, true, true, false, true]),
            ("shed", [false, false, true, false, false]),
        ] {
            try folder.write("gateway: \(name)", to: "etc/conf.d/gateway.yaml")
            let configuration = try #require(try load()).configuration
            #expect(configuration.poll.devices.map(\.isPolled) == polled)
            #expect(configuration.poll.devices.map(\.isShared) == [false, false, false, false, name != "shed"])
            #expect(configuration.sinks.mqtt?.gateway == name && configuration.sinks.mqtt?.fleet == "home")
        }
        try folder.write("gateway: home", to: "etc/conf.d/gateway.yaml")
        #expect(
            problems() == [
                "\(folder.path)/etc/config.yaml:1:45: `fleet` is the name of this `gateway`; choose another"
            ])
    }

    /// A device's own keys come first, then those of its first tag that has the key.
    @Test func devicesHaveTheKeysOfTheirTags() throws {
        let tags = """
            sinks: {mqtt: {url: "mqtt://broker", fleet: home}}
            gateway: attic
            tags:
              cold: {interval: 5m, power: {low: pause}, adaptive: true, max_interval: 1h}
              cellar: {interval: 1m, gateways: [cellar, attic], mode: release}
              nobody: {mode: passive}
            """
        try folder.write(tags, to: "etc/config.yaml")
        let devices = """
            devices:
              - {address: F0:00:00:00:00:01, tags: [cold, cellar]}
              - {address: F0:00:00:00:00:02, tags: [cellar], interval: 10s, gateways: [attic], characteristics: [2a6e]}
              - {address: F0:00:00:00:00:03}
            """
        try folder.write(devices, to: "etc/conf.d/devices.yaml")
        let found = try #require(try load()).configuration.poll.devices
        #expect(found.map(\.interval) == [.seconds(300), .seconds(10), nil])
        #expect(found.map(\.gateways) == [["cellar", "attic"], ["attic"], []])
        #expect(found.map(\.isShared) == [true, false, false])
        #expect(found.map(\.mode) == [.release, .release, .auto])
        #expect(found.map(\.powerIntervals?.low) == [.pause, nil, nil])
        #expect(found.map(\.adaptive?.upperBound) == [.seconds(3600), nil, nil])
        #expect(found.map(\.characteristics.count) == [0, 1, 0])
    }

    /// What a device says itself may take the sense from a key of its tag, and the other way round.
    @Test func aTagsKeysFitTheDevice() throws {
        let text = """
            tags:
              air: {mode: passive, format: ruuvi}
              slow: {adaptive: true, min_interval: 1m, max_interval: 1h, characteristics: [2a6e]}
            devices:
              - {address: F0:00:00:00:00:01, tags: [air], mode: hold}
              - {address: F0:00:00:00:00:02, tags: [air, slow], key: a}
              - {address: F0:00:00:00:00:03, tags: [slow], adaptive: false}
              - {address: F0:00:00:00:00:04, tags: [slow], max_interval: 2h}
            """
        try folder.write(text, to: "etc/config.yaml")
        let found = try #require(try load()).configuration.poll.devices
        #expect(found.map(\.mode) == [.hold, .passive, .auto, .auto])
        #expect(found.map(\.format) == [nil, .ruuvi, nil, nil])
        #expect(found.map(\.characteristics.count) == [0, 0, 1, 1])
        #expect(found.map(\.adaptive?.upperBound) == [nil, .seconds(3600), nil, .seconds(7200)])

        try folder.write(
            "devices: [{address: F0:00:00:00:00:05, tags: [air], characteristics: [2a6e]}]", to: "etc/conf.d/a.yaml")
        #expect(
            problems() == [
                "\(folder.path)/etc/conf.d/a.yaml:1:53: a passive device is never connected, so it has no `characteristics`"
            ])
    }

    /// By a database, gateways agree on what each may read, too.
    @Test func eachGatewayMayReadADeviceThatNamesAny() throws {
        let sink = "sinks: {postgres: {url: 'postgresql://cellar@db.example/blekeep'}"
        let devices =
            "devices: [{address: F0:00:00:00:00:01, gateways: [any]}, {address: F0:00:00:00:00:02, gateways: [attic, any]}]"
        try folder.write("\(sink)}\n\(devices)", to: "etc/config.yaml")
        try folder.write("gateway: cellar", to: "etc/conf.d/gateway.yaml")
        let configuration = try #require(try load()).configuration
        #expect(configuration.poll.devices.allSatisfy { $0.isShared && $0.isPolled })
        #expect(configuration.poll.devices.map(\.namedGateways) == [[], ["attic"]])
        #expect(configuration.sinks.postgres?.decides == true)
        try folder.write("\(sink), mqtt: {url: 'mqtt://broker', fleet: home}}\n\(devices)", to: "etc/config.yaml")
        #expect(
            problems().allSatisfy {
                $0.hasSuffix("needs `sinks: postgres:` and no `fleet` at a broker; name the gateways")
            })
        #expect(problems().count == 2)
        try folder.write("gateway: any", to: "etc/conf.d/gateway.yaml")
        #expect(problems().contains { $0.contains("and isn't `any`") })
    }

    @Test func aTagHasOnePlaceAndAMistakeInItIsNotedOnce() throws {
        try folder.write("tags: {cellar: {gateways: [cellar, attic]}, cold: {}}", to: "etc/config.yaml")
        let devices = (1...3).map { "  - {address: F0:00:00:00:00:0\($0), tags: [cellar]}\n" }.joined()
        try folder.write("tags: {cold: {interval: 1m}}\ndevices:\n\(devices)", to: "etc/conf.d/a.yaml")
        #expect(
            problems() == [
                "\(folder.path)/etc/config.yaml:1:27: gateways that stand by need `sinks: {mqtt: {fleet: …}}` or `sinks: postgres:`; set one, or keep one gateway",
                "\(folder.path)/etc/conf.d/a.yaml:1:8: the tag `cold` is set already at \(folder.path)/etc/config.yaml:1:45; keep one",
            ])
    }

    @Test func theMachinesNameIsTheGateways() throws {
        try folder.write("sinks: {mqtt: {url: \"mqtt://broker\"}}", to: "etc/config.yaml")
        let configuration = try #require(try load()).configuration
        #expect(
            configuration.gateway == Configuration.hostGateway
                && configuration.sinks.mqtt?.gateway == configuration.gateway)
        #expect(MQTTConfiguration.isTopicPart(configuration.gateway))
    }

    @Test(arguments: [
        (
            "[cellar, attic]",
            "gateways that stand by need `sinks: {mqtt: {fleet: …}}` or `sinks: postgres:`; set one, or keep one gateway"
        ),
        ("[cellar, any]", "the gateway `any` needs `sinks: postgres:`; add it, or name the gateways"),
        ("[cellar, cellar]", "the gateway `cellar` is listed already; keep one"),
        ("[a, b, c, d, e, f, g, h, i, j]", "a device has at most 9 gateways; remove this one"),
        ("[a/b]", "`a/b` isn't a gateway's name, which has up to 64 letters, digits, `_` and `-`"),
    ])
    func flawsOfADevicesGateways(gateways: String, problem: String) throws {
        try folder.write("devices:\n  - {address: F0:00:00:00:00:01, gateways: \(gateways)}", to: "etc/config.yaml")
        #expect(problems().contains { $0.hasSuffix(problem) }, "\(problems())")
    }

    @Test func theEnvironmentNamesTheGateway() throws {
        try folder.write("gateway: cellar\nsinks: {mqtt: {url: \"mqtt://broker\", fleet: home}}", to: "etc/config.yaml")
        let configuration = try #require(try load(environment: ["BLEKEEP_GATEWAY": "attic"])).configuration
        #expect(configuration.gateway == "attic" && configuration.sinks.mqtt?.gateway == "attic")
        #expect(try load(environment: ["BLEKEEP_GATEWAY": ""])?.configuration.gateway == "cellar")
        let errors = #expect(throws: ConfigurationErrors.self) { try load(environment: ["BLEKEEP_GATEWAY": "a/b"]) }
        #expect(
            errors?.problems.map(\.description) == [
                "BLEKEEP_GATEWAY: `a/b` isn't a gateway's name, which has up to 64 letters, digits, `_` and `-`"
            ])
    }

    private func problems(file: String? = nil) -> [String] {
        let errors = #expect(throws: ConfigurationErrors.self) { try load(file: file) }
        return errors?.problems.map(\.description) ?? []
    }

    private func load(
        file: String? = nil, environment: [String: String] = [:], isRoot: Bool = false
    ) throws -> LoadedConfiguration? {
        let environment = environment.merging(["HOME": "\(folder.path)/home"]) { given, _ in given }
        return try ConfigurationLoader(
            file: file, environment: environment, names: names, isRoot: isRoot, systemFolder: "\(folder.path)/etc"
        ).load()
    }
}
