import Blekeep
import Foundation
import Testing

@testable import BlekeepOutputs

/// 2026-11-21T03:18:00.123Z
let someTime: Int64 = 1_795_231_080_123

func makeReading(
    _ outcome: Reading.Outcome = makeValue(.number(21.93)), device: String = "greenhouse", name: String = "Temperature",
    time: Int64 = someTime, tick: Int = 3, address: String = "F0:00:00:00:00:01"
) throws -> Reading {
    let address = try #require(BluetoothAddress(address))
    return Reading(
        time: time, tick: tick, device: device, address: address, service: BluetoothUUID(0x181A),
        characteristic: BluetoothUUID(0x2A6E), name: name, outcome: outcome)
}

func makeValue(
    _ value: MeasuredValue?, field: String = "temperature", state: String? = nil, unit: String? = "°C",
    raw: [UInt8] = [0x91, 0x08]
) -> Reading.Outcome {
    .value(Measurement(field: field, value: value, state: state, unit: unit), raw: raw)
}

func makeFailure(
    _ message: String = "it does not answer", code: String = "timeout", raw: [UInt8]? = nil
)
    -> Reading.Outcome
{
    .failure(ReadingFailure(code: OpenEnum(rawValue: code), message: message), raw: raw)
}

func makeStored(
    _ outcome: Reading.Outcome, name: String = "Temperature", device: String = "greenhouse"
) throws
    -> StoredReading
{
    StoredReading(sequence: 17, reading: try makeReading(outcome, device: device, name: name))
}

func makeLive(_ outcome: Reading.Outcome) throws -> LiveReading { LiveReading(try makeStored(outcome)) }

/// A folder that is gone when the test is.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/blekeep-test-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Text that a peripheral might send to do harm.
let hostileTexts: [String] = {
    let controls = (0..<0xA0 as Range<UInt32>).compactMap { Unicode.Scalar($0) }.map { "a\($0)b" }
    let invisible: [UInt32] = [
        0x061C, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFFFE,
    ]
    let words = [
        "", "=1+1", "+1", "-1", "@cmd", "'", "\"", "\"\"", "a,b", "a=b c", "\\", "a\\", "\\\"", "\r\n", "\t=1",
        "\u{1B}[2J\u{1B}]0;pwned\u{7}", "\u{202E}gnp.exe", "e\u{301}\u{301}", "👩‍👩‍👧‍👦", "🇩🇪", "\u{10FFFF}",
        String(repeating: "Z\u{335}\u{321}", count: 200), String(repeating: "x", count: 10_000), "null", "NaN", "{}",
    ]
    return controls + invisible.compactMap { Unicode.Scalar($0) }.map { "\($0)x\($0)" } + words
}()

extension Unicode.Scalar {
    /// What no line may hold.
    var doesHarm: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
