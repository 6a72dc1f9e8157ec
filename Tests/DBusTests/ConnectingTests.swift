import BusBench
import DBus
import RunLoop
import Testing

/// A real dbus-daemon that is stopped while a connection to it is made.
struct ConnectingTests {
    @Test func endsWithItsTask() async throws {
        let error = try await Bench.run(.daemon) { bench in
            let (loop, address) = (bench.loop, bench.address ?? "")
            bench.freezeBus()
            defer { bench.thawBus() }
            return await withTaskGroup(of: BusError?.self) { group in
                group.addTask {
                    await failure { () throws(BusError) in _ = try await LibdbusBus.connect(to: address, on: loop) }
                }
                // It has sent Hello by then, or still waits for its connection: both must end.
                try? await loop.sleep(until: loop.now + .milliseconds(50))
                group.cancelAll()
                return await group.next() ?? nil
            }
        }
        #expect(error != nil)
    }

    @Test func connectsWhenTheDaemonContinues() async throws {
        let name = try await Bench.run(.daemon) { bench in
            bench.freezeBus()
            async let connecting = bench.connect()
            try await bench.loop.sleep(until: bench.loop.now + .milliseconds(50))
            bench.thawBus()
            return try await connecting.name
        }
        #expect(name.isUnique)
    }
}
