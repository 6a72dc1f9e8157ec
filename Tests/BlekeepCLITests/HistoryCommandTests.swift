import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import Testing

@testable import BlekeepCLI

/// `history` on a history with two devices: a day of temperatures, a text, a second characteristic and a failure.
@Suite final class HistoryCommandTests {
    private static let day: Int64 = 1_795_219_200_000
    private let folder: String
    private let history: History

    init() throws {
        folder = NSTemporaryDirectory() + "blekeep-history-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        history = try History(path: "\(folder)/history.sqlite")
        var readings: [Reading] = []
        for minute in 0..<120 {
            readings.append(try Self.reading(minute, .number(20 + Double(minute % 60) / 10)))
            readings.append(try Self.reading(minute, .integer(Int64(101_325 + minute)), "Pressure", 0x2A6D, "Pa"))
        }
        readings.append(try Self.reading(5, .number(-3.5), instance: 2))
        readings.append(try Self.reading(70, .text("=open"), "Door", 0x2A3D, nil))
        var failed = try Self.reading(80, .number(0))
        failed.outcome = .failure(ReadingFailure(code: .other("timeout"), message: "no answer"), raw: nil)
        readings.append(failed)
        var other = try Self.reading(90, .integer(74), "Battery Level", 0x2A19, "%", address: "F0:00:00:00:00:02")
        other.device = "attic"
        readings.append(other)
        _ = try history.append(readings, durable: false)
    }

    deinit {
        history.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: [
        (HistoryError.missing(path: "h"), Failure.Code.notFound), (.inUse(path: "h", pid: 7), .alreadyRunning),
        (.busy(path: "h"), .allFailed), (.diskFails(path: "h"), .allFailed), (.readOnly(path: "h"), .allFailed),
        (.damaged(path: "h"), .badConfiguration), (.noPermission(path: "h"), .badConfiguration),
    ])
    func everyCommandEndsWithTheSameCodeOfAHistory(error: HistoryError, code: Failure.Code) {
        let failure = #expect(throws: Failure.self) {
            try StoredHistory.read(at: "\(folder)/history.sqlite") { _ in throw error }
        }
        #expect(failure?.code == code)
    }

    private static func reading(
        _ minute: Int, _ value: MeasuredValue, _ name: String = "Temperature", _ uuid: UInt16 = 0x2A6E,
        _ unit: String? = "°C", instance: Int = 1, address: String = "F0:00:00:00:00:01"
    ) throws -> Reading {
        let field = name.lowercased().replacing(" ", with: "_")
        return Reading(
            time: day + Int64(minute) * 60_000, tick: 1, device: "greenhouse",
            address: try #require(BluetoothAddress(address)), service: BluetoothUUID(0x181A),
            characteristic: BluetoothUUID(uuid), instance: instance, name: name,
            outcome: .value(Measurement(field: field, value: value, unit: unit), raw: []))
    }

    /// Whatever the time that is asked for: a quiet hour is no unknown name.
    @Test(arguments: ["Temperature", "pressure", "2a3d"]) func aNameIsKnownByAnyReadingOfItsDevice(name: String) throws
    {
        let name = try CharacteristicName(inHistory: name)
        try HistoryWords.check([name], of: "greenhouse", [DeviceID("f00000000001")].compactMap(\.self), in: reader)
        let failure = #expect(throws: Failure.self) {
            try HistoryWords.check([name], of: "attic", [DeviceID("f00000000002")].compactMap(\.self), in: reader)
        }
        #expect(failure?.code == .notFound)
    }

    private var reader: HistoryReader { get throws { try HistoryReader(path: "\(folder)/history.sqlite") } }

    private func summaries(
        _ format: LineFormat, _ query: HistoryQuery = HistoryQuery(), every period: Summary.Period = .hour
    ) throws -> [String] {
        var text = ""
        let printer = SummaryPrinter(format, on: .none, offset: { _ in 3600 }) { text += $0 }
        try reader.summaries(query, every: period) { try printer.add($0) }
        try printer.finish()
        return text.split(separator: "\n").map(String.init)
    }

    @Test func printsATableWithOneHeader() throws {
        try expectSnapshot("history-every-1h", summaries(.human).joined(separator: "\n") + "\n")
    }

    @Test func printsSummariesAsCSV() throws {
        let lines = try summaries(.csv)
        #expect(lines.first == "time,device,measured,unit,count,min,mean,max,last")
        #expect(lines.allSatisfy { $0.hasPrefix("time") || $0.hasPrefix("2026-11-21T0") })
        #expect(lines.contains("2026-11-21T00:00:00.000Z,greenhouse,Temperature,°C,60,20.0,22.95,25.9,25.9"))
        #expect(lines.contains("2026-11-21T01:00:00.000Z,greenhouse,Door,,1,,,,'=open"))
        #expect(lines.contains("2026-11-21T01:00:00.000Z,greenhouse,\"Temperature, failed reads\",,1,,,,timeout"))
    }

    @Test func printsSummariesAsJSON() throws {
        let lines = try summaries(.json, HistoryQuery(characteristic: BluetoothUUID(0x2A6E)))
        let start = #"{"time":"2026-11-21T00:00:00.000Z","every":"1h","device":"greenhouse","#
        let series = #""address":"F0:00:00:00:00:01","service":"181a","characteristic":"2a6e","#
        let values = #""unit":"°C","count":60,"min":20,"mean":22.95,"max":25.9,"last":25.9}"#
        #expect(lines.contains(start + series + #""name":"Temperature","field":"temperature","# + values))
        let second = #""instance":2,"name":"Temperature","field":"temperature#2","unit":"°C","count":1,"min":-3.5,"#
        #expect(lines.contains { $0.contains(series + second) })
        let failed = series + #""name":"Temperature","count":1,"min":null,"mean":null,"max":null,"last":"timeout"}"#
        #expect(lines.contains { $0.hasSuffix(failed) })
        for line in lines { #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)") }
    }

    @Test func printsFiveMinutesToo() throws {
        let lines = try summaries(
            .json, HistoryQuery(device: HistoryDevice.resolve("attic", among: [], in: reader)), every: .fiveMinutes)
        #expect(lines.count == 1 && lines[0].hasPrefix(#"{"time":"2026-11-21T01:30:00.000Z","every":"5m","#))
    }

    /// A table that is too long to be held back keeps the widths of its beginning.
    @Test func keepsItsColumnsOverALongTable() throws {
        var texts: [String] = []
        let printer = SummaryPrinter(.human, on: .none, offset: { _ in 0 }) { texts.append($0) }
        var summary: Summary?
        try reader.summaries(HistoryQuery(device: HistoryDevice.resolve("attic", among: [], in: reader)), every: .hour)
        {
            summary = $0
        }
        let one = try #require(summary)
        for _ in 0..<5000 { try printer.add(one) }
        #expect(texts.count > 1)
        try printer.finish()
        let lines = texts.joined().split(separator: "\n")
        #expect(lines.count == 5001 && Set(lines.dropFirst()).count == 1)
        #expect(lines.filter { $0.hasPrefix("TIME") }.count == 1)
        #expect(texts.allSatisfy { $0.utf8.count < 300_000 })
    }

    // MARK: Devices

    @Test func findsADeviceByWhatItIsOrWasCalled() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let renamed = [DeviceConfiguration(alias: "hothouse", address: address)]
        for name in ["hothouse", "f0-00-00-00-00-01", "hci1/F0:00:00:00:00:01"] {
            #expect(try HistoryDevice.resolve(name, among: renamed, in: reader) == DeviceID(address))
        }
        #expect(try HistoryDevice.resolve("greenhouse", among: renamed, in: reader) == DeviceID(address))
        #expect(try HistoryDevice.resolve("F0:00:00:00:00:02", among: [], in: reader) == DeviceID("f00000000002"))
        #expect(try HistoryDevice.resolve("f00000000002", among: [], in: reader) == DeviceID("f00000000002"))
    }

    @Test(arguments: ["celler", "F0:00:00:00:00:03", "", "x/F0:00:00:00:00:01", "\u{1B}[2J"])
    func refusesADeviceThatIsUnknown(name: String) throws {
        let failure = #expect(throws: HistoryQueryError.self) { try HistoryDevice.resolve(name, among: [], in: reader) }
        #expect(failure?.code == .unknownDevice && failure.map { isHarmless($0.message) } == true)
        #expect(failure?.message.contains("'blekeep status' lists all") == true)
    }

    @Test func findsANameOfTheHistoryWithoutRegardToCase() throws {
        #expect(try HistoryDevice.resolve("Greenhouse", among: [], in: reader).description == "f00000000001")
        let twins = ["Cellar", "CELLAR"].enumerated().map {
            DeviceConfiguration(alias: $1, address: BluetoothAddress(bits: UInt64($0 + 1)))
        }
        let failure = #expect(throws: HistoryQueryError.self) {
            try HistoryDevice.resolve("cellar", among: twins, in: reader)
        }
        #expect(failure?.code == .ambiguousDevice)
    }

    // MARK: Characteristics

    /// A device that only advertises has fields without a characteristic.
    @Test func aNameAlsoFindsFields() throws {
        func finds(_ text: String, _ characteristic: UInt16?, _ field: String?) throws -> Bool {
            let source = ReadingSource(characteristic: characteristic.map { BluetoothUUID($0) })
            return try CharacteristicName(inHistory: text).admits(SeriesKey(source, field: field))
        }
        #expect(try finds("temperature", 0x2A6E, "temperature") && finds("temperature", nil, "temperature"))
        #expect(try finds("2a6e", 0x2A6E, nil) && !finds("temperature", nil, "humidity"))
        #expect(try finds("battery-voltage", nil, "battery_voltage") && finds("moisture", nil, "moisture"))
        #expect(try !finds("moisture", nil, nil))
        for wrong in ["temprature", "0x10", "a b"] {
            #expect(throws: Failure.self) { try CharacteristicName(inHistory: wrong) }
        }
    }

    @Test func aServiceAndANumberChooseAmongCharacteristics() throws {
        func matches(_ text: String, _ instance: Int = 1) throws -> Bool {
            try CharacteristicName(text).matches(BluetoothUUID(0x181A), instance: instance)
        }
        #expect(try matches("2a6e") && matches("2a6e", 2) && matches("temperature") && matches("181a/2a6e"))
        #expect(try !matches("180f/2a6e") && !matches("2a6e#2") && matches("2a6e#2", 2))
    }
}
