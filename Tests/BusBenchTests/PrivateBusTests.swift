import Foundation
import Testing

@testable import BusBench

struct PrivateBusTests {
    private func directory(of bus: PrivateBus) -> String {
        String(bus.address.dropFirst("unix:path=".count).dropLast("/bus".count))
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func nobodyElseMayEnterItsDirectory() throws {
        let bus = try PrivateBus()
        let attributes = try FileManager.default.attributesOfItem(atPath: directory(of: bus))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test func nothingIsLeftAfterStop() throws {
        let bus = try PrivateBus()
        #expect(exists(directory(of: bus) + "/bus"))
        bus.stop()
        #expect(!exists(directory(of: bus)))
        bus.stop()
    }

    @Test func nothingIsLeftWhenWeAreKilled() throws {
        let bus = try PrivateBus()
        bus.abandon()
        #expect(!exists(directory(of: bus)))
    }

    @Test func nothingIsLeftWhenItIsStoppedAfterAKill() throws {
        let bus = try PrivateBus()
        bus.kill()
        bus.stop()
        #expect(!exists(directory(of: bus)))
    }

    @Test func nothingIsLeftWhenItIsForgotten() throws {
        let path = directory(of: try PrivateBus())
        #expect(!exists(path))
    }

    @Test func itIsKilledAndComesBackAtTheSameAddress() throws {
        let bus = try PrivateBus()
        let address = bus.address
        #expect(bus.kill())
        #expect(!bus.kill())
        try bus.start()
        try bus.restart()
        #expect(bus.address == address)
        #expect(exists(directory(of: bus) + "/bus"))
    }
}
