import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct BroadcastTests {
        @Test func answersEveryVector() throws {
            let vectors = try Vector.all("adverts")
            #expect(vectors.count == 128)
            let wrong = try vectors.flatMap { vector in
                try differences(vector).map { "\(vector.text("format")) \(vector.text("note")): \($0)" }
            }
            #expect(wrong == [])
        }

        @Test func storedValuesGetTheirDecimalsAgain() throws {
            var count = 0
            for vector in try Vector.all("adverts") {
                guard let broadcast = try? broadcast(vector), let packet = try packet(vector) else { continue }
                for value in broadcast.measurements { #expect(broadcast.format.hasField(value.field), "\(value)") }
                let address = BluetoothAddress(vector.text("mac")) ?? BluetoothAddress(bits: 0)
                var decimals = LayoutDecimals(
                    keys: AdvertisementKey(hex: vector.text("key")).map { [address: $0] } ?? [:])
                for measurement in broadcast.measurements {
                    // As the history returns it.
                    var stored = measurement
                    stored.decimals = nil
                    let reading = Reading(
                        time: 0, tick: 0, device: "attic", address: address, service: packet.service,
                        characteristic: nil, name: broadcast.format.name, outcome: .value(stored, raw: packet.bytes))
                    guard case .number? = measurement.value else { continue }
                    guard case .value(let complete, _) = decimals.complete(reading).outcome else { continue }
                    #expect(complete == measurement, "\(vector.text("format")) \(vector.text("note"))")
                    count += 1
                }
            }
            #expect(count > 100)
        }

        /// The bytes of a vector, and the service that they belong to.
        private func packet(_ vector: Vector) throws -> (service: BluetoothUUID?, bytes: [UInt8])? {
            let service = vector.line["service_data"]
            guard let data = service ?? vector.line["manufacturer_data"], let key = data.keys.first,
                let bytes = [UInt8](hex: data[key]?.text ?? "?")
            else { return nil }
            return (service == nil ? nil : BluetoothUUID(key), bytes)
        }

        private func differences(_ vector: Vector) throws -> [String] {
            do {
                let broadcast = try #require(try broadcast(vector))
                if let error = vector.error { return ["decoded, expected \(error)"] }
                return differences(broadcast, vector.expected)
            } catch let error as DecodeError {
                return error.word == vector.error ? [] : ["error \(error)"]
            }
        }

        private func broadcast(_ vector: Vector) throws -> Broadcast? {
            try vector.packets().first?.result?.get()
        }

        private func differences(_ broadcast: Broadcast, _ expected: JSON) -> [String] {
            switch broadcast {
            case .bthome(let packet): return differences(packet, expected)
            case .ruuvi(let packet):
                let isRight = Double(packet.format) == expected["format"]?.number
                return differences(packet.measurements, expected) + (isRight ? [] : ["format \(packet.format)"])
            case .eddystone(let frame):
                let isRight = frame.frame.rawValue == expected["frame"]?.text
                return differences(frame.measurements, expected) + (isRight ? [] : ["frame \(frame.frame)"])
            case .iBeacon(let beacon): return differences(beacon.measurements, expected)
            case .sensor(let packet): return differences(packet.measurements, expected)
            }
        }

        private func differences(_ measurements: [Measurement], _ expected: JSON) -> [String] {
            let cells = expected["fields"] ?? .null
            let fields = Dictionary(measurements.map { ($0.field, $0) }) { first, _ in first }
            return Set(fields.keys).union(cells.keys).flatMap { Comparison.differences(fields[$0], cells[$0]) }
        }

        private func differences(_ packet: BTHome, _ expected: JSON) -> [String] {
            guard case .list(let objects)? = expected["objects"] else { return ["no objects expected"] }
            let pairs: [(String, Bool)] = [
                ("encrypted", .boolean(packet.isEncrypted) == expected["encrypted"]),
                ("trigger", .boolean(packet.isTriggered) == expected["trigger"]),
                ("counter", packet.counter.map { Double($0) } == expected["counter"]?.number),
                ("incomplete", packet.isIncomplete == (expected["incomplete"] == .boolean(true))),
                ("count", packet.objects.count == objects.count),
            ]
            return pairs.filter { !$0.1 }.map(\.0)
                + zip(packet.objects, objects).flatMap { object, cell in
                    let isSame =
                        Double(object.id) == cell["id"]?.number && object.measurement.field == cell["name"]?.text
                        && object.steps.map { Double($0) } == cell["steps"]?.number
                    return Comparison.differences(object.measurement, cell) + (isSame ? [] : ["object \(object.id)"])
                }
        }

        @Test func leavesOtherFormatsAlone() throws {
            let other = AdvertisedData(
                address: BluetoothAddress(bits: 1),
                manufacturerData: [IBeacon.company: [0x10, 5, 1], 0x0001: [1, 2]],
                serviceData: [BluetoothUUID(0x181A): [1, 2], BluetoothUUID(0x181B): [1, 2]])
            var decoder = BroadcastDecoder()
            let packets = decoder.decode(other)
            #expect(packets.count == 4 && packets.allSatisfy { $0.result == nil && $0.format == nil })
        }

        /// Each decoder gets 10,000 packets of any bytes, most of them with the head that its format begins with.
        /// `BLEKEEP_FUZZ=1000000` makes it as many.
        @Test func takesAnyBytesWithoutATrap() throws {
            let rounds = fuzzRounds(10_000)
            var random = SplitMix64(seed: 0xFCD2)
            let key = try #require(AdvertisementKey((0..<16).map { UInt8($0) }))
            let address = BluetoothAddress(bits: 0xF0_0000_0001)
            let heads: [[UInt8]] = [
                [0x40], [0x44], [0x41], [3], [5], [6], [0x00], [0x10], [0x20, 0], [0x30], [0x02, 0x15], [],
            ]
            var decoded = [0, 0, 0, 0]
            for _ in 0..<rounds {
                let head = heads[Int.random(in: heads.indices, using: &random)]
                let bytes = head + random.bytes(Int.random(in: 0...26, using: &random))
                if (try? BTHome(bytes, from: address, key: key)) != nil { decoded[0] += 1 }
                if (try? Ruuvi(bytes)) != nil { decoded[1] += 1 }
                if (try? Eddystone(bytes)) != nil { decoded[2] += 1 }
                if (try? IBeacon(bytes)) != nil { decoded[3] += 1 }
            }
            #expect(decoded.allSatisfy { $0 > rounds / 3000 }, "\(decoded)")
        }
    }
}
