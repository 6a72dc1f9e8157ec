import BusBench
import DBus
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI

/// A bus whose policy lets nobody use bluetoothd, as in a container or on a hardened system.
@Suite struct ForbiddenBluezTests {
    @Test func everyCommandSaysTheSame() throws {
        let bus = try PrivateBus(limits: BusLimits(), forbidding: BusName("org.bluez"))
        let folder = try TemporaryFolder()
        try "history: \(folder.file("history.sqlite"))\ndevices: [{address: \"F0:00:00:00:00:01\", alias: living}]\n"
            .write(
                toFile: folder.file("config.yaml"), atomically: true, encoding: .utf8)
        let loop = try RunLoop()
        let (address, home, configuration, output) = (
            bus.address, folder.path, folder.file("config.yaml"), folder.file("output")
        )
        try loop.run {
            let stub = try await LibdbusBus.connect(to: address, on: loop)
            defer { stub.close() }
            #expect(try await stub.own(BusName("org.bluez")))
            for line in [
                "scan", "adapters", "devices", "info living", "read living 2a6e", "write living 2a6e 00", "gatt living",
                "notify living 2a6e", "pair F0:00:00:00:00:02", "poll --once",
            ] {
                let program = try Program(
                    shell: """
                        export HOME=\(home)
                        exec "$0" \(line) -c \(configuration) --bus \(address) --log-level error > \(output) 2>&1
                        """)
                #expect(try await program.end(on: loop) == .exited(3), "\(line)")
                let sentence = "no permission to use bluetoothd; try 'blekeep doctor', or 'blekeep poll --simulate'"
                let said = try String(contentsOfFile: output, encoding: .utf8)
                #expect(said.hasSuffix("blekeep: \(sentence)\n") && !said.contains("org."), "\(line): \(said)")
            }
        }
    }
}
