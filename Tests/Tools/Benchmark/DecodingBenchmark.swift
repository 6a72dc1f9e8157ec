import Blekeep
import Glibc

/// Decodes the same bytes again and again on one core: `blekeep-bench --decode`.
enum DecodingBenchmark {
    static func run() {
        let start = Clock.nanoseconds()
        _ = AssignedNumbers.characteristicName(BluetoothUUID(0x2A6E))
        let first = Clock.nanoseconds()
        guard let temperature = LayoutDecoder(BluetoothUUID(0x2A6E)), let heart = LayoutDecoder(BluetoothUUID(0x2A37))
        else { return }
        let ready = Clock.nanoseconds()
        var line = "impl=blekeep temperature_per_s=\(Int(rate(temperature, [0xC4, 0x09])))"
        line += " heart_rate_per_s=\(Int(rate(heart, [0x10, 0x48, 0x00, 0x04, 0xF0, 0x03])))"
        let before = Clock.nanoseconds()
        _ = AssignedNumbers.companyName(0x0499)
        line += " first_company_us=\(Double(Clock.nanoseconds() - before) / 1000)"
        line += " first_name_us=\(Double(first - start) / 1000) two_decoders_us=\(Double(ready - first) / 1000)"
        print(line)
    }

    /// Values a second, the best of five rounds.
    private static func rate(_ decoder: LayoutDecoder, _ bytes: [UInt8]) -> Double {
        let count = 400_000
        var best = 0.0
        for round in 0..<5 {
            var fields = 0
            let start = Clock.nanoseconds()
            for turn in 0..<count {
                var value = bytes
                value[1] = UInt8(truncatingIfNeeded: (turn &+ round) & 0x1F)
                fields &+= (try? decoder.decode(value))?.count ?? 0
            }
            let took = Double(Clock.nanoseconds() - start) / 1e9
            if fields >= count { best = max(best, Double(count) / took) }
        }
        return best
    }
}
