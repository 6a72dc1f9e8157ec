import Blekeep
import Foundation
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory

/// A plot in the terminal.
@Suite struct PlotViewTests {
    /// 2026-11-20T20:00:00Z
    private static let start: Int64 = 1_795_204_800_000
    private static let length: Int64 = 12 * 3_600_000

    private static func series(
        _ name: String, _ unit: String?, columns: Int, _ number: (Double) -> Double
    ) throws -> PlottedSeries {
        var grid = PlotColumns(start...start + length, columns: columns)
        for minute in 0..<720 where !(280..<350).contains(minute) {
            let ripple = Double(minute * 37 % 11) / 50
            grid.add(
                PlottedPoint(number(Double(minute) / 720) + ripple, at: start + Int64(minute) * 60_000))
        }
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let source = ReadingSource(service: BluetoothUUID(0x181A))
        return PlottedSeries(
            id: DeviceID(address), address: address, key: SeriesKey(source, field: "value", unit: unit), name: name,
            points: grid.result)
    }

    /// A night with 70 minutes missing.
    private static func night(columns: Int) throws -> PlottedDevice {
        PlottedDevice(
            name: "greenhouse", time: start...start + length, columns: columns,
            series: [
                try series("Temperature", "°C", columns: columns) { 24 - 8 * $0 },
                try series("Dew Point", "°C", columns: columns) { 11 + 4 * sin($0 * 9) },
                try series("Pressure", "Pa", columns: columns) { 100_900 + 300 * $0 * $0 },
            ])
    }

    @Test func saysWhichTimesTheDeviceRemembered() throws {
        var plot = try Self.night(columns: 146)
        plot.logged = [Self.start...Self.start + 3_600_000, Self.start + 8_000_000...Self.start + 9_000_000]
        let last = PlotView(plot) { _ in 0 }.lines(size: (80, 40), on: .none).last ?? ""
        #expect(last.hasPrefix("from its own memory: ") && last.hasSuffix(" and 1 more"), "\(last)")
        #expect(try PlotView(Self.night(columns: 146)) { _ in 0 }.lines(size: (80, 40), on: .none).last != last)
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 50)])
    func looksAsItWasLookedAt(columns: Int, rows: Int) throws {
        let view = PlotView(try Self.night(columns: PlotView.columns(width: columns))) { _ in 3600 }
        let lines = view.lines(size: (columns, rows), on: .none)
        for line in lines { #expect(DisplayWidth.of(line) <= columns, "\(line)") }
        let text = lines.joined(separator: "\n") + "\n"
        #expect(isHarmless(text))
        try expectSnapshot("plot-\(columns)x\(rows)", text)
    }

    @Test func severalDevicesShareAnAxis() throws {
        var other = try Self.night(columns: 146)
        other.name = "attic"
        let plot = PlottedDevice([try Self.night(columns: 146), other])
        #expect(plot.panels.map(\.series.count) == [4, 2])
        #expect(
            plot.panels[0].series.map(\.label)
                == [
                    "greenhouse Temperature", "attic Temperature", "greenhouse Dew Point", "attic Dew Point",
                ])
        let lines = PlotView(plot) { _ in 0 }.lines(size: (80, 40), on: .none)
        #expect(lines[0].hasPrefix("greenhouse, attic, 2026-11-20 20:00 to"))
        #expect(PlotLines.json(plot).contains { $0.contains(#""device":"attic""#) })
        let many = PlottedDevice(Array(repeating: other, count: 10))
        #expect(many.series.count == PlottedDevice.maxSeries && many.leftOut == 6)
        #expect(many.name == "attic, attic and 8 more")
    }

    @Test func wordsThatNameDevicesComeBeforeCharacteristics() throws {
        let configured = ["cellar", "attic"].enumerated().map {
            DeviceConfiguration(alias: $1, address: BluetoothAddress(bits: UInt64($0 + 1)))
        }
        func words(_ arguments: String...) throws -> ([String], [String]) {
            let (devices, names) = try HistoryWords.split(arguments, among: configured) {
                $0 == "old" || $0 == "pressure"
            }
            return (devices, names.map(\.text))
        }
        #expect(try words("cellar", "attic", "temperature") == (["cellar", "attic"], ["temperature"]))
        #expect(try words("tag:cold", "tag:wet") == (["tag:cold", "tag:wet"], []))
        #expect(try words("old", "F0:00:00:00:00:09", "moisture") == (["old", "F0:00:00:00:00:09"], ["moisture"]))
        #expect(try words("cellar", "old", "humidity") == (["cellar", "old"], ["humidity"]))
        // A device that isn't configured doesn't take a characteristic's name.
        #expect(try words("cellar", "pressure") == (["cellar"], ["pressure"]))
        #expect(throws: Failure.self) { try words("cellar", "temprature") }
    }

    @Test func fillsATerminalAndNotMore() throws {
        let view = PlotView(try Self.night(columns: PlotView.columns(width: 80))) { _ in 0 }
        for rows in 24...60 {
            #expect(view.lines(size: (80, rows), on: .none).count <= rows)
        }
        #expect(view.lines(size: (80, 60), on: .none).count > 35)
    }

    @Test func eachSeriesHasItsColorInLegendAndLine() throws {
        let terminal = Terminal(isInteractive: true, hasColor: true) { (80, 24) }
        let lines = PlotView(try Self.night(columns: 146)) { _ in 0 }.lines(size: (80, 24), on: terminal)
        #expect(lines[1].hasPrefix("\u{1B}[36mTemperature\u{1B}[0m"))
        #expect(lines[2].hasPrefix("\u{1B}[33mDew Point\u{1B}[0m"))
        for color in ["[36m", "[33m"] {
            #expect(lines[3..<9].contains { $0.contains("\u{1B}\(color)") && !$0.contains("Temp") })
        }
    }

    /// A pipe has no colors.
    @Test func withoutColorsLettersNameTheLines() throws {
        let lines = PlotView(try Self.night(columns: 146)) { _ in 0 }.lines(size: (80, 24), on: .none)
        #expect(lines[1].hasPrefix("a Temperature"))
        #expect(lines[2].hasPrefix("b Dew Point"))
        let ends = lines[3..<9].compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(ends.contains("a") && ends.contains("b") || ends.contains("ab"), "\(lines)")
    }

    /// Any numbers, any size, any name.
    @Test func survivesWhatIsStrange() throws {
        let numbers: [Double] = [0, -1e100, 1e100, 1e-300, 123_456_789_012, -0.000001]
        for name in ["", "\u{1B}[2J", String(repeating: "氷", count: 90)] {
            for number in numbers {
                var plot = try Self.night(columns: 146)
                plot.name = name
                plot.leftOut = 3
                plot.series[0].name = name
                plot.series[0].key.unit = name
                plot.series[1].points = [PlottedPoint(number, at: Self.start)]
                plot.series[2].points[5].greatest = max(number, plot.series[2].points[5].greatest)
                for size in [(1, 1), (20, 5), (80, 24), (3000, 400)] {
                    let lines = PlotView(plot) { _ in 3600 }.lines(size: size, on: .none)
                    for line in lines { #expect(isHarmless(line) && DisplayWidth.of(line) <= max(15, size.0)) }
                    #expect(lines.count < 3 * 16 + 10)
                }
            }
        }
    }

    // MARK: Canvas

    private func text(_ canvas: BrailleCanvas) -> [String] { (0..<canvas.rows).map { canvas.line($0) } }

    @Test func aCellHasEightDots() {
        var canvas = BrailleCanvas(columns: 4, rows: 2)
        canvas.dot(x: 0, y: 0)
        canvas.dot(x: 3, y: 3)
        canvas.dot(x: 4, y: 4)
        #expect(text(canvas) == ["⠁⢀", "  ⠁"])
        for x in 6..<8 { for y in 4..<8 { canvas.dot(x: x, y: y) } }
        #expect(text(canvas) == ["⠁⢀", "  ⠁⣿"])
    }

    @Test func linesLeadFromEndToEnd() {
        var canvas = BrailleCanvas(columns: 4, rows: 2)
        canvas.line(from: (0, 7), to: (7, 0))
        #expect(text(canvas) == ["  ⡠⠊", "⡠⠊"])
        canvas = BrailleCanvas(columns: 2, rows: 1)
        canvas.line(from: (0, 0), to: (3, 0))
        canvas.line(from: (1, 3), to: (1, 1))
        #expect(text(canvas) == ["⢹⠉"])
        canvas.line(from: (2, 2), to: (2, 2))
        #expect(text(canvas) == ["⢹⠍"])
    }

    @Test func whatLiesOutsideIsNotDrawn() {
        var canvas = BrailleCanvas(columns: 2, rows: 1)
        for place in [-1, 4, .min, .max] {
            canvas.dot(x: place, y: 0)
            canvas.dot(x: 0, y: place)
            canvas.line(from: (place, 0), to: (0, place))
        }
        #expect(text(canvas) == [""] && canvas.line(5) == "" && canvas.line(-1) == "")
        var none = BrailleCanvas(columns: -1, rows: 0)
        none.dot(x: 0, y: 0)
        #expect(none.line(0) == "")
    }

    @Test func aCellHasTheColorOfItsLastPen() {
        var canvas = BrailleCanvas(columns: 3, rows: 1)
        canvas.line(from: (0, 0), to: (5, 0), pen: 1)
        canvas.dot(x: 2, y: 3, pen: 2)
        #expect(canvas.line(0) { "\($1)(\($0))" } == "1(⠉)2(⡉)1(⠉)")
    }
}
