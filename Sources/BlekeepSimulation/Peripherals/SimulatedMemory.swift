import BlekeepRecords

/// What a simulated RuuviTag keeps in its own memory: a ring of records by its own clock, which it sends when it is asked, as
/// Ruuvi's firmware does.
///
/// Nothing of it is stored: what it has at a time follows from when it started. So it has records from before the simulation.
package struct SimulatedMemory: Sendable {
    /// The least time between two records. One comes with the first measurement after it.
    package var every: Duration = .seconds(300)
    package var measuring: Duration = .milliseconds(1285)
    /// Records of a page of its flash, and the number of pages. The oldest page makes room for a new one.
    package var pageSize = 250
    package var pages = 14
    /// When it got its battery, and when it started again and lost all: times since the start of the world's run loop.
    package var starts: [Duration]
    /// How much its clock is fast, in millionths.
    package var drift = 0
    /// The time between two packets.
    package var pace: Duration = .milliseconds(4)
    /// Of so many packets, one gets lost, comes twice, or comes without its last byte; `nil` for none.
    package var loses, doubles, cuts: Int?
    /// After so many packets, it gives up; `nil` for never.
    package var givesUpAfter: Int?

    /// - Parameter age: how long before the simulation it started.
    package init(age: Duration = .seconds(3 * 86_400), restarts: [Duration] = []) { starts = [.zero - age] + restarts }

    /// A record: its time by the tag's clock, and since the start of the world's run loop.
    package struct Record: Sendable, Hashable {
        package var number: Int
        package var uptime: Duration
        package var moment: Duration
    }

    private func start(at moment: Duration) -> Duration { starts.last { $0 <= moment } ?? moment }

    private func uptime(at moment: Duration) -> Duration {
        let age = moment - start(at: moment)
        return age + age * drift / 1_000_000
    }

    /// The time between two records by the tag's clock.
    private var spacing: Duration {
        measuring * Int((every.wholeMilliseconds + measuring.wholeMilliseconds - 1) / measuring.wholeMilliseconds)
    }

    /// Returns the records that it has at a time, the oldest first.
    package func records(at moment: Duration) -> [Record] {
        let start = start(at: moment)
        let count = Int(uptime(at: moment) / spacing) + 1
        let oldest = max(0, count / pageSize - pages) * pageSize
        return (oldest..<count).map { number in
            let uptime = spacing * number
            // The drift of the drift is less than a millisecond.
            return Record(number: number, uptime: uptime, moment: start + uptime - uptime * drift / 1_000_000)
        }
    }

    /// Returns what it sends after a request, with the time after that; `nil` for bytes that are no request.
    ///
    /// - Parameters:
    ///   - values: returns the temperature in 0.01 °C, the humidity in 0.01 % and the pressure in Pa of a time.
    package func packets(
        after request: [UInt8], at moment: Duration, values: (Duration) -> [Int]
    ) -> [(bytes: [UInt8], delay: Duration)]? {
        guard request.count == 11, request[0] == 0x3A, request[2] == 0x11,
            (0x30...0x32).contains(request[1]) || request[1] == 0x3A
        else { return nil }
        func number(_ place: Int) -> Int64 { request[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
        let (now, since) = (number(3), number(7))
        let head: [UInt8] = [0x3A, request[1]]
        var bytes: [[UInt8]] = []
        if now <= since {
            bytes = [head + [0xF0] + Array(repeating: 0xFF, count: 8)]
        } else {
            let offset = now - uptime(at: moment).components.seconds
            let kinds = request[1] == 0x3A ? [0, 1, 2] : [Int(request[1]) - 0x30]
            let length = pace * (3 * records(at: moment).count)
            for record in inOrder(records(at: moment + length), since: since - offset) {
                let values = values(record.moment)
                for kind in kinds {
                    bytes.append(
                        [0x3A, UInt8(0x30 + kind), 0x10] + Self.bigEndian(offset + record.uptime.components.seconds)
                            + Self.bigEndian(Int64(values[kind])))
                }
            }
            bytes = damaged(bytes)
            if let givesUpAfter, bytes.count > givesUpAfter {
                bytes = Array(bytes.prefix(givesUpAfter)) + [head + [0xF0] + Array(repeating: 0xFF, count: 8)]
            } else {
                bytes.append(head + [0x10] + Array(repeating: 0xFF, count: 8))
            }
        }
        return bytes.enumerated().map { ($1, .milliseconds(30) + pace * $0) }
    }

    /// The records since an uptime in the order of its flash: newer pages may come before older ones, and the one in memory is
    /// last. The search for the first record of a page skips one, as the firmware's does.
    private func inOrder(_ records: [Record], since uptime: Int64) -> [Record] {
        let newest = (records.last?.number ?? 0) / pageSize
        let byPage = Dictionary(grouping: records) { $0.number / pageSize }
        return byPage.keys.sorted { ($0 == newest ? pages : $0 % pages) < ($1 == newest ? pages : $1 % pages) }.flatMap
        { page in
            let all = byPage[page] ?? []
            let late = all.filter { $0.uptime.components.seconds >= uptime }
            return late.count == all.count ? late[...] : late.dropFirst()
        }
    }

    private func damaged(_ packets: [[UInt8]]) -> [[UInt8]] {
        packets.enumerated().flatMap { index, packet -> [[UInt8]] in
            func isHit(_ every: Int?) -> Bool { every.map { index % max(1, $0) == $0 - 1 } ?? false }
            if isHit(loses) { return [] }
            if isHit(cuts) { return [packet.dropLast()] }
            return isHit(doubles) ? [packet, packet] : [packet]
        }
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] {
        let bits = UInt32(truncatingIfNeeded: number)
        return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) }
    }
}

extension SimulatedPeripheral {
    /// The service that the tag is asked at, and its characteristics to write and to notify.
    private static let (nordic, toTag, fromTag) = (
        BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e") ?? BluetoothUUID(0),
        BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e") ?? BluetoothUUID(0),
        BluetoothUUID("6e400003-b5a3-f393-e0a9-e50e24dcca9e") ?? BluetoothUUID(0)
    )

    /// Returns the tag with a memory that can be asked for, once it is connected. It also notifies what it advertises.
    ///
    /// - Parameter values: returns the temperature in 0.01 °C, the humidity in 0.01 % and the pressure in Pa of a time.
    func remembering(_ memory: SimulatedMemory, values: @escaping @Sendable (Duration) -> [Int]) -> SimulatedPeripheral
    {
        var copy = self
        let broadcast = broadcast
        copy.behavior = PeripheralBehavior()
        copy.services = [
            SimulatedService(
                Self.nordic,
                [
                    SimulatedCharacteristic(Self.toTag, [.write, .writeWithoutResponse], constant: []),
                    SimulatedCharacteristic(Self.fromTag, [.notify], every: .seconds(2)) { moment in
                        broadcast?(moment).manufacturerData.values.first ?? []
                    },
                ])
        ]
        copy.memory = { request, moment in
            memory.packets(after: request, at: moment, values: values)?.map { packet in
                SimulatedAnswer(Self.fromTag, packet.bytes, after: packet.delay)
            }
        }
        return copy
    }
}
