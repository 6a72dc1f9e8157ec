import BlekeepOutputs
import BusBench
import Foundation
import Testing

@testable import BlekeepConfiguration

/// The configuration that a fleet's database gives, behind a gateway's own.
struct FleetConfigurationTests {
    private let folder: TemporaryFolder
    private let own: String
    private static let version = FleetVersion(number: 5, digest: "abc")

    init() throws {
        folder = try TemporaryFolder()
        own = "\(folder.path)/config.yaml"
        try write(
            """
            gateway: cellar
            history: {path: \(folder.path)/h.sqlite}
            sinks: {postgres: {url: "postgresql://localhost/blekeep", configure: true}}
            """, to: own)
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private var path: String { FleetConfiguration.path(besides: "\(folder.path)/h.sqlite") }

    private func load(drafts: [String: String] = [:]) throws(ConfigurationErrors) -> LoadedConfiguration {
        var loader = ConfigurationLoader(file: own, environment: [:], names: .assigned)
        loader.drafts = drafts
        return try loader.load() ?? .empty
    }

    private func give(_ yaml: String, _ number: Int = 5) throws {
        try FleetConfiguration(FleetVersion(number: number, digest: "d\(number)"), yaml: yaml).write(to: path)
    }

    private static let two = """
        interval: 5m
        tags: {cold: {throttle: 10s}}
        devices:
          - {address: F0:00:00:00:00:01, alias: freezer, tags: [cold], gateways: [cellar, any]}
          - {address: F0:00:00:00:00:02, alias: roof, gateways: [attic]}
        """

    @Test(arguments: ["", "devices: []", "devices: []\n", "a: |\n  text\n", "ü: 1\r\n"])
    func aTextComesBackFromItsFile(yaml: String) {
        let fleet = FleetConfiguration(Self.version, yaml: yaml)
        #expect(FleetConfiguration(text: fleet.text) == fleet)
    }

    @Test func aFileThatIsNotCompleteIsNone() {
        let text = FleetConfiguration(Self.version, yaml: Self.two).text
        for length in 0..<text.utf8.count {
            #expect(FleetConfiguration(text: String(decoding: text.utf8.prefix(length), as: UTF8.self)) == nil)
        }
    }

    @Test func aGatewayHasTheFleetsDevicesBesideItsOwn() throws {
        try give(Self.two)
        let loaded = try load()
        #expect(loaded.configuration.poll.interval == .seconds(300))
        #expect(loaded.configuration.poll.devices.map(\.name) == ["freezer", "roof"])
        #expect(loaded.configuration.poll.devices.map(\.isElsewhere) == [false, true])
        #expect(loaded.configuration.poll.devices[0].throttle == .seconds(10))
        #expect(loaded.configuration.sinks.postgres?.running == FleetVersion(number: 5, digest: "d5"))
        #expect(loaded.fleetFile == path)
        #expect(loaded.notes == [])
    }

    @Test func withoutTheKeyNobodyElseConfiguresAGateway() throws {
        try give(Self.two)
        try write(
            "history: {path: \(folder.path)/h.sqlite}\nsinks: {postgres: {url: \"postgresql://localhost/blekeep\"}}",
            to: own)
        #expect(try load().configuration.poll.devices.isEmpty)
        #expect(try load().fleetFile == nil)
    }

    /// Also after an upgrade that reads it otherwise, or on a damaged disk.
    @Test func theVersionBeforeCountsWhenTheNewestDoesNotFit() throws {
        try give(Self.two, 5)
        try give("devices: [{address: F0:00:00:00:00:03, colour: red}]", 6)
        let loaded = try load()
        #expect(loaded.configuration.poll.devices.count == 2)
        #expect(loaded.configuration.sinks.postgres?.running?.number == 5)
        #expect(loaded.fleetFile == FleetConfiguration.earlier(than: path))
        #expect(loaded.notes.count == 1 && loaded.notes[0].contains("`colour`"))
        try write("interval", to: path)
        #expect(
            try load().notes == [
                "\(path): the file isn't complete; remove it; that isn't used of the fleet's configuration"
            ])
        try write("interval", to: FleetConfiguration.earlier(than: path))
        #expect(try load().configuration.poll.devices.isEmpty)
        #expect(try load().configuration.sinks.postgres?.running == nil)
    }

    /// Also after a restart, and in both versions that the gateway kept.
    @Test func whatAUserWroteIntoTheGatewaysFilesCountsBesideTheRestOfTheFleets() throws {
        try give(Self.two, 5)
        try give(Self.two.replacing("roof", with: "door"), 6)
        try write(
            String(contentsOfFile: own, encoding: .utf8)
                + """

                interval: 1m
                tags: {cold: {throttle: 30s}}
                devices: [{address: F0:00:00:00:00:01, alias: mine, tags: [cold]}]
                """, to: own)
        let loaded = try load()
        #expect(loaded.configuration.poll.interval == .seconds(60))
        #expect(loaded.configuration.poll.devices.map(\.name) == ["mine", "door"])
        #expect(loaded.configuration.poll.devices[0].throttle == .seconds(30))
        #expect(loaded.configuration.sinks.postgres?.running?.number == 6)
        #expect(loaded.notes.contains { $0.contains("`interval` is set already at \(own)") }, "\(loaded.notes)")
        #expect(loaded.deviceFiles == [own, path])
    }

    @Test func aDraftThatDoesNotFitIsRefused() throws {
        try give(Self.two)
        func refusal(_ yaml: String) -> String? {
            do {
                _ = try load(drafts: [path: FleetConfiguration(Self.version, yaml: yaml).text])
                return nil
            } catch { return error.description.replacing(path, with: "fleet") }
        }
        #expect(refusal("interval: 1m") == nil)
        #expect(refusal("interval: 1s") == "fleet:1:11: `interval` is `1s`; it can be from 5s to 1d")
        #expect(refusal("gateway: attic")?.hasPrefix("fleet:1:1: `gateway`") == true)
        #expect(refusal(String(repeating: "#", count: 2 << 20)) == "fleet: it is larger than 1 MiB")
        #expect(refusal("- a\n- b") != nil)
        try write(
            String(contentsOfFile: own, encoding: .utf8)
                + "\ndevices: [{address: F0:00:00:00:00:01, alias: mine}]", to: own)
        #expect(refusal(Self.two)?.contains("is configured already at \(own)") == true)
    }

    /// Whoever administers the database doesn't own the gateways.
    @Test(arguments: [
        ("notices: [{run: [/bin/sh, -c, id]}]", "`notices` isn't for a fleet: it runs commands"),
        ("sinks: {webhook: {url: http://evil/}}", "`sinks` isn't for a fleet: it says where readings go"),
        ("metrics: {textfile: /etc}", "`metrics` isn't for a fleet: it names files"),
        ("history: /etc/passwd", "`history` isn't for a fleet: it names files"),
        ("recovery: {restart_bluetooth: true}", "`recovery` isn't for a fleet: it disturbs"),
        ("adapter: hci1", "`adapter` isn't for a fleet: it differs"),
        (
            "devices: [{address: F0:00:00:00:00:01, mode: passive, key: /etc/shadow}]",
            "a path isn't for a fleet: name a credential"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, recipe: airthings-wave, secret: host-key}]",
            "`secret` isn't for a fleet: the recipe sends it"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, recipe: own, write: true}]",
            "`write` isn't for a fleet: it lets a recipe write"
        ),
        (
            "devices: [{address: F0:00:00:00:00:01, characteristics: [{uuid: 2a19, write: true}]}]",
            "`write` isn't for a fleet: it lets programs write"
        ),
        (
            "tags: {a: {characteristics: [{uuid: 2a19, write: true}]}}",
            "`write` isn't for a fleet: it lets programs write"
        ),
    ])
    func whatRunsOrSendsIsTheGatewaysOwn(yaml: String, words: String) throws {
        let part = ConfigurationPart(yaml, file: "f", names: .assigned)
        let misuses = FleetConfiguration.misuses(part).map(\.message)
        #expect(misuses.contains { $0.hasPrefix(words) }, "\(misuses) \(part.problems)")
    }

    /// A key that is new must be thought of before a fleet may set it.
    @Test func eachKeyIsAFleetsOrTheGatewaysOwn() {
        let own: Set = ["adapter", "gateway", "history", "recovery", "sinks", "metrics", "notices"]
        #expect(Set(Configuration.keys.map(\.facts.name)) == own.union(FleetConfiguration.keys))
        #expect(own.isDisjoint(with: FleetConfiguration.keys))
    }

    // MARK: Plans

    private func plan(
        _ text: String, before: String? = nil, _ gateways: [String] = ["attic", "cellar"]
    ) throws(ConfigurationErrors) -> FleetPlan {
        try FleetPlan(text, file: "f", gateways: gateways, names: .assigned) { _ in before }
    }

    @Test func aPlanSaysWhatChangesAtEachGateway() throws {
        let first = try plan(Self.two)
        #expect(
            first.changes == [
                .init(gateway: "attic", devices: 2, before: 0, lines: ["interval 30s → 5m", "+ freezer", "+ roof"]),
                .init(gateway: "cellar", devices: 1, before: 0, lines: ["interval 30s → 5m", "+ freezer"]),
            ])
        #expect(first.unknown == [])
        #expect(try plan(Self.two, before: Self.two).changes.flatMap(\.lines) == [])
        let next = Self.two.replacing("throttle: 10s", with: "throttle: 1m").replacing("[attic]", with: "[yard]")
        let second = try plan(next, before: Self.two)
        #expect(second.changes.map(\.gateway) == ["attic", "cellar", "yard"])
        #expect(second.changes[0].lines == ["~ freezer: throttle 10s → 1m", "- roof"])
        #expect(second.changes[1].lines == ["~ freezer: throttle 10s → 1m"])
        #expect(second.unknown == ["yard"])
    }

    @Test func aPlanWithMistakesIsNone() {
        func problems(_ text: String) -> [String] {
            do { _ = try plan(text) } catch { return error.problems.map(\.description) }
            return []
        }
        #expect(problems("interval: 1s").count == 1)
        #expect(problems("sinks: {}").first?.hasPrefix("f:1:1: `sinks` isn't for a fleet") == true)
        // One that only the whole configuration shows.
        #expect(problems("devices: [{address: F0:00:00:00:00:01, recipe: nothing}]").count == 1)
    }
}
