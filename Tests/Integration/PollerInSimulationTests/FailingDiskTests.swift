import Blekeep
import BlekeepSimulation
import BusBench
import Foundation
import Testing

@testable import BlekeepHistory

/// A history on a disk that fails at any of its calls.
@Suite struct FailingDiskTests {
    private static let readings = 8
    private static let ticks = 12
    private static let temperature = Measurement(field: "temperature", value: .number(21.5), unit: "°C")

    /// Readings of one tick.
    private func batch(_ tick: Int) -> [Reading] {
        (0..<Self.readings).map { number in
            Reading(
                time: Int64(tick) * 1000, tick: tick, device: "Sensor \(number)",
                address: Scenario.house.peripherals[0].address, service: BluetoothUUID(0x181A),
                characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
                outcome: .value(Self.temperature, raw: [UInt8](repeating: 7, count: 60)))
        }
    }

    private func makeFolder() throws -> String {
        // Where syncing costs nothing.
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
        let folder = place + "blekeep-disk-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Appends like a poller, which repeats failed appends. After `calls` calls, all fail until five appends failed.
    ///
    /// - Returns: the number of failed calls.
    private func keep(failing code: Int32, reads: Bool, after calls: Int) throws -> Int {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = FailingDisk(folder: folder)
        let path = "\(folder)/history.sqlite"
        let history = try History(path: path) { Issue.record("\($0)") }
        var kept: [Int] = []
        var (failed, refused) = (0, 0)
        disk.fail(code, reads: reads, after: calls)
        for tick in 1...Self.ticks {
            var isKept = false
            while !isKept {
                do {
                    kept += try history.append(batch(tick), durable: tick % 3 == 0).map(\.reading.tick)
                    // A checkpoint.
                    if tick % 4 == 0 { _ = try? history.append([], durable: true) }
                    isKept = true
                } catch {
                    #expect(
                        [.diskFails(path: path), .diskFull(path: path)].contains(error as? HistoryError), "\(error)")
                    refused += 1
                    if refused == 5 { failed = disk.heal() }
                    try #require(refused < 20)
                }
            }
        }
        failed = max(failed, disk.heal())
        history.close()
        // All ticks, in order, once, also for a new reader.
        #expect(kept == (1...Self.ticks).flatMap { [Int](repeating: $0, count: Self.readings) })
        var read: [Int] = []
        try HistoryReader(path: path).readings { read.append($0.reading.tick) }
        #expect(read == kept)
        let again = try History(path: path) { Issue.record("\($0)") }
        #expect(try again.append(batch(99), durable: true).first?.sequence == Int64(kept.count + 1))
        return failed
    }

    @Test(arguments: [(EIO, false), (EIO, true), (ENOSPC, false), (EROFS, false), (EFBIG, false)] as [(Int32, Bool)])
    func aDiskThatBeginsToFailLosesAndDuplicatesNoReading(code: Int32, reads: Bool) throws {
        var calls = 0
        var failed = 0
        // First every call, or every fourth one, then some, until no call fails.
        let step = TestLength.of(4, atNight: 1)
        repeat {
            failed = try keep(failing: code, reads: reads, after: calls)
            calls += calls < 40 ? step : 7
        } while failed > 0 && calls < 5000
        #expect(calls > 100, "\(calls)")
        #expect(failed == 0)
    }

    /// An unreadable history isn't damaged, so blekeep doesn't move it aside.
    @Test func aDiskThatFailsAtTheStartIsNoDamage() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/history.sqlite"
        for tick in 1...20 {
            let first = try History(path: path) { Issue.record("\($0)") }
            _ = try first.append(batch(tick), durable: true)
        }
        let disk = FailingDisk(folder: folder)
        var calls = 0
        repeat {
            disk.fail(EIO, reads: true, after: calls)
            do { _ = try History(path: path) { Issue.record("\($0)") } } catch {
                #expect(error == .diskFails(path: path))
            }
            calls += 1
        } while disk.heal() > 0 && calls < 1000
        #expect(calls > 10)
        let again = try History(path: path) { Issue.record("\($0)") }
        #expect(try again.append(batch(21), durable: true).first?.sequence == Int64(20 * Self.readings + 1))
    }

    /// Half of a new history doesn't count as one, and the user needn't move it away.
    @Test(arguments: [EIO, ENOSPC]) func whereverItsMakingFailsItIsMadeTheNextTime(code: Int32) throws {
        var calls = 0
        var failed = 0
        repeat {
            let folder = try makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/history.sqlite"
            let disk = FailingDisk(folder: folder)
            disk.fail(code, reads: code == EIO, after: calls)
            do { _ = try History(path: path) } catch {
                #expect([.diskFails(path: path), .diskFull(path: path)].contains(error), "after \(calls)")
            }
            failed = disk.heal()
            let history = try History(path: path)
            #expect(try history.append(batch(1), durable: true).count == Self.readings)
            calls += 1
        } while failed > 0 && calls < 1000
        #expect(calls > 10)
    }

    /// By default this ends the process.
    @Test func aLimitOnTheSizeOfFilesIsAnErrorLikeAnyOther() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        signal(SIGXFSZ, SIG_DFL)
        _ = try History(path: "\(folder)/history.sqlite")
        #expect(raise(SIGXFSZ) == 0)
    }
}
