import Logging
import RunLoop
import Testing

@testable import BlekeepRecords

/// The records that the recorder's commits contain besides readings, in virtual time.
@Suite struct RecorderLedgerTests {
    private final class Book: Ledger, @unchecked Sendable {
        struct Full: Error {}

        var isFull = false
        var isUnreadable = false
        /// Called with each append; how long the disk takes for it.
        var onAppend: () -> Void = {}
        var delay: Duration = .zero
        var appends: [(ticks: [Int], areSet: [Bool], changes: LedgerChanges, durable: Bool)] = []
        var known: [DeviceStatus] = []

        func append(
            _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
        ) throws -> [StoredReading] {
            if isFull { throw Full() }
            onAppend()
            let before = Int64(appends.map(\.ticks.count).reduce(0, +))
            appends.append((readings.map(\.tick), readings.map(\.isClockSet), changes, durable))
            return readings.enumerated().map {
                StoredReading(sequence: before + Int64($0.offset) + 1, reading: $0.element)
            }
        }

        func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) {
            if isUnreadable { throw Full() }
            return (known, [])
        }

        var statuses: [DeviceStatus] { appends.flatMap(\.changes.statuses) }
    }

    private final class Clock: @unchecked Sendable {
        let loop: RunLoop
        var isSet: Bool? = true
        var ahead: Duration = .zero
        /// How long the disk has kept the thread, in which virtual time doesn't pass.
        var blocked: Duration = .zero

        init(_ loop: RunLoop) { self.loop = loop }

        var reading: ClockReading {
            ClockReading(
                boot: "this", sinceBoot: loop.now.sinceStart + blocked, awake: loop.now.sinceStart + blocked,
                time: (loop.now.sinceStart + blocked + ahead).wholeMilliseconds, isSynchronized: isSet)
        }
    }

    private static let address = BluetoothAddress(bits: 1)
    private static let configuration = PollConfiguration(devices: [DeviceConfiguration(alias: "a", address: address)])

    private func settings(_ configuration: PollConfiguration) -> [DeviceSetting] {
        configuration.devices.map { DeviceSetting($0, in: configuration) }
    }

    private func reading(_ tick: Int) -> Reading {
        Reading(
            time: 0, tick: tick, device: "a", address: Self.address, service: nil, characteristic: nil, name: "",
            outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
    }

    /// A sink that shows the state of devices.
    private final class Page: Sink {
        let delivery = SinkDelivery.liveOnly
        let name = "page"
        var failure: String?
        var links: [DeviceStatus.Link] = []
        var hasEnded = false
        var isHandedOver = false
        var role = ""

        func end() { hasEnded = true }

        func handOver() {
            isHandedOver = true
            end()
        }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {}

        func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { links += changes.statuses.map(\.link) }
    }

    private func tell(
        _ prepare: (Book) -> Void = { _ in }, sinks: [any Sink] = [], isOneOff: Bool = false,
        _ story: @escaping @Sendable (Recorder, Book, Clock) async throws -> Void
    ) throws -> Book {
        let loop = try RunLoop(.virtual)
        let book = Book()
        prepare(book)
        let clock = Clock(loop)
        let recorder = Recorder(
            store: book, sinks: sinks, loop: loop, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            book: LedgerBook(Self.configuration, hasLedger: true, isOneOff: isOneOff, pid: 1, at: 0),
            clocks: { clock.reading },
            wallTime: { clock.reading.time })
        try loop.run { try await story(recorder, book, clock) }
        return book
    }

    /// Counters are written every twenty seconds, whatever else is committed.
    @Test func writesSnapshotsThatAreNoNewsEveryTwentySecondsAtMost() throws {
        let book = try tell { recorder, _, clock in
            let loop = clock.loop
            for second in 0..<120 {
                try await loop.sleep(until: .start + .seconds(second))
                recorder.record(
                    Attempt(phase: .read), .good(.init(ticks: Int64(second) + 1)), of: 0)
                recorder.record(DeviceSnapshot(link: .held, nextTick: loop.now + .seconds(1)), of: 0, rssi: -second)
                recorder.record([self.reading(second)])
                recorder.settle()
            }
        }
        #expect(book.appends.count >= 120)
        #expect((6...12).contains(book.statuses.count), "\(book.statuses.count)")
        #expect(book.appends.compactMap(\.changes.poller).count <= 12)
        #expect(book.statuses.last?.condition.goodInARow ?? 0 >= 100)
        #expect(book.appends.count(where: \.durable) <= 6)
    }

    @Test func writesAllRecordsWithEachCommitWhileWatched() throws {
        let book = try tell { recorder, _, clock in
            recorder.isWatched = true
            for second in 0..<20 {
                try await clock.loop.sleep(until: .start + .seconds(second))
                recorder.record(
                    Attempt(phase: .read), .good(.init(ticks: Int64(second) + 1)), of: 0)
                recorder.record([self.reading(second)])
                recorder.settle()
            }
        }
        #expect(book.statuses.map(\.condition.goodInARow) == Array(1...20))
    }

    @Test func givesSinksWhatTheStoreHolds() throws {
        nonisolated(unsafe) let page = Page()
        let book = try tell(sinks: [page]) { recorder, book, clock in
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.writeAhead()
            #expect(page.links == [.held])
            book.isFull = true
            recorder.record(DeviceSnapshot(link: .foreign), of: 0, rssi: nil)
            recorder.writeAhead()
            #expect(page.links == [.held])
            book.isFull = false
            page.failure = "no folder"
            try await clock.loop.sleep(until: .start + .seconds(60))
            #expect(page.links.last == .foreign)
        }
        #expect(book.appends.flatMap(\.changes.sinks).last?.failure == "no folder")
    }

    @Test func aNewSinkGetsWhatTheStoreHolds() throws {
        nonisolated(unsafe) let (old, new, kept) = (Page(), Page(), Page())
        _ = try tell(sinks: [old, kept]) { recorder, _, clock in
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.writeAhead()
            #expect(recorder.replace([new, kept]))
            recorder.apply(Reconfiguration(configuration: Self.configuration, changes: [], earlier: .init()))
            try await clock.loop.sleep(until: .start + .seconds(3))
            recorder.record([self.reading(1)])
            try await clock.loop.sleep(until: .start + .seconds(6))
        }
        #expect(old.hasEnded && !kept.hasEnded)
        #expect(new.links == [.held] && kept.links.last == .held)
    }

    /// Only one that its server knows by the same name goes on where the old one was.
    @Test(arguments: ["cellar", "attic"]) func handsASinkOverToOneOfTheSameRole(role: String) throws {
        nonisolated(unsafe) let (old, new) = (Page(), Page())
        old.role = "cellar"
        new.role = role
        _ = try tell(sinks: [old]) { recorder, _, _ in #expect(recorder.replace([new])) }
        #expect(old.hasEnded && old.isHandedOver == (role == "cellar"))
    }

    @Test func devicesThatJoinContinueTheirLedger() throws {
        let other = BluetoothAddress(bits: 2)
        let book = try tell { recorder, book, clock in
            var earlier = DeviceStatus(address: other, name: "b", since: 5)
            earlier.condition = DeviceCondition(.good, inARow: 40)
            (earlier.entries, earlier.pause) = (7, .untilResumed)
            book.known = [earlier]
            var configuration = Self.configuration
            configuration.devices.append(DeviceConfiguration(alias: "c", address: other))
            var configured = ConfiguredDevices(self.settings(Self.configuration))
            let changes = configured.apply(self.settings(configuration))
            let known = try recorder.earlier(of: changes)
            #expect(known.inheritance[0] == Inheritance.Device())
            #expect(known.inheritance[1].pause == .untilResumed && known.inheritance[1].condition != nil)
            recorder.apply(Reconfiguration(configuration: configuration, changes: changes, earlier: known))
            recorder.record(Attempt(phase: .read), .good(.init(ticks: 41)), of: 1)
            try await clock.loop.sleep(until: .start + .seconds(3))
            let gone = configured.apply(self.settings(Self.configuration))
            recorder.apply(Reconfiguration(configuration: Self.configuration, changes: gone, earlier: .init()))
            try await clock.loop.sleep(until: .start + .seconds(6))
        }
        let statuses = book.statuses.filter { $0.address == other }
        #expect(statuses.map(\.name) == ["c", "c"] && statuses.map(\.entries) == [8, 8])
        #expect(statuses.first?.since == 5)
        #expect(book.appends.filter { $0.changes.leftDevices == [DeviceID(other)] }.count == 1)
    }

    /// Otherwise a later run that has the device again could end another program's connection.
    @Test(arguments: [false, true])
    func aConnectionToADeviceThatIsNotConfiguredIsClaimedNoLonger(isOneOff: Bool) throws {
        let prepare: (Book) -> Void = { book in
            var known = DeviceStatus(address: BluetoothAddress(bits: 2), name: "b", since: 5)
            known.link = .held
            book.known = [known]
        }
        let book = try tell(prepare, isOneOff: isOneOff) { recorder, book, clock in
            _ = recorder.inherit(for: Self.configuration)
            for second in 1..<120 {
                try await clock.loop.sleep(until: .start + .seconds(second))
                recorder.record([self.reading(second)])
            }
        }
        let strays = book.statuses.filter { $0.name == "b" }
        #expect(strays.map(\.link) == (isOneOff ? [] : [.released]))
        #expect(book.appends.map(\.changes.leftDevices.count).reduce(0, +) == strays.count)
    }

    /// The numbers of its attempts follow those of the one that had its ID. Its state is its own.
    @Test func aSensorThatReplacesAnotherHasItsRow() throws {
        let other = BluetoothAddress(bits: 2)
        let id = DeviceID(Self.address)
        let book = try tell { recorder, book, clock in
            var earlier = DeviceStatus(address: Self.address, name: "a", since: 5)
            (earlier.condition, earlier.entries) = (DeviceCondition(.good, inARow: 40), 7)
            earlier.identity = BroadcastIdentity("inkbird fff0 sps")
            book.known = [earlier]
            var configuration = Self.configuration
            configuration.devices[0].ownID = id
            configuration.devices[0].address = other
            var configured = ConfiguredDevices(self.settings(Self.configuration))
            let changes = configured.apply(self.settings(configuration))
            #expect(changes.map(\.number) == [0, 1])
            let known = try recorder.earlier(of: changes)
            #expect(known.inheritance[1].condition == nil && known.inheritance[1].identity == nil)
            recorder.apply(Reconfiguration(configuration: configuration, changes: changes, earlier: known))
            recorder.record(Attempt(phase: .read), .good(.init(ticks: 41)), of: 1)
            try await clock.loop.sleep(until: .start + .seconds(3))
        }
        let last = try #require(book.statuses.last { $0.id == id })
        #expect(last.address == other && last.entries == 8 && last.identity == nil)
        #expect(book.appends.allSatisfy { $0.changes.leftDevices.isEmpty })
    }

    /// Two configurations at once: the store is read for the second one before the first one's device has an attempt.
    @Test func aSensorThatComesBackNumbersItsAttemptsAfterItsReplacement() throws {
        let id = DeviceID(Self.address)
        let book = try tell { recorder, book, clock in
            var earlier = DeviceStatus(address: Self.address, name: "a", since: 5)
            (earlier.condition, earlier.entries) = (DeviceCondition(.good, inARow: 40), 7)
            book.known = [earlier]
            var replaced = Self.configuration
            replaced.devices[0].ownID = id
            replaced.devices[0].address = BluetoothAddress(bits: 2)
            var configured = ConfiguredDevices(self.settings(Self.configuration))
            let changes = configured.apply(self.settings(replaced))
            let known = try recorder.earlier(of: changes)
            let back = configured.apply(self.settings(Self.configuration))
            let knownBefore = try recorder.earlier(of: back)
            recorder.apply(Reconfiguration(configuration: replaced, changes: changes, earlier: known))
            recorder.record(Attempt(phase: .read), .good(.init(ticks: 1)), of: 1)
            try await clock.loop.sleep(until: .start + .seconds(3))
            recorder.apply(Reconfiguration(configuration: Self.configuration, changes: back, earlier: knownBefore))
            recorder.record(Attempt(phase: .read), .good(.init(ticks: 41)), of: 2)
            try await clock.loop.sleep(until: .start + .seconds(6))
        }
        let numbers = book.appends.flatMap { $0.changes.entries }.filter { $0.device == id }.map(\.number)
        #expect(numbers == [8, 9])
    }

    @Test func whatIsLateForARemovedDeviceReachesNoOther() throws {
        let other = BluetoothAddress(bits: 2)
        let book = try tell { recorder, _, clock in
            var configured = ConfiguredDevices(self.settings(Self.configuration))
            let none = PollConfiguration(devices: [])
            recorder.apply(Reconfiguration(configuration: none, changes: configured.apply([]), earlier: .init()))
            try await clock.loop.sleep(until: .start + .seconds(3))
            let new = PollConfiguration(devices: [DeviceConfiguration(alias: "b", address: other)])
            let changes = configured.apply(self.settings(new))
            recorder.apply(Reconfiguration(configuration: new, changes: changes, earlier: .init()))
            try await clock.loop.sleep(until: .start + .seconds(6))
            let failure = ReadingFailure(code: .other("x"), message: "y")
            recorder.record(
                Attempt(phase: .read, failure: failure, remedy: .retry),
                .trying(.init(attempts: 1, phase: .read, failure: failure, remedy: .retry)), of: 0)
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: -40)
            var dropped = DroppedValues()
            (dropped.count, dropped.total) = (3, 9)
            recorder.record(dropped, of: 0)
            let identity = try #require(BroadcastIdentity("inkbird fff0 sps"))
            recorder.record(identity, of: 0)
            #expect(recorder.status(of: 0) == nil)
            try await clock.loop.sleep(until: .start + .seconds(60))
        }
        #expect(book.statuses.map(\.address) == [Self.address, other])
        let last = try #require(book.statuses.last)
        #expect(last.state == .new && last.link == .released && last.entries == 0 && last.identity == nil)
        #expect(last.dropped == DroppedValues() && last.rssi == nil)
        #expect(book.appends.allSatisfy { $0.changes.entries.isEmpty })
    }

    @Test func writesNewsWithTheNextCommit() throws {
        let book = try tell { recorder, _, clock in
            let loop = clock.loop
            recorder.record(MachineSnapshot(power: .init(mode: .normal, reason: "on mains")))
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            try await loop.sleep(until: .start + .seconds(2))
            let failure = ReadingFailure(code: .other("x"), message: "y")
            recorder.record(
                Attempt(phase: .read, failure: failure, remedy: .retry),
                .trying(.init(attempts: 1, phase: .read, failure: failure, remedy: .retry)), of: 0)
            try await loop.sleep(until: .start + .seconds(4))
            recorder.record(MachineSnapshot(outage: ReadingFailure(.noBluez, "gone")))
            try await loop.sleep(until: .start + .seconds(6))
            // The store takes the connection for blekeep's.
            recorder.record(DeviceSnapshot(link: .foreign), of: 0, rssi: nil)
            try await loop.sleep(until: .start + .seconds(8))
        }
        #expect(book.appends.count == 4)
        #expect(book.statuses.map(\.link) == [.held, .held, .foreign])
        #expect(book.statuses.map(\.condition.failedInARow) == [0, 1, 1])
        #expect(book.appends.compactMap(\.changes.poller).map(\.outage?.code) == [nil, .known(.noBluez)])
        #expect(book.appends.flatMap(\.changes.entries).map(\.phase) == [.known(.read)])
    }

    @Test func aConnectionThatIsGoneIsWrittenWithinTenSeconds() throws {
        let book = try tell { recorder, book, clock in
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.record([self.reading(1)])
            try await clock.loop.sleep(until: .start + .seconds(2))
            recorder.record(DeviceSnapshot(link: .released), of: 0, rssi: nil)
            for second in 3..<16 {
                recorder.record([self.reading(second)])
                try await clock.loop.sleep(until: .start + .seconds(second))
                if second == 11 { #expect(book.statuses.map(\.link) == [.held]) }
            }
        }
        #expect(book.statuses.map(\.link) == [.held, .released])
    }

    /// Either way the next run takes the connection for blekeep's.
    @Test func aConnectionThatIsUpIsNoNewsAfterItsBeginning() throws {
        let book = try tell { recorder, _, clock in
            recorder.record(DeviceSnapshot(link: .connecting), of: 0, rssi: nil)
            recorder.writeAhead(0)
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.record([self.reading(1)])
            try await clock.loop.sleep(until: .start + .seconds(2))
        }
        #expect(book.appends.count == 2)
        #expect(book.statuses.map(\.link) == [.connecting])
    }

    @Test func writesAConnectionDownBeforeItBegins() throws {
        let book = try tell { recorder, book, clock in
            recorder.record(DeviceSnapshot(link: .connecting), of: 0, rssi: nil)
            recorder.writeAhead(0)
            #expect(book.statuses.last?.link == .connecting)
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.writeAhead(0)
            try await clock.loop.sleep(until: .start + .milliseconds(10))
        }
        #expect(book.appends.count == 1)
    }

    @Test func offersSnapshotsAgainThatTheStoreDidNotTake() throws {
        let book = try tell { recorder, book, clock in
            let loop = clock.loop
            book.isFull = true
            recorder.record(DeviceSnapshot(link: .held), of: 0, rssi: nil)
            recorder.record([self.reading(1)])
            try await loop.sleep(until: .start + .seconds(5))
            book.isFull = false
            recorder.settle()
        }
        #expect(book.statuses.map(\.link) == [.held])
        #expect(book.appends.flatMap(\.ticks) == [1])
    }

    @Test func tellsOnceWhatAnEarlierRunHasLeftAlsoLate() throws {
        nonisolated(unsafe) var told = 0
        let book = try tell { book in
            book.isUnreadable = true
        } _: { recorder, book, clock in
            let loop = clock.loop
            recorder.onInheritance = { _ in told += 1 }
            _ = recorder.inherit(for: Self.configuration)
            recorder.record(Attempt(phase: .read), .good(.init(ticks: 1)), of: 0)
            try await loop.sleep(until: .start + .seconds(5))
            #expect(book.appends.isEmpty && told == 0)
            var status = DeviceStatus(address: Self.address, name: "a", since: 0)
            status.entries = 41
            book.known = [status]
            book.isUnreadable = false
            try await loop.sleep(until: .start + .seconds(70))
        }
        #expect(told == 1)
        #expect(book.appends.flatMap(\.changes.entries).map(\.number) == [42])
    }

    @Test func neverMixesReadingsFromBeforeAndAfterTheClockWasSet() throws {
        let book = try tell { recorder, book, clock in
            let loop = clock.loop
            clock.isSet = false
            recorder.record([self.reading(1)])
            recorder.record([self.reading(2)])
            clock.ahead = .seconds(1_000_000)
            clock.isSet = true
            recorder.record([self.reading(3)])
            try await loop.sleep(until: .start + .seconds(2))
            // The same while the store takes nothing.
            book.isFull = true
            recorder.record([self.reading(4)])
            recorder.settle()
            clock.ahead = .zero
            recorder.record([self.reading(5)])
            try await loop.sleep(until: .start + .seconds(3))
            book.isFull = false
            recorder.settle()
        }
        let appends = book.appends.filter { !$0.ticks.isEmpty }
        #expect(appends.map(\.ticks) == [[1, 2], [3], [4], [5]])
        #expect(appends.map(\.areSet) == [[false, false], [true], [true], [true]])
        #expect(appends.map(\.changes.clocks?.isSynchronized) == [false, true, true, true])
        #expect(appends.map { $0.changes.clocks?.time ?? 0 > 900_000_000 } == [false, true, true, false])
    }

    @Test func reportsASlowDiskOnceAndCountsItInTheLedger() throws {
        let loop = try RunLoop(.virtual)
        let book = Book()
        nonisolated(unsafe) var lines: [String] = []
        let clock = Clock(loop)
        book.onAppend = { clock.blocked += book.delay }
        let recorder = Recorder(
            store: book, sinks: [], loop: loop,
            log: Logger(label: "test") { _ in LogLines { lines.append($0) } },
            book: LedgerBook(Self.configuration, hasLedger: true, pid: 1, at: 0), clocks: { clock.reading },
            wallTime: { clock.reading.time })
        try loop.run {
            for second in 0..<120 {
                try await loop.sleep(until: .start + .seconds(second))
                book.delay =
                    second == 10 ? .milliseconds(3200) : (20..<25).contains(second) ? .milliseconds(1100) : .zero
                recorder.record([self.reading(second)])
                recorder.settle()
            }
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("the disk takes longer than 1s to write"), "\(lines)")
        let slow = book.appends.compactMap(\.changes.poller?.slow)
        #expect(slow.first?.count == 1 && slow.first?.longest == .milliseconds(3200))
        #expect(slow.last?.count ?? 0 >= 6 && slow.last?.longest == .milliseconds(3200))
        // A slow disk isn't written to more often because of that.
        #expect(book.appends.count <= 130, "\(book.appends.count)")
    }
}
