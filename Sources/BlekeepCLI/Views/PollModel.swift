import Blekeep
import BlekeepHistory

/// The last values of all polled devices.
struct PollModel {
    struct Line {
        var shown: ShownValue
        /// Whether a device that repeats the value only confirms it.
        var isAdvertised: Bool
        var time: Int64
        var isFailure: Bool
        /// The last numbers, the oldest first.
        var course: [Double] = []
        /// The most digits after the decimal point so far. All numbers of a line have as many.
        var decimals = 0

        /// When blekeep last heard or read the value.
        func heard(_ device: DeviceStatus) -> Int64 {
            isAdvertised && !isFailure ? max(time, device.lastValue ?? time) : time
        }
    }

    private var lines: [BluetoothAddress: [SeriesKey: Line]] = [:]

    static let courseLength = 10
    /// The limit for a device that sends ever new kinds of values.
    static let maxLines = 64

    /// The lines of a device in the order of their places.
    func lines(of device: BluetoothAddress) -> [Line] {
        (lines[device] ?? [:]).values.sorted { $0.shown.place < $1.shown.place }
    }

    mutating func apply(_ reading: Reading) {
        guard reading.service != BluetoothUUID(0x180A) else { return }
        guard case .value(let measurement, _) = reading.outcome else { return fail(reading) }
        guard !measurement.isFlags else { return }
        let key = reading.key.newest
        var line = Line(
            shown: ShownValue(reading, measurement),
            isAdvertised: reading.isAdvertised, time: reading.time, isFailure: false)
        line.course = lines[reading.address]?[key]?.course ?? []
        let isNamed = Enumeration(of: reading.characteristic, field: measurement.field) != nil
        if !isNamed, let number = Self.number(measurement.value) {
            line.decimals = max(lines[reading.address]?[key]?.decimals ?? 0, Self.decimals(line.shown.value))
            line.shown.value = Self.padded(line.shown.value, to: line.decimals)
            line.course = (line.course + [number]).suffix(Self.courseLength)
        }
        put(line, key: key, device: reading.address)
    }

    /// Marks the values of a failed read. The lines keep the old values.
    private mutating func fail(_ reading: Reading) {
        guard !reading.isAdvertised else { return }
        for (key, _) in lines[reading.address] ?? [:] where key.source == reading.source {
            lines[reading.address]?[key]?.isFailure = true
        }
    }

    private mutating func put(_ line: Line, key: SeriesKey, device: BluetoothAddress) {
        if lines[device]?[key] == nil {
            guard lines[device]?.count ?? 0 < Self.maxLines else { return }
        }
        lines[device, default: [:]][key] = line
    }

    private static func decimals(_ number: String) -> Int {
        number.firstIndex(of: ".").map { number.distance(from: $0, to: number.endIndex) - 1 } ?? 0
    }

    private static func padded(_ number: String, to decimals: Int) -> String {
        let missing = decimals - self.decimals(number)
        guard missing > 0, number.allSatisfy({ $0.isNumber || $0 == "." || $0 == "-" }) else { return number }
        let point = number.contains(".") ? "" : "."
        return number + point + String(repeating: "0", count: missing)
    }

    private static func number(_ value: MeasuredValue?) -> Double? {
        switch value {
        case .integer(let integer)?: Double(integer)
        case .number(let number)?: number
        default: nil
        }
    }
}
