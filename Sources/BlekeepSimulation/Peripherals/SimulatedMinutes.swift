import BlekeepRecords
import Synchronization

/// What a simulated Govee thermometer keeps in its own memory: a record each minute by its own clock, which it counts back from the
/// newest one when it is asked. It stops unless it gets a sign to go on after each 75 packets.
///
/// Nothing of it is stored: what it has at a time follows from when it started.
package struct SimulatedMinutes: Sendable {
    package var capacity = 28_800
    /// When it got its battery, and when it started again and lost all: times since the start of the world's run loop.
    package var starts: [Duration]
    /// The time between two packets.
    package var pace: Duration = .milliseconds(4)
    /// Of so many packets, one gets lost, or is sent before it is full; `nil` for none.
    package var loses, hurries: Int?

    private static let minute: Duration = .seconds(60)
    private static let perPacket = 6
    /// The packets between two signs to go on.
    private static let patience = 75

    /// - Parameter age: how long before the simulation it started.
    package init(age: Duration = .seconds(30 * 86_400), restarts: [Duration] = []) { starts = [.zero - age] + restarts }

    /// Returns when the records were made that it has at a time, the oldest first: times since the start of the world's run loop.
    package func records(at moment: Duration) -> [Duration] {
        let start = starts.last { $0 <= moment } ?? moment
        let count = Int((moment - start) / Self.minute) + 1
        return (max(0, count - capacity)..<count).map { start + Self.minute * $0 }
    }

    /// Returns the packets after a request, and whether they are about the request; `nil` for bytes that are no request.
    ///
    /// - Parameter values: returns the temperature in 0.1 °C and the humidity in 0.1 % of a time.
    package func packets(
        after request: [UInt8], at moment: Duration, values: (Duration) -> (Int, Int)
    ) -> [(bytes: [UInt8], isControl: Bool)]? {
        guard request.count == 20, request.starts(with: [0x33, 0x01]), request.reduce(0, ^) == 0 else { return nil }
        func number(_ place: Int) -> Int { Int(request[place]) << 8 | Int(request[place + 1]) }
        let records = records(at: moment)
        var (back, last) = (min(number(2), records.count), max(1, number(4)))
        var packets: [[UInt8]] = []
        while back >= last {
            let isHurried = hurries.map { packets.count % $0 == $0 - 1 } ?? false
            let count = min(back - last + 1, isHurried ? Self.perPacket / 2 : Self.perPacket)
            var packet = Self.bytes(back, count: 2)
            for place in 0..<Self.perPacket {
                guard place < count else {
                    packet += [0xFF, 0xFF, 0xFF]
                    continue
                }
                let (warmth, damp) = values(records[records.count - (back - place)])
                packet += Self.bytes(warmth.magnitude * 1000 + damp.magnitude | (warmth < 0 ? 0x80_0000 : 0), count: 3)
            }
            packets.append(packet)
            back -= count
        }
        let sent = packets.enumerated().filter { index, _ in loses.map { index % $0 != $0 - 1 } ?? true }.map(\.element)
        return [(Self.checked([0x33, 0x01]), true)] + sent.map { ($0, false) }
            + [(Self.checked([0xEE, 0x01] + Self.bytes(packets.count, count: 2)), true)]
    }

    private static func bytes(_ number: some BinaryInteger, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    private static func checked(_ start: [UInt8]) -> [UInt8] {
        let bytes = start + Array(repeating: 0, count: 19 - start.count)
        return bytes + [bytes.reduce(0, ^)]
    }

    /// What is left of the last answer.
    private final class Rest: Sendable {
        private let packets = Mutex<ArraySlice<(bytes: [UInt8], isControl: Bool)>>([])

        func begin(_ all: [(bytes: [UInt8], isControl: Bool)]) { packets.withLock { $0 = all[...] } }

        /// Takes those until the next sign to go on.
        func next() -> [(bytes: [UInt8], isControl: Bool)] {
            packets.withLock { rest in
                var left = SimulatedMinutes.patience
                let next = rest.prefix { packet in
                    defer { left -= packet.isControl ? 0 : 1 }
                    return left > 0 || packet.isControl
                }
                rest = rest.dropFirst(next.count)
                return Array(next)
            }
        }
    }

    /// Returns what it answers to bytes that are written.
    func answers(
        values: @escaping @Sendable (Duration) -> (Int, Int)
    ) -> @Sendable (_ written: [UInt8], Duration) -> [SimulatedAnswer]? {
        let (rest, memory) = (Rest(), self)
        return { written, moment in
            if let all = memory.packets(after: written, at: moment, values: values) {
                rest.begin(all)
            } else if written != Self.checked([0xAA, 0x01]) {
                return nil
            }
            return rest.next().enumerated().map { index, packet in
                SimulatedAnswer(
                    packet.isControl ? SimulatedPeripheral.goveeControl : SimulatedPeripheral.goveeData, packet.bytes,
                    after: .milliseconds(30) + memory.pace * index)
            }
        }
    }
}

extension SimulatedPeripheral {
    private static func govee(_ number: Int) -> BluetoothUUID {
        BluetoothUUID("494e5445-4c4c-495f-524f-434b535f\(number)") ?? BluetoothUUID(0)
    }

    fileprivate static let (goveeControl, goveeData) = (govee(2012), govee(2013))

    /// Returns the thermometer with a memory that can be asked for, once it is connected.
    ///
    /// - Parameter values: returns the temperature in 0.1 °C and the humidity in 0.1 % of a time.
    func remembering(
        _ memory: SimulatedMinutes, values: @escaping @Sendable (Duration) -> (Int, Int)
    ) -> SimulatedPeripheral {
        var copy = self
        copy.behavior = PeripheralBehavior()
        copy.services = [
            SimulatedService(
                Self.govee(4857),
                [
                    SimulatedCharacteristic(Self.goveeControl, [.write, .notify], every: .seconds(86_400)) { _ in [] },
                    SimulatedCharacteristic(Self.goveeData, [.notify], every: .seconds(86_400)) { _ in [] },
                ])
        ]
        copy.memory = memory.answers(values: values)
        return copy
    }
}
