import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct BroadcastReaderTests {
    private let sink = Sink()
    /// Has a key.
    private let reader: BroadcastReader
    /// The same device without a key.
    private let plainReader: BroadcastReader

    private final class Sink {
        var readings: [Reading] = []
        var now = Uptime.start
        var identities: [BroadcastIdentity] = []
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
        plainReader = BroadcastReader(
            device, wallTime: { 7 }, now: { [sink] in sink.now }, record: { [sink] in sink.readings += $0 },
            recognize: { [sink] in sink.identities.append($0) })
        device.key = AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db932")
        reader = BroadcastReader(
            device, wallTime: { 7 }, now: { [sink] in sink.now }, record: { [sink] in sink.readings += $0 })
    }

    private static let allChanged = AdvertisedData.Change.changed(manufacturerData: true, serviceData: true)

    private func hear(_ service: [UInt16: String], makers: [UInt16: String] = [:]) throws -> Hearing? {
        try hear(service, makers: makers, name: nil, Self.allChanged, reader)
    }

    private func hearPlain(
        _ service: [UInt16: String], makers: [UInt16: String] = [:], name: String? = nil,
        _ change: AdvertisedData.Change = allChanged
    ) throws -> Hearing? {
        try hear(service, makers: makers, name: name, change, plainReader)
    }

    private func hear(
        _ service: [UInt16: String], makers: [UInt16: String], name: String?, _ change: AdvertisedData.Change,
        _ reader: BroadcastReader
    ) throws -> Hearing? {
        var heard = try #require(Advertisement(at: "/org/bluez/hci0/dev_1", in: Self.tree, change))
        heard.name = name
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
        #expect(try hearPlain([0xFCD2: "400001025802"]) == .news)
        // Another temperature under the same number.
        #expect(try hearPlain([0xFCD2: "400001025902"]) == .repetition)
        #expect(try hearPlain([0xFCD2: "400002025902"]) == .news)
        // The number goes round.
        sink.now = sink.now + .seconds(5)
        #expect(try hearPlain([0xFCD2: "4000ff025a02"]) == .news)
        #expect(try hearPlain([0xFCD2: "400000025b02"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01), .number(6.02), .number(6.03)])
    }

    /// Heard late, or sent again, up to half the numbers back.
    @Test func ignoresAnOlderPacketID() throws {
        #expect(try hearPlain([0xFCD2: "400005025802"]) == .news)
        #expect(try hearPlain([0xFCD2: "400004025902"]) == .repetition)
        #expect(try hearPlain([0xFCD2: "400086025902"]) == .repetition)
        #expect(try hearPlain([0xFCD2: "400006025a02"]) == .news)
        // 254 was before 2.
        #expect(try hearPlain([0xFCD2: "400070025a02"]) == .news)
        #expect(try hearPlain([0xFCD2: "4000d0025a02"]) == .news)
        #expect(try hearPlain([0xFCD2: "400002025a02"]) == .news)
        #expect(try hearPlain([0xFCD2: "4000fe025902"]) == .repetition)
        #expect(sink.values == [6, 6.02, 6.02, 6.02, 6.02].map { .number($0) })
    }

    /// Once, a sink that was added later never got what doesn't change, and Home Assistant lacked most sensors.
    @Test func whatRepeatsItselfComesOnceMoreForANewSink() throws {
        for _ in 0..<2 {
            #expect(try hear([0xFCD2: Self.encrypted[0].counts[0][0]]) == .news)
            #expect(try hearPlain([0xFCD2: "400064025802"]) == .news)
            #expect(try hearPlain([0xFCD2: "400064025802"]) == .repetition)
            #expect(try hear([0xFCD2: Self.encrypted[0].counts[0][0]]) == .repetition)
            reader.renew()
            plainReader.renew()
        }
        #expect(sink.values.count == 4 && sink.codes.isEmpty)
    }

    @Test func takesAnOlderPacketIDAfterARestart() throws {
        #expect(try hearPlain([0xFCD2: "400064025802"]) == .news)
        for _ in 0..<4 {
            sink.now = sink.now + .seconds(3)
            #expect(try hearPlain([0xFCD2: "400064025802"]) == .repetition)
        }
        sink.now = sink.now + .seconds(3)
        #expect(try hearPlain([0xFCD2: "400000025902"]) == .repetition)
        sink.now = sink.now + .seconds(3)
        #expect(try hearPlain([0xFCD2: "400000025902"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01)])
    }

    /// Encrypted by PyCryptodome for this address and key, in the order of time: two counts of the device.
    private static let encrypted: [(format: UInt16, counts: [[String]])] = [
        (
            0xFCD2,
            [
                ["41c1dc30faff00008d1b26e6", "4121ed5bfbff0000bb52fba5"],
                [
                    "41cc55e4c74d0000a60aad52", "41ccea8bc84d00001d6c6fbb", "4142f163c94d000024b811c9",
                    "4188346eca4d0000c6a2d61c",
                ],
            ]
        ),
        (
            0x181A,
            [
                ["c8bc9d41b5386f41b94472", "c9ad5891508e314320b9e8"],
                [
                    "64a0210069c3bab1763d29", "65bfcf52f5b542656da76b", "661ebf4f0b8aa742ade054",
                    "6743f80b20853c692c90d2",
                ],
            ]
        ),
        (
            0xFE95,
            [
                ["48505b05ff1ac8cdcd0401000089339373", "48505b0500702cda5abb020000bbc5d318"],
                [
                    "48505b051050ee24db18010000384f14be", "48505b0511b3d5a8248d010000a2928040",
                    "48505b0512a56e5b0bb501000007b1cbb8",
                ],
            ]
        ),
    ]

    /// One rule for BTHome, ATC and MiBeacon.
    @Test(arguments: 0..<3) func aRestartedDeviceIsBelievedAgainByItself(index: Int) throws {
        let (format, counts) = Self.encrypted[index]
        for packet in counts[0] {
            #expect(try hear([format: packet]) == .news)
            sink.now = sink.now + .seconds(30)
        }
        for packet in counts[1].prefix(2) {
            guard case .unreadable(let why)? = try hear([format: packet]) else {
                Issue.record("the packet is older")
                return
            }
            #expect(why.code == .known(.replay))
            sink.now = sink.now + .seconds(30)
        }
        #expect(sink.codes == ["replay"])
        #expect(reader.drainRemarks().map(\.code) == [.known(.replay)])
        for packet in counts[1].dropFirst(2) { #expect(try hear([format: packet]) == .news) }
        #expect(reader.drainRemarks().map(\.code) == [.known(.newCounter)])
        #expect(sink.codes == ["replay"])
        // The first count is the old one now.
        sink.now = sink.now + .seconds(30)
        guard case .unreadable? = try hear([format: counts[1][0]]) else {
            Issue.record("the packet is older")
            return
        }
    }

    @Test func reportsRefusedPacketsOnceWhileTheDeviceGoesOn() throws {
        let packets = Self.encrypted[0].counts[1]
        #expect(try hear([0xFCD2: packets[1]]) == .news)
        for packet in [packets[2], packets[3]] {
            sink.now = sink.now + .seconds(60)
            guard case .unreadable(let why)? = try hear([0xFCD2: packets[0]]) else {
                Issue.record("the packet is older")
                return
            }
            #expect(why.code == .known(.replay))
            #expect(try hear([0xFCD2: packet]) == .news)
        }
        #expect(sink.codes == ["replay"])
        #expect(reader.drainRemarks().map(\.code) == [.known(.replay)])
    }

    /// Anybody could send a plain packet in the name of a device with a key.
    @Test(arguments: [
        (UInt16(0xFCD2), "4004138a01"), (0x181A, "01000000 00f0ca091310 5a0b 5a 01 00"),
        (0xFE95, "50205b0501 0100000000f0 0410020001"),
    ])
    func refusesPlainPacketsOfADeviceWithAKey(format: UInt16, plain: String) throws {
        let plain = plain.filter { $0 != " " }
        for packet in Self.encrypted[0].counts[1] {
            #expect(try hear([0xFCD2: packet]) == .news)
            guard case .unreadable(let why)? = try hear([format: plain]) else {
                Issue.record("the packet is plain")
                return
            }
            #expect(why.code == .known(.notEncrypted))
            sink.now = sink.now + .seconds(60)
        }
        #expect(sink.codes == ["not_encrypted"])
        #expect(sink.values.count == 4)
        #expect(reader.drainRemarks().map(\.code) == [.known(.notEncrypted)])
        sink.now = sink.now + .seconds(100_000)
        _ = try hear([format: plain])
        #expect(reader.drainRemarks().count == 1, "a day later, it is news again")
    }

    /// What the configuration can't know: the format is recognized by the packets. Nothing stops being read.
    @Test func namesFieldsThatTheDevicesFormatLacks() throws {
        var device = DeviceConfiguration(address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        device.mode = .passive
        device.fields = ["battery", "bpm"]
        device.calibration = [FieldCalibration(name: "temprature")]
        device.derived = [.dewPoint]
        let reader = BroadcastReader(
            device, wallTime: { 7 }, now: { [sink] in sink.now }, record: { [sink] in sink.readings += $0 })
        // An iBeacon may be that of any sensor.
        let beacon = "0215" + String(repeating: "07", count: 16) + "00010002c5"
        #expect(try hear([:], makers: [0x004C: beacon], name: nil, Self.allChanged, reader) == .news)
        #expect(reader.drainRemarks() == [])
        let toothbrush = "0631000372010e00020004"
        #expect(try hear([:], makers: [0x00DC: toothbrush], name: nil, Self.allChanged, reader) == .news)
        let remarks = reader.drainRemarks()
        #expect(remarks.allSatisfy { $0.code == .known(.noField) })
        #expect(
            remarks.map(\.message) == [
                "what it advertises (Oral-B) has no field `battery`", "what it advertises (Oral-B) has no field `bpm`",
                "what it advertises (Oral-B) has no field `temprature`",
                "`derive` needs a temperature and a humidity; what it advertises (Oral-B) has no temperature and no humidity",
            ])
        #expect(try hear([:], makers: [0x00DC: "0631000372010f00020004"], name: nil, Self.allChanged, reader) == .news)
        #expect(reader.drainRemarks() == [], "once is enough")
        // A second format of the device has the rest.
        #expect(try hear([0xFCD2: "40015a025e0103c409"], makers: [:], name: nil, Self.allChanged, reader) == .news)
        #expect(reader.drainRemarks().count == 2 && sink.values.count == 2, "\(sink.values)")
    }

    @Test func bytesMarkRepetitionsWithoutANumber() throws {
        #expect(try hearPlain([0xFCD2: "40025802"]) == .news)
        #expect(try hearPlain([0xFCD2: "40025802"]) == .repetition)
        #expect(try hearPlain([0xFCD2: "40025902"]) == .news)
        // An earlier value counts as new again.
        #expect(try hearPlain([0xFCD2: "40025802"]) == .news)
        #expect(sink.values == [.number(6), .number(6.01), .number(6)])
    }

    /// Frames of several kinds in turns are not news to each other.
    @Test func eachKindHasItsOwnRepetitions() throws {
        let telemetry = "20000bb8158000000009000003e8"
        let identity = "00ee0102030405060708090a0b0c0d0e0f10"
        #expect(try hearPlain([0xFEAA: telemetry]) == .news)
        #expect(try hearPlain([0xFEAA: identity]) == .news)
        let before = sink.readings.count
        for _ in 0..<5 {
            #expect(try hearPlain([0xFEAA: telemetry]) == .repetition)
            #expect(try hearPlain([0xFEAA: identity]) == .repetition)
        }
        #expect(sink.readings.count == before)
        // Each half of a set of values that comes in two packets, too.
        #expect(try hearPlain([0xFCD2: "40025802"]) == .news)
        #expect(try hearPlain([0xFCD2: "40036810"]) == .news)
        #expect(try hearPlain([0xFCD2: "40025802"]) == .repetition)
    }

    @Test func reportsMalformedPacketsOnce() throws {
        for _ in 0..<3 {
            guard case .unreadable(let why)? = try hearPlain([0xFCD2: "20025802"]) else {
                Issue.record("that is no packet")
                return
            }
            #expect(why.code == .known(.badVersion))
        }
        #expect(sink.codes == ["bad_version"])
        #expect(try hearPlain([0xFCD2: "40025802"]) == .news)
        _ = try hearPlain([0xFCD2: "20025802"])
        #expect(sink.codes == ["bad_version", "bad_version"])
    }

    @Test func ignoresUnknownFormats() throws {
        guard case .unreadable(let why)? = try hearPlain([0x181A: "00"], makers: [0x004C: "1005"]) else {
            Issue.record("nothing of it is known")
            return
        }
        #expect(why == ReadingFailure(.noFormat, "the device advertises no format that blekeep knows"))
        #expect(sink.readings.isEmpty)
        #expect(try hearPlain([0xFCD2: "40025802"], makers: [0x004C: "1005"]) == .news)
    }

    /// Also after an earlier run has recognized the device without the format.
    @Test(
        arguments: [
            ("40025802", "the device advertises BTHome, and not Ruuvi ('format: ruuvi')"),
            ("", "the device doesn't advertise Ruuvi ('format: ruuvi'), nor another format that blekeep knows"),
        ], ["", "bthome  "])
    func saysThatTheConfiguredFormatIsAnother(packet: (bytes: String, message: String), identity: String) throws {
        var device = DeviceConfiguration(alias: "window", address: BluetoothAddress(bits: 1))
        (device.mode, device.format) = (.passive, .ruuvi)
        let reader = BroadcastReader(device, wallTime: { 7 }, now: { .start }, record: { _ in })
        if let earlier = BroadcastIdentity(identity) { reader.inherit(earlier) }
        let service: [UInt16: String] = packet.bytes.isEmpty ? [:] : [0xFCD2: packet.bytes]
        let hearing = try hear(service, makers: [0x1234: "00"], name: nil, Self.allChanged, reader)
        #expect(hearing == .unreadable(ReadingFailure(.noFormat, packet.message)))
    }

    @Test func ignoresPacketsFromBeforeTheStart() throws {
        #expect(try hearPlain([0xFCD2: "40025802"], .known) == nil)
        #expect(try hearPlain([0xFCD2: "40025802"], .changed(manufacturerData: false, serviceData: false)) == nil)
        #expect(sink.readings.isEmpty)
        // BlueZ reports that it heard them again.
        #expect(try hearPlain([0xFCD2: "40025802"]) == .news)
    }

    @Test func aRecognizedDeviceMaySendAnythingElse() throws {
        #expect(try hearPlain([0xFCD2: "40025802"], makers: [0x1234: "00"]) == .news)
        #expect(try hearPlain([:], makers: [0x1234: "01"]) == nil)
        #expect(try hearPlain([0xFCD2: "40025802"], makers: [0x1234: "01"]) == .repetition)
        #expect(sink.readings.count == 1)
        #expect(sink.identities.map(\.description) == ["bthome  "])
    }

    /// What BlueZ hears meanwhile is old when the pause ends.
    @Test func nothingIsReadDuringAPause() throws {
        #expect(try hearPlain([:], makers: [0xD1C2: "00220b01"], name: "TP357") == .news)
        plainReader.isPaused = true
        #expect(try hearPlain([:], makers: [0xD1C2: "00220b01", 0xD0C2: "00210b01"], name: "TP357") == nil)
        plainReader.isPaused = false
        let makers: [UInt16: String] = [0xD1C2: "00220b01", 0xD0C2: "00210b01", 0xCFC2: "00200b01"]
        #expect(try hearPlain([:], makers: makers, name: "TP357") == .news)
        #expect(sink.values.contains(.number(20.7)) && !sink.values.contains(.number(20.8)))
    }

    /// Any bytes at all, from anybody: no trap, and no end of memory.
    @Test func takesAnything() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<1_500 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let starts: [[UInt8]] = [[0x40], [0x41], [0x44], [0x20], [0x05], [0x06], [0x03], [0x00], []]
            let start = starts.randomElement(using: &random) ?? []
            let text = String(hex: start + bytes)
            sink.now = sink.now + .milliseconds(Int.random(in: 0...5000, using: &random))
            _ = try hearPlain([0xFCD2: text, 0xFEAA: text], makers: [0x0499: text, 0x004C: text])
            _ = try hear([0xFCD2: text, 0xFEAA: text], makers: [0x0499: text, 0x004C: text])
            sink.readings.removeAll()
        }
    }
}
