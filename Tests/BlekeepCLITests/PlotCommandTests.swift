import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// `plot`, on a history of twelve hours.
@Suite final class PlotCommandTests {
    /// 2026-11-21T00:00:00Z
    private static let day: Int64 = 1_795_219_200_000
    private let folder: String
    private let history: History

    init() throws {
        folder = NSTemporaryDirectory() + "blekeep-plot-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "history: \(folder)/history.sqlite\n".write(
            toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
        history = try History(path: "\(folder)/history.sqlite")
        var readings: [Reading] = []
        for minute in 0..<720 where !(200..<260).contains(minute) {
            readings.append(try Self.reading(minute, .number(20 + Double(minute) / 100), "Temperature", 0x2A6E, "°C"))
            readings.append(try Self.reading(minute, .integer(Int64(100_900 + minute)), "Pressure", 0x2A6D, "Pa"))
        }
        readings.append(try Self.reading(10, .text("ajar"), "Door", 0x2A3D, nil))
        readings.append(try Self.reading(10, .boolean(true), "Lamp", 0x2AE2, nil))
        _ = try history.append(readings, durable: false)
    }

    deinit {
        history.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func reading(
        _ minute: Int, _ value: MeasuredValue, _ name: String, _ uuid: UInt16, _ unit: String?
    ) throws -> Reading {
        Reading(
            time: day + Int64(minute) * 60_000, tick: 1, device: "greenhouse",
            address: try #require(BluetoothAddress("F0:00:00:00:00:01")), service: BluetoothUUID(0x181A),
            characteristic: BluetoothUUID(uuid), name: name,
            outcome: .value(Measurement(field: name.lowercased(), value: value, unit: unit), raw: []))
    }

    private func plot(_ arguments: String..., until: String = "2026-11-21T12:00Z") async throws -> Outcome {
        try await run(
            ["plot"] + arguments + ["--since", "2026-11-20T18:00Z", "--until", until, "-c", "\(folder)/config.yaml"])
    }

    /// The history of another machine, or of a sensor that was removed.
    @Test func devicesThatAreNotConfiguredAreComparedAndExplained() async throws {
        let attic = try #require(BluetoothAddress("F0:00:00:00:00:02"))
        let readings = (0..<60).map { minute in
            Reading(
                time: Self.day + Int64(minute) * 60_000, tick: 1, device: "Attic", address: attic,
                service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
                outcome: .value(Measurement(field: "temperature", value: .number(9), unit: "°C"), raw: []))
        }
        _ = try history.append(readings, durable: false)
        var status = DeviceStatus(address: attic, name: "Attic", since: 0)
        status.lastValue = Self.day
        let changes = LedgerChanges(statuses: [status], poller: GatewayStatus(pid: 1, started: 1000, seen: 1000))
        _ = try history.append([], nil, changes, durable: false)
        let both = try await plot("greenhouse", "Attic", "temperature")
        #expect(both.code == 0 && both.lines.first?.hasPrefix("greenhouse, Attic, 2026") == true, "\(both)")
        let why = try await run(["why", "attic", "-c", "\(folder)/config.yaml"])
        #expect(why.code == 0 && why.output.contains("Attic (F0:00:00:00:00:02)"), "\(why)")
    }

    @Test func allIsEachDeviceOfTheHistory() async throws {
        let values = try await run(["values", "all", "-c", "\(folder)/config.yaml"])
        #expect(values.code == 0 && values.output.contains("greenhouse"), "\(values)")
        let configuration = "\(folder)/none.yaml"
        try "history: \(folder)/none.sqlite\n".write(toFile: configuration, atomically: true, encoding: .utf8)
        _ = try History(path: "\(folder)/none.sqlite")
        let none = try await run(["values", "all", "-c", configuration])
        #expect(none.failure?.message == "there are no devices", "\(none)")
    }

    @Test func withoutUnicodeItDrawsWithASCII() throws {
        #expect(Terminal.hasUnicode(["LANG": "de_DE.UTF-8"]) && Terminal.hasUnicode(["LANG": "C", "LC_ALL": "C.utf8"]))
        #expect(!Terminal.hasUnicode(["LANG": "C"]) && !Terminal.hasUnicode([:]))
        #expect(!Terminal.hasUnicode(["LANG": "C.UTF-8", "LC_ALL": "POSIX"]))
        var terminal = Terminal.none
        terminal.hasUnicode = false
        let reader = try HistoryReader(path: "\(folder)/history.sqlite")
        let selection = PlotSelection(
            device: DeviceID(try #require(BluetoothAddress("F0:00:00:00:00:01"))),
            time: Self.day...Self.day + 43_200_000, columns: 100)
        let lines = PlotView(try reader.plotted([selection])) { _ in 0 }.lines(size: (80, 24), on: terminal)
        let drawn = lines.joined().unicodeScalars.filter { !$0.isASCII }
        #expect(Set(drawn) == ["°"] && lines.contains { $0.contains("|") && $0.contains("*") }, "\(lines)")
    }

    @Test func completesWhatADeviceHas() throws {
        let reader = try HistoryReader(path: "\(folder)/history.sqlite")
        let all = ["door", "lamp", "pressure", "temperature"]
        #expect(try NameCompletions.fields(["blekeep", "history", "greenhouse"], [], in: reader) == all)
    }

    @Test func drawsAllNumbersOfADeviceByUnit() async throws {
        let outcome = try await plot("greenhouse")
        #expect(outcome.code == 0 && outcome.lines.allSatisfy { DisplayWidth.of($0) <= 80 })
        #expect(outcome.lines.first?.hasPrefix("greenhouse, 2026-11-2") == true)
        #expect(outcome.lines.contains { $0.hasPrefix("Pressure") && $0.hasSuffix("last 1016.2 hPa") })
        #expect(outcome.lines.contains { $0.hasPrefix("Temperature  min 20.00  max 27.19  last 27.19 °C") })
        #expect(outcome.lines.count { $0.contains("└") } == 1)
        #expect(!outcome.output.contains("Door"))
    }

    @Test func drawsTheNamedCharacteristics() async throws {
        for name in ["temperature", "2A6E", "181a/2a6e"] {
            let outcome = try await plot("greenhouse", name)
            #expect(outcome.output.contains("Temperature") && !outcome.output.contains("Pressure"))
        }
        let both = try await plot("F0:00:00:00:00:01", "pressure", "temperature")
        #expect(both.output.contains("Temperature") && both.output.contains("Pressure"))
    }

    @Test func printsThePointsInBaseUnits() async throws {
        let outcome = try await plot("greenhouse", "pressure", "--json")
        let objects = try outcome.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.first?["time"] as? String == "2026-11-21T00:00:00.000Z")
        #expect(objects.allSatisfy { $0["unit"] as? String == "Pa" && $0["field"] as? String == "pressure" })
        #expect(objects.compactMap { $0["count"] as? Int }.reduce(0, +) == 660)
        #expect(objects.first?["min"] as? Int == 100_900 && objects.last?["max"] as? Int == 101_619)
        // The hour without readings.
        #expect(objects.count { $0["gap"] as? Bool == true } == 1)
    }

    @Test func saysWhyThereIsNothingToDraw() async throws {
        let unknown = try await plot("cellar")
        #expect(unknown.code == 5 && unknown.failure?.message.hasPrefix("no device is called 'cellar'") == true)
        let other = try await plot("greenhouse", "battery level")
        #expect(other.code == 5)
        #expect(
            other.failure?.message.hasPrefix("'battery level' is neither a device nor a value of greenhouse") == true)
        let misspelled = try await run(
            [
                "plot", "greenhouse", "celar", "temperature", "--since", "2026-11-20T18:00Z", "-c",
                "\(folder)/config.yaml",
            ])
        #expect(misspelled.code == 5 && misspelled.output.isEmpty)
        #expect(misspelled.failure?.message.hasPrefix("'celar' is neither a device nor a value of greenhouse") == true)
        let early = try await plot("greenhouse", until: "2026-11-20T20:00Z")
        #expect(early.code == 5 && early.failure?.message.hasPrefix("greenhouse has no numbers in this time") == true)
        let late = try await run(
            [
                "plot", "greenhouse", "--since", "2026-11-22T12:00Z", "--until", "2026-11-23T12:00Z", "-c",
                "\(folder)/config.yaml",
            ])
        #expect(late.code == 5 && late.failure?.message.hasPrefix("greenhouse has no numbers in this time") == true)
        for name in ["2a3d", "2ae2"] {
            let words = try await plot("greenhouse", name)
            #expect(words.code == 5 && words.output.isEmpty)
            #expect(words.failure?.message.hasPrefix("greenhouse has no numbers of '\(name)' in this time") == true)
        }
    }

    @Test(arguments: [
        ["--until", "2026-11-20T17:00Z"], ["tempratur"], ["--since", "soon"], ["#0"],
    ])
    func refusesWhatItDoesNotUnderstand(arguments: [String]) async throws {
        let outcome = try await run(
            ["plot", "greenhouse", "--since", "2026-11-20T18:00Z", "-c", "\(folder)/config.yaml"] + arguments)
        #expect(outcome.code == 2 && outcome.failure.map { isHarmless($0.message) } == true)
    }

    @Test func aMissingHistoryIsNotFound() async throws {
        let config = "\(folder)/other.yaml"
        try "history: \(folder)/none.sqlite\n".write(toFile: config, atomically: true, encoding: .utf8)
        #expect(try await run(["plot", "greenhouse", "-c", config]).code == 5)
    }
}
