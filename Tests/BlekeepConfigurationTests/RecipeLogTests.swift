import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// What a recipe says of a device's own memory, and what its packets mean.
@Suite struct RecipeLogTests {
    private static let now: Int64 = 1_738_392_000
    private static let since: Int64 = 1_738_388_000

    private func ruuvi() throws -> Recipe.Log {
        try #require(RecipeCatalogue.log(recipe: nil, formats: [.ruuvi], own: [])?.log)
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require([UInt8](hex: hex)) }

    private func download(_ packets: [String], now: Int64 = now, since: Int64 = since) throws -> LogDownload {
        var download = LogDownload(try ruuvi(), now: now, since: since)
        for packet in packets { download.receive(try bytes(packet)) }
        return download
    }

    private static let packets = [
        "3a3010679db522000008e3", "3a3110679db52200001090", "3a3210679db52200018b40",
    ]

    // MARK: The catalogue

    @Test func theCataloguesLogsHaveNoMistakesAndTests() throws {
        #expect(RecipeCatalogue.logs.map(\.name) == ["ruuvitag", "govee-h5075"])
        for recipe in RecipeCatalogue.logs {
            #expect(recipe.log != nil && recipe.facts != nil && !recipe.about.isEmpty && !recipe.isOwn)
            #expect(!RecipeCatalogue.names.contains(recipe.name) || !recipe.steps.isEmpty)
            let parsed = RecipeCatalogue.parsed(recipe.source)
            #expect(parsed.problems.map(\.message) == [] && parsed.tests > 0)
        }
    }

    @Test func aDeviceHasTheLogOfItsFormatOrOfItsRecipe() throws {
        #expect(RecipeCatalogue.log(recipe: nil, formats: [.govee, .ruuvi], own: [])?.name == "ruuvitag")
        #expect(RecipeCatalogue.log(recipe: "jbd", formats: [.thermopro], own: []) == nil)
        var own = Recipe(name: "probe", title: "Probe")
        (own.log, own.isOwn) = (try ruuvi(), true)
        own.log?.fills = nil
        #expect(RecipeCatalogue.log(recipe: "probe", formats: [], own: [own])?.name == "probe")
        #expect(RecipeCatalogue.log(recipe: "other", formats: [], own: [own]) == nil)
        own.log?.fills = .ruuvi
        #expect(RecipeCatalogue.log(recipe: nil, formats: [.ruuvi], own: [own])?.name == "probe")
    }

    @Test func theRequestHasItsOwnTimeAndTheOldest() throws {
        #expect(String(hex: try ruuvi().bytes(now: 1_567_047_917, since: 1_566_047_917)) == "3a3a115d6740ed5d57fead")
        #expect(String(hex: try ruuvi().bytes(now: 1_567_047_917, since: -5)) == "3a3a115d6740ed00000000")
    }

    // MARK: Records that are counted back

    private func govee() throws -> Recipe.Log {
        try #require(RecipeCatalogue.log(recipe: nil, formats: [.govee], own: [])?.log)
    }

    /// Those of API.md of govee-h5075-thermo-hygrometer.
    private static let minutes = [
        "00150371e70375cf0371e70375cf0371e60375ce", "000f0375cf0375cf0375ce0375cf0375ce0375cf",
        "00090375cf0375cf0375d10375d00375d00375cf", "00030375cf0375cf0375ceffffffffffffffffff",
    ]

    private func minutes(_ packets: [String], end: String = "ee010004") throws -> LogDownload {
        var download = LogDownload(try govee(), now: 1_800_000_000, since: 1_799_998_800)
        download.receive(try bytes("3301000000000000000000000000000000000032"), isControl: true)
        for packet in packets { download.receive(try bytes(packet)) }
        download.receive(try bytes(end + String(repeating: "0", count: 30) + "eb"), isControl: true)
        return download
    }

    @Test func aPacketHasSeveralRecordsBackFromNow() throws {
        let all = try minutes(Self.minutes)
        #expect(all.state == .complete && all.count == 21 && all.incomplete == [])
        let records = all.records
        #expect(records.first?.time == 1_800_000_000 - 21 * 60 + 30 && records.last?.time == 1_800_000_000 - 30)
        #expect(zip(records, records.dropFirst()).allSatisfy { $1.time - $0.time == 60 })
        #expect(records.first?.measurements.map(\.value) == [.number(22.5), .number(76.7)])
        #expect(records.last?.measurements.map(\.value) == [.number(22.6), .number(76.6)])
        #expect(records.first?.measurements.map(\.unit) == ["°C", "%"])
    }

    @Test func belowZeroAnotherBitIsSet() throws {
        let cold = try minutes(["0001801389ffffffffffffffffffffffffffffff"], end: "ee010001")
        #expect(cold.records.map { $0.measurements.map(\.value) } == [[.number(-0.5), .number(0.1)]])
    }

    @Test func aLostPacketIsNoEnd() throws {
        let lost = try minutes(Array(Self.minutes.dropLast()))
        #expect(lost.state == .failed && lost.count == 18)
        // The end may be nowhere else than in its own characteristic.
        var download = LogDownload(try govee(), now: 1_800_000_000, since: 0)
        download.receive(try bytes("ee01" + String(repeating: "0", count: 36)))
        #expect(download.state == .open)
    }

    @Test func theRequestSaysHowLongAgo() throws {
        let log = try govee()
        let ago = log.bytes(now: 1_800_000_000, since: 1_800_000_000 - 1201)
        #expect(String(hex: ago) == "3301001600010000000000000000000000000025")
        #expect(log.bytes(now: 100, since: 100)[2...3] == [0, 1] && log.bytes(now: 100, since: 200)[2...3] == [0, 1])
        #expect(log.bytes(now: Int64(UInt32.max), since: 0)[2...3] == [0xFF, 0xFF])
        #expect(String(hex: try #require(log.keepAlive).sent) == "aa010000000000000000000000000000000000ab")
    }

    /// Other models of the maker may take the request for something else.
    @Test(arguments: ["GVH5075_1234": true, "Govee_H5074_12AB": true, "GVH5183_1234": false, "": false])
    func onlyKnownNamesAreAsked(name: String, fits: Bool) throws {
        #expect(try govee().fits(name: name) == fits)
        #expect(try !govee().fits(name: nil) && ruuvi().fits(name: nil))
    }

    // MARK: Packets

    @Test func packetsOfOneTimeAreOneRecord() throws {
        let all = try download(Self.packets + ["3a3a10ffffffffffffffff"])
        #expect(all.state == .complete && all.count == 1 && all.incomplete == [])
        let record = try #require(all.records.first)
        #expect(record.time == 1_738_388_770)
        #expect(record.measurements.map(\.field) == ["temperature", "humidity", "pressure"])
        #expect(record.measurements.map(\.value) == [.number(22.75), .number(42.4), .integer(101_184)])
        #expect(record.measurements.map(\.unit) == ["°C", "%", "Pa"])
    }

    @Test func temperaturesBelowZeroHaveASign() throws {
        let cold = try download(["3a3010679db522fffff8ac"])
        #expect(cold.records.first?.measurements.first?.value == .number(-18.76))
    }

    @Test func packetsMayComeInAnyOrderTwiceAndBetweenOthers() throws {
        let all = try download(
            [Self.packets[2], "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f", Self.packets[0], Self.packets[2]]
                + [Self.packets[1], "3a30", "3a3010679db522000008e300", "4a3010679db522000008e3", ""]
                + ["3a3a10ffffffffffffffff", "3a3010679db500000008e3"])
        #expect(all.count == 1 && all.records.first?.measurements.count == 3)
        #expect(all.counts.skipped == 1 && all.counts.doubled == 1 && all.counts.flawed == 4)
    }

    @Test func aDeviceThatGivesUpLeavesWhatCame() throws {
        let cut = try download(Self.packets + ["3a3af0ffffffffffffffff"] + Self.packets)
        #expect(cut.state == .failed && cut.count == 1)
    }

    @Test func timesThatCantBeAreLeftOut() throws {
        let now = String(hex: Self.time(Self.now + 301)), early = String(hex: Self.time(Self.since - 901))
        let all = try download(["3a3010\(now)000008e3", "3a3010\(early)000008e3", "3a3010ffffffff000008e3"])
        #expect(all.count == 0 && all.counts.absurd == 3)
        let edges = [Self.now + 300, Self.since - 900].map { "3a3010\(String(hex: Self.time($0)))000008e3" }
        #expect(try download(edges).count == 2)
    }

    private static func time(_ seconds: Int64) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
    }

    @Test func aRecordWithoutAQuantityIsIncompleteIfOthersHaveIt() throws {
        let alone = try download([Self.packets[0]])
        #expect(alone.incomplete == [])
        let both = try download([Self.packets[0], Self.packets[1], "3a3010679db64e000008e3"])
        #expect(both.incomplete == [0x679db64e])
    }

    @Test func recordsAreBounded() throws {
        var download = LogDownload(try ruuvi(), now: Int64(UInt32.max), since: 0)
        for second in 0..<Int64(Recipe.Log.maxRecords + 5) {
            download.receive([0x3A, 0x30, 0x10] + Self.time(second * 7) + [0, 0, 0, 1])
        }
        #expect(download.count == Recipe.Log.maxRecords && download.counts.tooMany == 5)
    }

    /// Always the same numbers.
    private struct Steps: RandomNumberGenerator {
        private var state: UInt64 = 82

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }

    /// Whatever comes, it ends, and what it has is within its bounds.
    @Test func damagedPacketsNeitherTrapNorBecomeRecords() throws {
        var random = Steps()
        let (log, good) = (try ruuvi(), try Self.packets.map(bytes))
        for _ in 0..<2000 {
            var download = LogDownload(log, now: Self.now, since: Self.since)
            for _ in 0..<20 {
                var packet = good[Int(random.next() % 3)]
                for _ in 0..<(random.next() % 4) {
                    guard let index = packet.indices.randomElement(using: &random) else { break }
                    packet[index] = UInt8(truncatingIfNeeded: random.next())
                    if random.next() % 5 == 0 { packet.remove(at: index) }
                }
                download.receive(packet)
            }
            #expect(download.records.allSatisfy { ($0.time - Self.since) >= -900 && $0.time <= Self.now + 300 })
        }
    }

    // MARK: Mistakes

    private func problems(in text: String) -> [String] {
        ConfigurationPart(
            "recipes:\n" + text, file: "f", names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil })
        ).problems.map(\.message)
    }

    private static let own = """
        - name: probe
          log:
            fills: ruuvi
            holds: 2d
            every: 5m
            write: fff1
            bytes: [a1, {since: uint32}]
            collect: fff2
            length: 9
            end: "ff"
            time: {at: 1, type: uint32, clock: request}
            kinds: [{start: a1, fields: [{name: temperature, at: 5, type: sint16, scale: 0.01, unit: °C}]}]
        """

    @Test func aRecipeNeedsStepsOrALog() {
        #expect(problems(in: Self.own) == [])
        #expect(problems(in: "- name: probe").first?.hasPrefix("a recipe needs `steps`") == true)
    }

    /// The request may be one that clears: by its bytes, by its first ones, or because it isn't known before it is sent.
    @Test(arguments: ["a1", "..", "a1 00", "a1........"])
    func aRequestThatMayClearIsRefused(clears: String) {
        let text = Self.own + "\n  clears: [\"\(clears)\"]"
        #expect(problems(in: text).contains { $0.hasPrefix("`clears` forbids a request") })
        #expect(problems(in: Self.own + "\n  clears: [a2, \"a1....000000\", b1]") == [])
    }

    @Test func aStepThatClearsIsRefusedToo() {
        let step = "- name: probe\n  steps: [{write: fff1, bytes: a20000}]\n"
        #expect(problems(in: step) == [])
        #expect(problems(in: step + "  clears: [a2]").count == 1)
    }

    @Test func mistakesHaveASentence() {
        func problem(_ old: String, _ new: String) -> String {
            problems(in: Self.own.replacing(old, with: new)).first ?? ""
        }
        #expect(problem("    every: 5m\n", "") == "a log needs `every`; add it")
        #expect(
            problem("type: uint32, clock", "type: uint16, clock").hasPrefix("the time of a log needs `type: uint32`"))
        #expect(problem("clock: request", "clock: uptime").hasPrefix("the time of a log needs `clock: request`"))
        #expect(problem("length: 9", "length: 3").hasPrefix("`length` is"))
        #expect(problem("fills: ruuvi", "fills: ruvi").contains("ruvi"))
        #expect(
            problems(in: "- name: a\n  steps: [{write: fff1, bytes: [{since: uint32}]}]").first?.hasPrefix(
                "`since` belongs") == true)
    }
}
