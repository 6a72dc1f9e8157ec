import BlekeepOutputs
import BlekeepRecords
import Foundation
import FoundationXML
import SampleReadings
import Testing

@testable import BlekeepHistory

/// What a plot takes from a history, and its picture.
@Suite struct PlotTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private static let hour: Int64 = 3_600_000

    /// A temperature each minute for hours, whose value is the number of the minute.
    private func temperatures(hours: Int, from start: Int64 = someTime) throws -> [Reading] {
        try (0..<hours * 60).map {
            try makeReading(makeValue(.number(Double($0))), time: start + Int64($0) * 60_000)
        }
    }

    private func fill(_ readings: [Reading]) throws -> History {
        let history = try History(path: path)
        _ = try history.append(readings, durable: false)
        while history.needsUpkeep { try history.upkeep() }
        return history
    }

    private func plot(
        _ time: ClosedRange<Int64>, columns: Int, fitted: Bool = false
    ) throws -> PlottedDevice {
        let reader = try HistoryReader(path: path)
        let device = try HistoryDevice.resolve("greenhouse", among: [], in: reader)
        return try reader.plotted(
            PlotSelection(device: device, time: time, columns: columns, isFitted: fitted))
    }

    // MARK: Sources

    @Test(arguments: [600, 100, 8])
    func anySourceGivesTheSameLeastGreatestAndMean(columns: Int) throws {
        // 1, 6 and 75 minutes a column: readings, summaries of 5 minutes, and of hours.
        let start = someTime / Self.hour * Self.hour
        _ = try fill(temperatures(hours: 10, from: start))
        let points = try #require(
            try plot(start...start + 10 * Self.hour - 60_000, columns: columns).series.first?.points)
        #expect(points.count <= columns && points.count >= columns / 2)
        #expect(points.first?.least == 0 && points.last?.greatest == 599)
        #expect(points.reduce(0) { $0 + $1.count } == 600)
        let sum = points.reduce(0) { $0 + $1.mean * Double($1.count) }
        #expect(abs(sum / 600 - 299.5) < 1e-6)
        #expect(points.dropFirst().allSatisfy { $0.isJoined })
    }

    @Test func sourcesFitTheWidthOfAColumn() {
        #expect(PlotSource.sources(width: 1000) == [.readings, .fiveMinutes, .hours])
        #expect(PlotSource.sources(width: 300_001) == [.fiveMinutes, .hours])
        #expect(PlotSource.sources(width: 3_600_001) == [.hours])
    }

    @Test func summariesStandForReadingsThatRetentionHasRemovedAndEachCountsOnce() throws {
        let start = someTime / Self.hour * Self.hour
        let history = try fill(temperatures(hours: 10, from: start))
        #expect(try history.remove(through: 480) == 480)
        let time = start...start + 10 * Self.hour - 60_000
        let points = try #require(try plot(time, columns: 200).series.first?.points)
        #expect(points.first?.least == 0 && points.last?.greatest == 599)
        #expect(points.reduce(0) { $0 + $1.count } == 600)
        #expect(points.dropFirst().allSatisfy { $0.isJoined })
    }

    @Test func memoryIsBoundedByColumnsAndFieldsWhateverADeviceSends() throws {
        let readings = try (0..<2000).map {
            try makeReading(
                makeValue(.integer(Int64($0)), field: "f\($0 % 200)", unit: nil), time: someTime + Int64($0))
        }
        _ = try fill(readings)
        let plot = try plot(someTime...someTime + 2000, columns: 50)
        #expect(plot.series.count == PlottedDevice.maxSeries && plot.leftOut == 200 - PlottedDevice.maxSeries)
        #expect(plot.series.allSatisfy { $0.points.count <= 50 })
        #expect(plot.panels.count == plot.series.count)
    }

    // MARK: Fields

    @Test func onlyNumbersAreDrawnAndThoseOfOneUnitShareAPanel() throws {
        func reading(_ value: MeasuredValue, _ field: String, _ unit: String?) throws -> Reading {
            try makeReading(makeValue(value, field: field, unit: unit), name: "")
        }
        var information = try reading(.integer(3), "revision", nil)
        information.service = BluetoothUUID(0x180A)
        _ = try fill([
            reading(.number(1), "inside", "°C"), reading(.integer(2), "outside", "°C"),
            reading(.number(101_325), "pressure", "Pa"), reading(.text("x"), "word", nil),
            reading(.boolean(true), "open", nil), reading(.list([.integer(1)]), "list", nil),
            reading(.integer(1), "flags", nil), reading(.integer(1), "one", nil), reading(.integer(2), "two", nil),
            makeReading(makeFailure()), information,
        ])
        let plot = try plot(someTime - 10...someTime + 10, columns: 20)
        #expect(plot.name == "greenhouse")
        #expect(plot.panels.map { $0.series.map(\.field) } == [["pressure"], ["inside", "outside"], ["one"], ["two"]])
        #expect(plot.panels.map(\.unit) == ["hPa", "°C", "", ""])
        #expect(plot.panels[0].range == 1013.25...1013.25)
    }

    @Test func theChargeOfABatteryHasAnAxisOfItsOwn() throws {
        _ = try fill([
            makeReading(makeValue(.integer(88), field: "battery_level", unit: "%"), name: "Battery Level"),
            makeReading(makeValue(.number(41.5), field: "humidity", unit: "%"), name: "Humidity"),
            makeReading(makeValue(.number(39.25), field: "soil", unit: "%"), name: "Soil"),
        ])
        let plot = try plot(someTime - 10...someTime + 10, columns: 20)
        #expect(plot.panels.map { $0.series.map(\.field) } == [["humidity", "soil"], ["battery_level"]])
    }

    @Test func theNumbersOfALegendHaveEqualDecimals() throws {
        _ = try fill(
            try [20, 20.5, 20.53].enumerated().map {
                try makeReading(makeValue(.number($1)), time: someTime + Int64($0))
            })
        let series = try #require(try plot(someTime - 10...someTime + 10, columns: 20).series.first)
        #expect(PlotLegend(series).text == "min 20.00  max 20.53  last 20.53 °C")
    }

    @Test func specialValuesAreMarkedInTheirColumns() throws {
        func special(_ word: String, at time: Int64) throws -> Reading {
            try makeReading(makeValue(nil, state: word), time: someTime + time)
        }
        _ = try fill([
            makeReading(time: someTime), special("unknown", at: 11), special("invalid", at: 19),
            special("unknown", at: 55), makeReading(time: someTime + 90), special("late", at: 2000),
            makeReading(makeValue(nil, field: "other", state: "unknown"), time: someTime + 5),
        ])
        let plot = try plot(someTime...someTime + 1000, columns: 100)
        #expect(plot.series.map(\.field) == ["temperature"])
        #expect(
            plot.series.first?.states == [
                PlottedState(column: 1, time: someTime + 19, word: "invalid"),
                PlottedState(column: 5, time: someTime + 55, word: "unknown"),
            ])
        #expect(plot.series.first?.points.map(\.column) == [0, 9])
    }

    @Test func takesAnyNumberOfACharacteristicAmongSeveral() throws {
        let numbers = [-Int(History.maxNumber), 1, Int(History.maxNumber)]
        _ = try fill(
            try numbers.map { number in
                var reading = try makeReading(makeValue(.number(1)))
                reading.instance = number
                return reading
            })
        #expect(
            try Set(plot(someTime - 10...someTime + 10, columns: 20).series.map(\.key.source.instance)) == Set(numbers))
    }

    @Test func aPlotThatMayBeginsWithTheFirstReadingThatThereIs() throws {
        _ = try fill(temperatures(hours: 2))
        let end = someTime + 2 * Self.hour
        #expect(try plot(end - 12 * Self.hour...end, columns: 80, fitted: true).time == someTime...end)
        #expect(try plot(end - 12 * Self.hour...end, columns: 80).time == end - 12 * Self.hour...end)
        // Readings before it make what is missing a gap.
        let late = someTime + Self.hour
        #expect(try plot(late...end, columns: 80, fitted: true).time == late...end)
        #expect(try plot(end + 1...end + 2, columns: 80, fitted: true).series.isEmpty)
    }

    @Test func aSeriesGoesOnWithTheSensorThatReplacesAnother() throws {
        var readings = try temperatures(hours: 2)
        for index in 60..<120 {
            readings[index].address = BluetoothAddress(bits: 7)
            readings[index].id = readings[0].id
        }
        _ = try fill(readings)
        let reader = try HistoryReader(path: path)
        let end = someTime + 2 * Self.hour
        let device = try plot(someTime...end, columns: 80)
        #expect(device.series.count == 1 && device.series.first?.points.reduce(0) { $0 + $1.count } == 120)
        #expect(try reader.latest().map(\.reading.address) == [BluetoothAddress(bits: 7)])
        var addresses: [BluetoothAddress: Int] = [:]
        try reader.readings(HistoryQuery(device: readings[0].id)) { addresses[$0.reading.address, default: 0] += 1 }
        #expect(addresses == [readings[0].address: 60, BluetoothAddress(bits: 7): 60])
        for name in ["00:00:00:00:00:07", readings[0].address.description, "greenhouse", "f00000000001"] {
            #expect(try HistoryDevice.resolve(name, among: [], in: reader) == readings[0].id)
        }
    }

    // MARK: Trends

    @Test func trendsOfAllDevicesComeFromOneTime() throws {
        var readings = try temperatures(hours: 2)
        for index in readings.indices where index % 2 == 0 {
            readings[index].address = BluetoothAddress(bits: 7)
            readings[index].id = DeviceID(readings[index].address)
            readings[index].device = "attic"
        }
        _ = try fill(readings)
        let end = someTime + 2 * Self.hour
        let reader = try HistoryReader(path: path)
        let trends = try reader.trends(until: end, length: 24 * Self.hour, columns: 36, series: 2)
        // The history is younger than a day.
        #expect(trends.length == .seconds(7200) && trends.columns == 36)
        for reading in readings.prefix(2) {
            guard case .value(var measurement, let raw) = reading.outcome else { continue }
            let points = try #require(trends.series(of: reading)).points
            #expect(points.reduce(0) { $0 + $1.count } == 60 && points.count <= 36)
            var other = reading
            measurement.unit = "K"
            other.outcome = .value(measurement, raw: raw)
            #expect(trends.series(of: other) == nil)
        }
        let short = try reader.trends(until: someTime + 1000, length: 24 * Self.hour, columns: 36, series: 2)
        #expect(short.length == .seconds(600))
    }

    /// Two packets of manufacturer data with one field name are two series.
    @Test func twoFormatsAreTwoSeries() throws {
        let packets = try makePackets()
        _ = try fill(packets + packets)
        let reader = try HistoryReader(path: path)
        #expect(try reader.latest().map(\.reading) == packets)
        let plot = try plot(someTime - 10...someTime + 10, columns: 20)
        #expect(plot.series.map(\.key.source.format).sorted() == ["Govee", "Ruuvi"])
        #expect(plot.series.map { $0.points.map(\.latest) }.sorted { $0[0] < $1[0] } == [[20.5], [30.5]])
        let trends = try reader.trends(until: someTime + 1000, length: Self.hour, columns: 4, series: 2)
        #expect(try packets.map { try #require(trends.series(of: $0)).name } == ["Ruuvi", "Govee"])
        var means: [Double?] = []
        try reader.summaries(every: .hour) { means.append($0.mean) }
        #expect(means.compactMap(\.self).sorted() == [20.5, 30.5])
    }

    @Test(arguments: [10, 1000]) func trendsOfALongHistoryComeFromSummaries(series: Int) throws {
        _ = try fill(temperatures(hours: 240))
        let reader = try HistoryReader(path: path)
        let end = someTime + 240 * Self.hour
        let trends = try reader.trends(until: end, length: 24 * Self.hour, columns: 36, series: series)
        #expect(trends.length == .seconds(86_400))
        let numbers = try #require(try trends.series(of: makeReading())).points
        #expect((numbers.first?.least ?? 0) < 13_020 && numbers.last?.greatest == 14_399)
    }

    // MARK: Pictures

    @Test func aPathIsAsShortAsItCanBe() {
        let runs: [[SVGMarks.Place]] = [[(0.4, 1.6), (10, 1.4), (12.6, 8)], [], [(20, 3)]]
        #expect(SVGMarks.path(runs).text == "M0 2l10 -1 3 7M20 3h1")
        #expect(SVGMarks.path([]).text == "")
    }

    /// A device with hostile names, two units and a gap.
    static func hostile(_ text: String) throws -> PlottedDevice {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        var series = PlottedSeries(
            id: DeviceID(address), address: address, key: SeriesKey(ReadingSource(), field: text, unit: text),
            name: text)
        series.points = [PlottedPoint(1, at: 0), PlottedPoint(2, at: 1), PlottedPoint(3, at: 9)]
        for column in 0...2 { series.points[column].column = column * 3 }
        series.points[1].isJoined = true
        series.points[1].greatest = 5
        var other = series
        other.key.unit = "°C"
        return PlottedDevice(name: text, time: 0...10, columns: 10, series: [series, other], leftOut: 2)
    }

    @Test func aGapDividesALineAndANumberAloneIsAMark() throws {
        let series = try Self.hostile("x").series[1]
        let trace = PlotTrace(axis: PlotAxis(0...10, most: 6), columns: 10, width: 100, height: 100)
        // The range, the line, the mark.
        let marks = trace.marks(of: series).map(\.text)
        #expect(marks.count == 3 && marks[0].hasPrefix("<polygon") && marks[1].hasPrefix("<polyline"))
        #expect(marks[1].split(separator: " ").count { $0.contains(",") } == 2 && marks[2].hasPrefix("<rect"))
    }

    @Test func aTitleInAPictureIsWellFormedWhateverItHolds() {
        for text in hostileTexts + ["<script>alert(1)</script>", "]]>", "&amp;", "\u{FFFE}\u{FFFF}", "</title>"] {
            let box = SVGMarks.box(x: 0, y: 0, width: 1, height: 1, style: "mode", title: text).text
            #expect(XMLParser(data: Data(box.utf8)).parse(), "\(text)")
        }
    }
}
