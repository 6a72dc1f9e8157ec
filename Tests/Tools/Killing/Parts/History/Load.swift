import Blekeep
import BlekeepSimulation
import RunLoop

/// The readings that a trial of the history appends, batch by batch. A batch depends on its number alone, so that the
/// process that appends and the one that checks need not exchange it.
struct Load {
    let seed: UInt64

    /// Whether the upkeep is done only now and then: readings wait for the rollups while there is no room for them.
    var hasLateUpkeep: Bool { seed % 4 > 1 }

    struct Batch {
        /// Empty in a commit that only syncs earlier ones.
        var readings: [Reading]
        var clocks: ClockReading
        var isDurable: Bool
        /// How the history treats the times of these readings.
        var time: Timekeeping
    }

    /// How the history treats the times of a batch.
    enum Timekeeping {
        /// The clock was set.
        case right
        /// The clock isn't set, and the times stay uncorrected.
        case neverRight
        /// Once the batch with this number is in the history, this many milliseconds are added to its times.
        case corrected(by: Int64, at: Int)
    }

    /// The time of the first start of the machine: milliseconds since 1970.
    private static let start: Int64 = 1_795_231_080_123
    /// Batches from one start of the machine to the next.
    static let batchesPerBoot = 64
    /// Between two batches, in seconds.
    private static let interval: Int64 = 10
    /// Where a machine without a clock of its own starts: 2001.
    private static let past: Int64 = 1_000_000_000_000
    private static let day: Int64 = 86_400_000

    func batch(_ number: Int) -> Batch {
        var dice = SplitMix64(seed: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        let (boot, place) = (number / Self.batchesPerBoot, number % Self.batchesPerBoot)
        let (clocks, time) = clocks(boot, place)
        let count = dice.below(12) == 0 ? 0 : 1 + dice.below(24)
        let readings = (0..<count).map { _ in reading(&dice, boot: boot, tick: number, clocks) }
        return Batch(
            readings: readings, clocks: clocks, isDurable: count == 0 || dice.below(4) == 0, time: time)
    }

    // MARK: Clocks

    private func clocks(_ boot: Int, _ place: Int) -> (ClockReading, Timekeeping) {
        let first = boot * Self.batchesPerBoot
        let began = Self.start + Int64(first) * Self.interval * 1000
        // The start in the time of the clock, and whether the kernel's clock is synchronized.
        var offset = began
        var isSet: Bool? = place.isMultiple(of: 2) ? true : nil
        var seconds = Int64(place) * Self.interval
        var time = Timekeeping.right
        func unset(_ wrong: Int64, until set: Int) {
            offset = wrong
            isSet = false
            time = .corrected(by: began - wrong, at: first + set)
        }
        switch boot % 5 {
        case 1:
            if place < 24 { unset(Self.past, until: 24) }
        case 2:
            offset = Self.past
            isSet = false
            time = .neverRight
        case 3:
            // Moved by hand before it is set, and no longer held for right in between.
            if place < 12 { unset(Self.past, until: 24) } else if place < 24 { unset(began - 5 * Self.day, until: 24) }
            if (40..<44).contains(place) { unset(began, until: 44) }
        case 4:
            // After a day, the history no longer waits for the clock.
            seconds += 86_100
            if place < 50 {
                offset = Self.past
                isSet = false
                time = .neverRight
            } else {
                offset = began - 86_100_000
            }
        default:
            // A clock that is set goes back and forth.
            if (20..<40).contains(place) { offset -= 400 * Self.day }
        }
        let clocks = ClockReading(
            boot: "boot \(boot)", sinceBoot: .seconds(seconds), awake: .seconds(seconds), time: offset + seconds * 1000,
            isSynchronized: isSet)
        return (clocks, time)
    }

    // MARK: Readings

    private static let addresses = (1...4).compactMap { BluetoothAddress("F0:00:00:00:00:0\($0)") }

    private func reading(_ dice: inout SplitMix64, boot: Int, tick: Int, _ clocks: ClockReading) -> Reading {
        let device = dice.below(Self.addresses.count)
        let address = Self.addresses[device]
        let time = clocks.time + Int64(dice.below(9000))
        let raw = (0..<dice.below(8)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        func make(
            _ characteristic: UInt16, _ name: String, _ outcome: Reading.Outcome, instance: Int = 1
        ) -> Reading {
            // The alias changes now and then.
            Reading(
                time: time, tick: tick, device: "device \(device), \(boot / 3)", address: address,
                service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(characteristic), instance: instance,
                name: name, outcome: outcome)
        }
        func value(_ field: String, _ value: MeasuredValue?, _ unit: String? = nil) -> Reading.Outcome {
            .value(Measurement(field: field, value: value, state: value == nil ? "unknown" : nil, unit: unit), raw: raw)
        }
        // Quarters add up to the same in any order.
        let quarters = Double(dice.below(800) - 200) / 4
        switch dice.below(16) {
        case 0:
            return make(
                0x2A6E, "Temperature", .failure(ReadingFailure(code: .other("timeout"), message: "no answer"), raw: nil)
            )
        case 1: return make(0x2A6E, "Temperature", value("temperature", nil, "°C"))
        case 2: return make(0x2A19, "Battery Level", value("level", .integer(Int64(dice.below(100))), "%"))
        case 3: return make(0x2B1E, "State", value("open", .boolean(dice.below(2) == 0)))
        case 4: return make(0x2B1E, "State", value("mode", .text("mode \(dice.below(5))")))
        case 5: return make(0x2A37, "Heart", value("intervals", .list([.number(quarters), .integer(1)]), "s"))
        case 6...8: return make(0x2A6E, "Temperature", value("temperature", .number(quarters), "°C"), instance: 2)
        case 9...11: return make(0x2A6F, "Humidity", value("humidity", .number(quarters), "%"))
        default: return make(0x2A6E, "Temperature", value("temperature", .number(quarters), "°C"))
        }
    }
}

extension SplitMix64 {
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &self) }
}
