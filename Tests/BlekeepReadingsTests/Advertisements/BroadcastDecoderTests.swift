import Testing

@testable import BlekeepReadings

extension Readings {
    /// Which bytes are new, and what a device is recognized by.
    @Suite struct BroadcastDecoderTests {
        private static let address = BluetoothAddress(bits: 0xB8B7_7D00_0001)
        private static let changed = AdvertisedData.Change.changed(manufacturerData: true, serviceData: false)
        private static let renamed = AdvertisedData.Change.changed(manufacturerData: false, serviceData: false)
        /// 21.5 °C and 45 %, from a Govee H5075, and the iBeacon that the same device sends.
        private static let govee = "0003499a6400"
        private static let intelliRocks = "0215494e54454c4c495f524f434b535f48575075f2ff0c"

        private func data(
            _ companies: [UInt16: String], services: [UInt16: String] = [:], name: String? = nil,
            advertised: [UInt16] = []
        ) -> AdvertisedData {
            AdvertisedData(
                address: Self.address, name: name, services: advertised.map { BluetoothUUID($0) },
                manufacturerData: companies.mapValues { [UInt8](hex: $0) ?? [] },
                serviceData: Dictionary(
                    uniqueKeysWithValues: services.map { (BluetoothUUID($0), [UInt8](hex: $1) ?? []) }))
        }

        /// The new values of a field, in order.
        private func new(_ field: String = "temperature", in packets: [BroadcastDecoder.Packet]) -> [MeasuredValue?] {
            packets.filter(\.isNew).flatMap { $0.broadcast?.measurements ?? [] }.filter { $0.field == field }
                .map(\.value)
        }

        private func formats(_ packets: [BroadcastDecoder.Packet]) -> [BroadcastFormat] {
            packets.compactMap(\.broadcast?.format)
        }

        // MARK: Several records

        /// Packets of the parsers' own tests: two records in one, no known name, a company number that is part of the
        /// address.
        /// BTHome's bit 2, and the fields of buttons, doors and leaks; not those of a thermometer with a button.
        @Test(
            arguments: [
                ("44000101642d00", 0xFCD2, nil, true), ("40000101642d00", 0xFCD2, nil, false),
                ("4400016403e8032d00", 0xFCD2, nil, true), ("4002ca09", 0xFCD2, nil, false),
                // SwitchBot's contact and meter, MiBeacon's door, and Qingping's thermometer.
                ("64000064000000000000", 0xFD3D, nil, true), ("540064059a32", 0xFD3D, nil, false),
                ("080caffd50342d580104010d019e0201aa", 0xFDCD, nil, false),
            ] as [(String, UInt16, String?, Bool)])
        func aSensorThatSendsByTriggerIsKnown(hex: String, service: UInt16, name: String?, isTriggered: Bool) throws {
            var data = AdvertisedData(address: BluetoothAddress(bits: 0xA4C1_3812_3456), name: name)
            data.serviceData[BluetoothUUID(service)] = [UInt8](hex: hex)
            var decoder = BroadcastDecoder()
            _ = decoder.decode(data)
            #expect(decoder.identity.habit.isTriggered == isTriggered)
            // It is known after a restart.
            let text = try #require(BroadcastIdentity(decoder.identity.description))
            var later = BroadcastDecoder()
            later.inherit(text)
            #expect(later.identity.habit.isTriggered == isTriggered)
        }

        @Test func answersEveryVectorOfRecognition() throws {
            let vectors = try Vector.all("recognition")
            #expect(vectors.count == 20)
            for vector in vectors {
                let packets = try vector.packets(as: BroadcastFormat(rawValue: vector.text("format")))
                let all = packets.flatMap { $0.broadcast?.measurements ?? [] }
                let found = Dictionary(all.map { ($0.field, $0) }) { first, _ in first }
                var expected: [String: JSON] = [:]
                if let fields = vector.expected["fields"] {
                    for field in fields.keys { expected[field] = fields[field] }
                } else if case .list(let objects)? = vector.expected["objects"] {
                    for object in objects { expected[object["name"]?.text ?? ""] = object }
                }
                let wrong = Set(found.keys).union(expected.keys)
                    .flatMap { Comparison.differences(found[$0], expected[$0]) }
                #expect(wrong == [], "\(vector.text("note"))")
            }
        }

        @Test func aSensorsBeaconsDoNotCount() {
            var decoder = BroadcastDecoder()
            let both = data([0xEC88: Self.govee, 0x004C: Self.intelliRocks])
            #expect(formats(decoder.decode(both)) == [.govee])
            // By itself, too, and after a restart.
            let alone = data([0x004C: Self.intelliRocks])
            #expect(formats(decoder.decode(alone, change: Self.changed)) == [])
            decoder = BroadcastDecoder(identity: decoder.identity)
            #expect(formats(decoder.decode(alone)) == [])
            decoder = BroadcastDecoder(format: .ibeacon)
            #expect(formats(decoder.decode(both)) == [.ibeacon])
            decoder = BroadcastDecoder()
            #expect(formats(decoder.decode(alone)) == [.ibeacon])
            let frames = data([:], services: [0xFEAA: "20000bb8158000000009000003e8", 0xFCD2: "40025802"])
            #expect(formats(decoder.decode(frames)) == [.bthome])
        }

        @Test func aRecordThatFailsHidesNoOther() {
            var decoder = BroadcastDecoder()
            let packets = decoder.decode(
                data([0x0499: "05"], services: [0x181A: "c4248138c1a456088318bf", 0xFCD2: "40025802"]))
            #expect(formats(packets) == [.bthome])
            #expect(packets.compactMap(\.format) == [.ruuvi, .atc, .bthome])
            #expect(throws: DecodeError.short) { try packets[0].result?.get() }
            #expect(throws: DecodeError.key) { try packets[1].result?.get() }
        }

        // MARK: Old bytes beside new ones

        /// A ThermoPro TP357: each temperature has a key of its own.
        @Test func onlyTheKeyThatChangedIsNew() {
            var decoder = BroadcastDecoder()
            #expect(
                decoder.decode(data([0xD1C2: "00220b01"], name: "TP357S (0001)"), change: .known).allSatisfy {
                    !$0.isNew
                })
            let two = data([0xD1C2: "00220b01", 0xD0C2: "00230b01"], name: "TP357S (0001)")
            #expect(new(in: decoder.decode(two, change: Self.changed)) == [.number(20.8)])
            let three = data([0xD1C2: "00220b01", 0xD0C2: "00230b01", 0xCFC2: "00240b01"], name: "TP357S (0001)")
            #expect(new("humidity", in: decoder.decode(three, change: Self.changed)) == [.integer(36)])
            let again = data([0xD1C2: "00250b01", 0xD0C2: "00230b01", 0xCFC2: "00240b01"], name: "TP357S (0001)")
            #expect(new("humidity", in: decoder.decode(again, change: Self.changed)) == [.integer(37)])
            // A repetition doesn't say which of them.
            #expect(new(in: decoder.decode(again, change: Self.changed)) == [])
            // BlueZ may drop the others, too.
            let last = data([0xD0C2: "00230b01"], name: "TP357S (0001)")
            #expect(new("humidity", in: decoder.decode(last, change: Self.changed)) == [.integer(35)])
        }

        @Test(arguments: [AdvertisedData.Change.known, .added])
        func ofSeveralKeysAtFirstSightNoneIsNew(change: AdvertisedData.Change) {
            var decoder = BroadcastDecoder()
            let two = data([0xD1C2: "00220b01", 0xD0C2: "00220b01"], name: "TP357")
            #expect(new(in: decoder.decode(two, change: change)) == [])
            #expect(new(in: decoder.decode(two, change: Self.renamed)) == [])
            #expect(decoder.identity.name == "TP357")
        }

        @Test func theOnlyKeyOfANewDeviceIsNew() {
            var decoder = BroadcastDecoder()
            let one = data([0xD1C2: "00220b01"], name: "TP357")
            #expect(new(in: decoder.decode(one, change: .added)) == [.number(20.9)])
            decoder = BroadcastDecoder()
            #expect(new(in: decoder.decode(one, change: .known)) == [])
            // It still sends this.
            #expect(new(in: decoder.decode(one, change: Self.changed)) == [.number(20.9)])
        }

        /// The keys of most formats are fixed, so that BlueZ has one value of each.
        @Test func fixedKeysAreNewBesideOthers() {
            var decoder = BroadcastDecoder()
            let both = data([0xEC88: Self.govee, 0x004C: Self.intelliRocks, 0x1234: "00"])
            #expect(new(in: decoder.decode(both)) == [.number(21.5)])
            #expect(
                new(in: decoder.decode(data([0xEC88: "000349996400", 0x1234: "00"]), change: Self.changed)).count == 1)
            #expect(new(in: decoder.decode(data([0xEC88: "000349996400", 0x1234: "01"]), change: Self.changed)) == [])
        }

        /// The other adapter's view of the device may be older.
        @Test func anotherViewIsComparedWithNothing() {
            var decoder = BroadcastDecoder()
            _ = decoder.decode(data([0xD1C2: "00220b01"], name: "TP357"))
            decoder.forget()
            let two = data([0xD1C2: "00200b01", 0xD0C2: "00220b01"], name: "TP357")
            #expect(new(in: decoder.decode(two, change: Self.changed)) == [])
        }

        // MARK: Recognition

        @Test(arguments: [
            (BroadcastFormat.govee, 0x0001 as UInt16, "010103176762", "temperature"),
            (.govee, 0x5530, "4401000101e401860834ffff860960ffff", "temperature_probe_1"),
            (.inkbird, 0xF9AB, "1b1e0048e33708", "temperature"),
            (.thermopro, 0xD1C2, "00220b01", "temperature"),
            (.mopeka, 0x0059, "08724600c0000001f0d8", "temperature"),
        ])
        func theUsersChoiceWins(format: BroadcastFormat, company: UInt16, bytes: String, field: String) {
            for name in [nil, "", "N0BYD", "Thermo SoC demo", "GVH9999"] {
                var decoder = BroadcastDecoder(format: format)
                let packets = decoder.decode(data([company: bytes, 0x004C: Self.intelliRocks], name: name))
                #expect(new(field, in: packets).count == 1, "\(name ?? "no name")")
                #expect(formats(packets) == [format])
            }
        }

        @Test func anUnlistedNameSaysNothingOfTheModel() {
            var decoder = BroadcastDecoder(format: .inkbird)
            let packets = decoder.decode(data([0xF9AB: "1b1e0048e33708"], name: "N0BYD"))
            #expect(new(in: packets) == [.number(-16.21)] && new("humidity", in: packets) == [.number(77.07)])
        }

        @Test func whatWasRecognizedOnceStaysSo() throws {
            var decoder = BroadcastDecoder()
            #expect(new(in: decoder.decode(data([0x0866: "94110012345508"], name: "sps"))) == [.number(21.5)])
            // Any connection lets BlueZ read the name of the firmware.
            let renamed = data([0x0867: "94110012345508"], name: "Thermo SoC demo")
            #expect(new("humidity", in: decoder.decode(renamed, change: Self.changed)) == [.number(45)])
            let text = decoder.identity.description
            #expect(text == "inkbird  sps")
            decoder = BroadcastDecoder(identity: try #require(BroadcastIdentity(text)))
            #expect(new(in: decoder.decode(renamed)) == [.number(21.51)])
            var stranger = BroadcastDecoder()
            #expect(new(in: stranger.decode(renamed)) == [])
        }

        @Test func advertisedServicesAreRememberedToo() throws {
            var decoder = BroadcastDecoder()
            _ = decoder.decode(data([:], advertised: [0x8251, 0x180F]))
            let bytes: [UInt16: String] = [0x5530: "4401000101e401860834ffff860960ffff"]
            #expect(new("temperature_probe_1", in: decoder.decode(data(bytes), change: Self.changed)) == [.number(21)])
            #expect(decoder.identity.description == "govee 8251 ")
        }

        /// A name may hold anything.
        @Test(arguments: ["", "TP357S (0001)", "GVH5 8251 x", "Govee_H5\u{0}\n"])
        func anIdentityIsWrittenAndRead(name: String) throws {
            var decoder = BroadcastDecoder()
            _ = decoder.decode(data([:], name: name, advertised: [0xFFF0, 0x8251]))
            let identity = decoder.identity
            #expect(BroadcastIdentity(identity.description) == identity)
            for text in ["", " ", "a b", "x,y zz q"] { _ = BroadcastIdentity(text) }
        }

        /// A device whose signal strength, name and data come one after the other.
        @Test(arguments: [
            ["data", "name"], ["name", "data"], ["data", "strength", "name"], ["name", "strength", "data"],
        ])
        func dataAndNameMayComeInAnyOrder(order: [String]) {
            var decoder = BroadcastDecoder()
            var shown = data([:])
            var found: [BroadcastDecoder.Packet] = decoder.decode(shown)
            for (time, part) in order.enumerated() {
                switch part {
                case "data":
                    shown.manufacturerData = [0x0866: [0x94, 0x11, 0x00, 0x12, 0x34, 0x55, 0x08]]
                    found += decoder.decode(shown, change: Self.changed, at: Int64(time))
                case "name":
                    shown.name = "sps"
                    found += decoder.decode(shown, change: Self.renamed, at: Int64(time))
                default: break
                }
            }
            #expect(new(in: found) == [.number(21.5)])
            #expect(found.last?.time == Int64(order.firstIndex(of: "data") ?? -1), "when it was heard")
        }

        @Test func bytesThatWaitAreDecodedOnceAndInTheirOrder() {
            var decoder = BroadcastDecoder()
            _ = decoder.decode(data([0xD1C2: "00220b01"]), change: .added, at: 1)
            _ = decoder.decode(data([0xD1C2: "00220b01", 0xCFC2: "00230b01"]), change: Self.changed, at: 2)
            let all = data([0xD1C2: "00220b01", 0xCFC2: "00230b01", 0xD0C2: "00240b01"])
            _ = decoder.decode(all, change: Self.changed, at: 3)
            var named = all
            named.name = "TP357"
            let packets = decoder.decode(named, change: Self.renamed, at: 9)
            #expect(new("humidity", in: packets) == [.integer(34), .integer(35), .integer(36)])
            #expect(packets.map(\.time) == [1, 2, 3])
            #expect(decoder.decode(named, change: Self.renamed, at: 10).isEmpty)
        }

        /// SwitchBot's manufacturer data means nothing without its service data.
        @Test func oneRecordMayNeedAnother() {
            var decoder = BroadcastDecoder()
            let bytes = "b8b77d00000100000005952d"
            #expect(new(in: decoder.decode(data([0x0969: bytes]))) == [])
            let both = data([0x0969: bytes], services: [0xFD3D: "540064"])
            let packets = decoder.decode(both, change: .changed(manufacturerData: false, serviceData: true))
            #expect(new(in: packets).count == 1 && new("battery", in: packets) == [.integer(100)])
        }

        /// A stranger sends ever new numbers and names.
        @Test func memoryHasABound() {
            var decoder = BroadcastDecoder()
            var shown = data([:])
            for number in 0..<2000 {
                shown.manufacturerData[UInt16(number)] = [UInt8](repeating: 1, count: 27)
                shown.name = "TP35" + String(repeating: "x", count: number)
                shown.services = [BluetoothUUID(UInt16(number))]
                if number.isMultiple(of: 100) { _ = decoder.decode(shown, change: Self.changed) }
            }
            #expect(decoder.identity.description.utf8.count < 200)
        }
    }
}
