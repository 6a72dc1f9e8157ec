import DBus
import RunLoop
import Testing

@testable import Blekeep
@testable import BlekeepBluetooth

@Suite struct BroadcastReaderTests {
    private let sink = Sink()
    private let reader: BroadcastReader

    private final class Sink {
        var readings: [Reading] = []
        var now = Uptime.start
        var values: [MeasuredValue] {
            readings.compactMap { if case .value(let measurement, _) = $0.outcome { measurement.value } else { nil } }
        }
        var codes: [String] {
            readings.compactMap { if case .failure(let failure, _) = $0.outcome { failure.code.rawValue } else { nil } }
        }
    }

    init() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        var device = DeviceConfiguration(alias: "attic", address: address)
        device.mode = .passive
        device.key = AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db932")
        reader = BroadcastReader(device, wallTime: { 7 }, now: { [sink] in sink.now }) { [sink] in
            sink.readings += $0
        }
    }

    private func hear(_ service: [UInt16: String], makers: [UInt16: String] = [:]) throws -> Hearing {
        var heard = try #require(Advertisement(at: "/org/bluez/hci0/dev_1", in: Self.tree))
        heard.serviceData = Dictionary(
            uniqueKeysWithValues: service.map { (BluetoothUUID($0), [UInt8](hex: $1) ?? []) })
        heard.manufacturerData = makers.mapValues { [UInt8](hex: $0) ?? [] }
        return reader.hear(heard)
    }

    private static let tree: ObjectTree = {
        var tree = ObjectTree()
        tree.replace(with: [
            "/org/bluez/hci0/dev_1": ["org.bluez.Device1": ["Address": Variant("F0:00:00:00:00:01")]]
        ])
        return tree
    }()

    @Test func aPacketNumberMarksRepetitions() throws {
        #expect(try hear([0xFCD2: "400001025802"]) == .news)
        // Another temperature under the same number.
        #expect(try hear([0xFCD2: "400001025902"]) == .repetition)
        #expect(try hear([0xFCD2: "400002025902"]) == .news)
        // The number goes round.
        sink.now = sink.now + .seconds(5)
        #expect(try hear([0xFCD2: "4000ff025a02"]) == .news)
        #expect(try hear([0xFCD2: "400000025b02"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01), .number(6.02), .number(6.03)])
    }

    /// Heard late, or sent again, up to half the numbers back.
    @Test func ignoresAnOlderPacketID() throws {
        #expect(try hear([0xFCD2: "400005025802"]) == .news)
        #expect(try hear([0xFCD2: "400004025902"]) == .repetition)
        #expect(try hear([0xFCD2: "400086025902"]) == .repetition)
        #expect(try hear([0xFCD2: "400006025a02"]) == .news)
        // 254 was before 2.
        #expect(try hear([0xFCD2: "400070025a02"]) == .news)
        #expect(try hear([0xFCD2: "4000d0025a02"]) == .news)
        #expect(try hear([0xFCD2: "400002025a02"]) == .news)
        #expect(try hear([0xFCD2: "4000fe025902"]) == .repetition)
        #expect(sink.values == [6, 6.02, 6.02, 6.02, 6.02].map { .number($0) })
    }

    @Test func takesAnOlderPacketIDAfterARestart() throws {
        #expect(try hear([0xFCD2: "400064025802"]) == .news)
        for _ in 0..<4 {
            sink.now = sink.now + .seconds(3)
            #expect(try hear([0xFCD2: "400064025802"]) == .repetition)
        }
        sink.now = sink.now + .seconds(3)
        #expect(try hear([0xFCD2: "400000025902"]) == .repetition)
        sink.now = sink.now + .seconds(3)
        #expect(try hear([0xFCD2: "400000025902"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01)])
    }

    /// Encrypted by bthome-ble's library for this address and key: the temperatures 25.06, 25.07 … °C.
    private static let encrypted = [
        3: "4152f92a03000000a0598e80",
        1000: "41a2905ee803000050831f56",
        1001: "41c7d7dae903000057c0ed23",
    ]

    @Test func refusesAnEncryptedPacketThatIsSentAgain() throws {
        #expect(try hear([0xFCD2: Self.encrypted[1000] ?? ""]) == .news)
        #expect(try hear([0xFCD2: Self.encrypted[1001] ?? ""]) == .news)
        sink.now = sink.now + .seconds(3600)
        for _ in 0..<2 {
            guard case .unreadable(let why) = try hear([0xFCD2: Self.encrypted[1000] ?? ""]) else {
                Issue.record("the packet is older")
                return
            }
            #expect(why.code == .known(.replay))
        }
        #expect(sink.codes == ["replay"])
        #expect(try hear([0xFCD2: Self.encrypted[1001] ?? ""]) == .repetition)
        // A restarted device.
        #expect(try hear([0xFCD2: Self.encrypted[3] ?? ""]) == .news)
        #expect(try hear([0xFCD2: Self.encrypted[1000] ?? ""]) == .news)
        #expect(sink.values.count == 4)
    }

    @Test func bytesMarkRepetitionsWithoutANumber() throws {
        #expect(try hear([0xFCD2: "40025802"]) == .news)
        #expect(try hear([0xFCD2: "40025802"]) == .repetition)
        #expect(try hear([0xFCD2: "40025902"]) == .news)
        // An earlier value counts as new again.
        #expect(try hear([0xFCD2: "40025802"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01), .number(6)])
    }

    /// Frames of several kinds in turns are not news to each other.
    @Test func eachKindHasItsOwnRepetitions() throws {
        let telemetry = "20000bb8158000000009000003e8"
        let identity = "00ee0102030405060708090a0b0c0d0e0f10"
        #expect(try hear([0xFEAA: telemetry]) == .news)
        #expect(try hear([0xFEAA: identity]) == .news)
        let before = sink.readings.count
        for _ in 0..<5 {
            #expect(try hear([0xFEAA: telemetry]) == .repetition)
            #expect(try hear([0xFEAA: identity]) == .repetition)
        }
        #expect(sink.readings.count == before)
        // Each half of a set of values that comes in two packets, too.
        #expect(try hear([0xFCD2: "40025802"]) == .news)
        #expect(try hear([0xFCD2: "40036810"]) == .news)
        #expect(try hear([0xFCD2: "40025802"]) == .repetition)
    }

    @Test func reportsMalformedPacketsOnce() throws {
        for _ in 0..<3 {
            guard case .unreadable(let why) = try hear([0xFCD2: "20025802"]) else {
                Issue.record("that is no packet")
                return
            }
            #expect(why.code == .known(.badVersion))
        }
        #expect(sink.codes == ["bad_version"])
        #expect(try hear([0xFCD2: "40025802"]) == .news)
        _ = try hear([0xFCD2: "20025802"])
        #expect(sink.codes == ["bad_version", "bad_version"])
    }

    @Test func ignoresUnknownFormats() throws {
        guard case .unreadable(let why) = try hear([0x181A: "00"], makers: [0x004C: "1005"]) else {
            Issue.record("nothing of it is known")
            return
        }
        #expect(why.code == .known(.nothing))
        #expect(sink.readings.isEmpty)
        #expect(try hear([0xFCD2: "40025802"], makers: [0x004C: "1005"]) == .news)
    }

    @Test func ignoresPacketsFromBeforeTheStart() throws {
        var heard = try #require(Advertisement(at: "/org/bluez/hci0/dev_1", in: Self.tree))
        heard.serviceData = [BTHome.service: [0x40, 0x02, 0x58, 0x02]]
        _ = reader.hear(heard, makers: true, services: false)
        #expect(sink.readings.isEmpty)
    }

    /// Any bytes at all, from anybody: no trap, and no end of memory.
    @Test func takesAnything() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let starts: [[UInt8]] = [[0x40], [0x41], [0x44], [0x20], [0x05], [0x06], [0x03], [0x00], []]
            let start = starts.randomElement(using: &random) ?? []
            let text = String(hex: start + bytes)
            sink.now = sink.now + .milliseconds(Int.random(in: 0...5000, using: &random))
            _ = try hear([0xFCD2: text, 0xFEAA: text], makers: [0x0499: text, 0x004C: text])
            sink.readings.removeAll()
        }
    }
}
