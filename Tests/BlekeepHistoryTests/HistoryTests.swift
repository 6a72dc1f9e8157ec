import BlekeepRecords
import Foundation
import HistoryTrials
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepHistory

@Suite struct HistoryTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("state/blekeep/history.sqlite")
    }

    @Test func whatAFleetsDatabaseSaidIsThereAfterARestart() throws {
        let devices = [1, 2].map { DeviceID(BluetoothAddress(bits: 0xF000_0000_0000 + $0)) }
        let server = DatabaseServer(system: "7", timeline: 2)
        do {
            let history = try History(path: path)
            #expect(try history.owned() == [] && history.server() == nil)
            try history.keep(owned: devices)
            try history.keep(DatabaseServer(system: "6", timeline: 3))
            try history.keep(server)
        }
        let history = try History(path: path)
        #expect(try history.owned() == devices && history.server() == server)
        try history.keep(owned: [])
        #expect(try history.owned() == [])
    }

    @Test func everythingComesBackAsItWas() throws {
        let history = try History(path: path)
        let values: [MeasuredValue?] = [
            nil, .integer(.min), .integer(.max), .number(21.93), .number(20), .number(.leastNonzeroMagnitude),
            .number(-.infinity),
            .text(""), .text("a\0b"), .boolean(true), .boolean(false), .list([]),
            .list([.integer(1), .number(1), .number(1e100), .text("\"\\\n\u{1F}\u{202E}°\0"), .list([.boolean(true)])]),
        ]
        var readings = try values.map { try makeReading(makeValue($0, state: $0 == nil ? "unknown" : nil)) }
        readings += try hostileTexts.map { text in
            try makeReading(makeValue(.text(text), field: text, state: text, unit: text), device: text, name: text)
        }
        readings += [
            try makeReading(makeFailure()), try makeReading(makeFailure("x\0y", code: "", raw: [])),
            try makeReading(makeFailure(raw: [0, 255])), try makeReading(makeValue(.integer(1), unit: nil, raw: [])),
            try makeReading(makeValue(.integer(1), unit: "")),
            try makeReading(time: -History.maxNumber, tick: Int(History.maxNumber)),
            try makeAnswer(), try makeAnswer(makeFailure()),
        ]
        let stored = try history.append(readings, durable: false)
        #expect(stored.map(\.reading) == readings)
        #expect(stored.map(\.sequence) == (1...Int64(readings.count)).map { $0 })
        #expect(try all() == stored)
    }

    @Test func aNumberThatIsNoneComesBackAsAState() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading(makeValue(.number(.nan)))], durable: false)
        #expect(try all().map(\.reading.outcome) == [makeValue(nil, state: "nan")])
    }

    @Test func theFileSystemHearsOfItWhenItMust() throws {
        let history = try History(path: path)
        #expect(try history.synchronousMode() == 1)
        for (durable, mode) in [(true, 2), (true, 2), (false, 1), (true, 2), (false, 1)] {
            _ = try history.append([try makeReading()], durable: durable)
            #expect(try history.synchronousMode() == mode)
        }
    }

    @Test func aDurableAppendOfNothingMakesSafeWhatCameBefore() throws {
        let history = try History(path: path)
        let stored = try history.append([try makeReading()], durable: false)
        _ = try history.append([], durable: true)
        // What a power cut may take is the log beside the database: it is not copied here.
        let copy = folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try read(try HistoryReader(path: copy)) == stored)
    }

    @Test func onlyOneAppendsAndTheNextMayWhenItHasGone() throws {
        var first: History? = try History(path: path)
        let error = #expect(throws: HistoryError.self) { _ = try History(path: path) }
        #expect(error == .inUse(path: path, pid: getpid()))
        _ = try first?.append([try makeReading()], durable: false)
        first = nil
        let second = try History(path: path)
        second.close()
        #expect(throws: HistoryError.self) { try second.append([try makeReading()], durable: false) }
        _ = try History(path: path)
        #expect(try all().count == 1)
    }

    @Test func sequenceNumbersRiseForEver() throws {
        var last: Int64 = 0
        for round in 0..<4 {
            let history = try History(path: path)
            let stored = try history.append([try makeReading(), try makeReading(makeFailure())], durable: false)
            #expect(stored.map(\.sequence) == [last + 1, last + 2])
            last += 2
            if round == 1 { #expect(try history.remove(through: .max) == 4) }
        }
        #expect(try all().map(\.sequence) == [5, 6, 7, 8])
    }

    @Test func aReaderSelectsReadingsWhileTheWriterIsOpen() throws {
        let history = try History(path: path)
        let reader = try HistoryReader(path: path)
        let readings = try (0..<1000).map { index in
            try makeReading(
                makeValue(.integer(Int64(index))), device: index.isMultiple(of: 10) ? "cellar" : "attic",
                time: Int64(index), address: index.isMultiple(of: 10) ? "F0:00:00:00:00:01" : "F0:00:00:00:00:02")
        }
        let stored = try history.append(readings, durable: true)
        #expect(try read(reader) == stored)
        #expect(try read(reader, device: "cellar").count == 100)
        #expect(try read(reader, device: "f0:00:00:00:00:01").count == 100)
        #expect(throws: HistoryQueryError.self) { try read(reader, device: "nobody") }
        try reader.readings(HistoryQuery(device: DeviceID("nobody"))) { Issue.record("\($0)") }
        #expect(try read(reader, since: 990) == Array(stored.suffix(10)))
        #expect(try read(reader, limit: 300) == Array(stored.suffix(300)))
        #expect(try read(reader, device: "cellar", limit: 2).map(\.sequence) == [981, 991])
        #expect(try read(reader, device: "cellar", since: 975, limit: 9).map(\.sequence) == [981, 991])
        for limit in [0, -1] { #expect(try read(reader, limit: limit).isEmpty) }
        var following: [StoredReading] = []
        try reader.readings(after: 700, limit: 257) { following.append($0) }
        #expect(following == Array(stored[700..<957]))
    }

    @Test func aCallerMayAskAgainFromWithinAndMayStop() throws {
        struct Enough: Error {}
        let history = try History(path: path)
        _ = try history.append([try makeReading(), try makeReading()], durable: false)
        let reader = try HistoryReader(path: path)
        var inner = 0
        #expect(throws: Enough.self) {
            try reader.readings { _ in
                try reader.readings { _ in inner += 1 }
                _ = try history.append([try makeReading()], durable: false)
                throw Enough()
            }
        }
        #expect(inner == 2)
    }

    @Test func whatCannotBeOpenedSaysWhy() throws {
        #expect(throws: HistoryError.missing(path: path)) { _ = try HistoryReader(path: path) }
        try FileManager.default.createDirectory(atPath: folder.file("inner"), withIntermediateDirectories: false)
        try makeFile("text.sqlite", contents: Data(repeating: 0x61, count: 8192))
        for open in [openHistory, openReader] {
            let text = folder.file("text.sqlite")
            #expect(throws: HistoryError.notAHistory(path: text)) { try open(text) }
            #expect(throws: HistoryError.self) { try open(folder.file("inner")) }
            #expect(throws: HistoryError.self) { try open("") }
            #expect(throws: HistoryError.self) { try open("/proc/nowhere/h.sqlite") }
            #expect(throws: HistoryError.self) { try open("/dev/null/h.sqlite") }
        }
        #expect(HistoryError.notAHistory(path: "/x").description.contains("/x isn't a history of blekeep"))
    }

    @Test func aDamagedFileNeverTraps() throws {
        do {
            let history = try History(path: path)
            _ = try history.append(try (0..<500).map { try makeReading(tick: $0) }, durable: true)
        }
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SplitMix64(seed: 7)
        for round in 0..<60 {
            var bad = good
            if round.isMultiple(of: 3) { bad = bad.prefix(Int(generator.next() % UInt64(good.count))) }
            for _ in 0..<(round.isMultiple(of: 3) ? 0 : 300) {
                bad[Int(generator.next() % UInt64(bad.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            let name = "bad\(round).sqlite"
            try makeFile(name, contents: bad)
            do {
                try openHistory(folder.file(name))
                let reader = try HistoryReader(path: folder.file(name))
                try reader.readings { _ in }
            } catch let error as HistoryError {
                #expect(error.path == folder.file(name), "\(error)")
            }
        }
    }

    @Test func liesWhereSystemdTheSuperuserOrTheUsersHomeSays() {
        func path(_ environment: [String: String], isRoot: Bool = false) -> String? {
            HistoryPath.default(environment: environment, isRoot: isRoot)
        }
        #expect(path(["STATE_DIRECTORY": "/var/lib/x:/var/lib/y", "HOME": "/h"]) == "/var/lib/x/history.sqlite")
        #expect(path(["HOME": "/root"], isRoot: true) == "/var/lib/blekeep/history.sqlite")
        #expect(path(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/blekeep/history.sqlite")
        #expect(path(["HOME": "/h", "XDG_STATE_HOME": "s"]) == "/h/.local/state/blekeep/history.sqlite")
        #expect(path([:]) == nil)
    }

    @Test func isReadWhereTheServiceKeepsItByUsersWithoutOneOfTheirOwn() throws {
        let service = folder.file("service/history.sqlite")
        let environment = ["STATE_DIRECTORY": folder.file("own")]
        func path(_ configured: String? = nil) throws -> String {
            try HistoryPath.reading(configured, environment: environment, service: service)
        }
        let own = folder.file("own/history.sqlite")
        #expect(try path() == own)
        _ = try History(path: service)
        #expect(try path() == service)
        #expect(try path("/elsewhere") == "/elsewhere")
        _ = try History(path: own)
        #expect(try path() == own)
    }

    @Test func tellsAUserWhichGroupMayReadTheServices() {
        let error = HistoryError.noPermission(path: HistoryPath.service)
        #expect(error.description.contains("join the group blekeep"))
        #expect(!HistoryError.noPermission(path: "/elsewhere").description.contains("group"))
    }

    @Test func makesItsFoldersForItselfAndItsGroup() throws {
        let old = umask(0)
        defer { umask(old) }
        _ = try History(path: path)
        var status = stat()
        for name in ["state", "state/blekeep"] {
            #expect(stat(folder.file(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o750)
        }
    }

    private func openHistory(_ path: String) throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], durable: true)
    }

    private func openReader(_ path: String) throws {
        _ = try HistoryReader(path: path)
    }

    private func makeFile(_ name: String, contents: Data) throws {
        try contents.write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func all() throws -> [StoredReading] {
        try read(try HistoryReader(path: path))
    }

    private func read(
        _ reader: HistoryReader, device: String? = nil, since: Int64? = nil, limit: Int? = nil
    ) throws -> [StoredReading] {
        var readings: [StoredReading] = []
        let known = try device.map { try HistoryDevice.resolve($0, among: [], in: reader) }
        try reader.readings(HistoryQuery(device: known, since: since), limit: limit) { readings.append($0) }
        return readings
    }
}
