import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The poller keeps what it learned about a device across connections, while the device's objects stay the same.
@Suite struct BindingTests {
    @Test(arguments: [false, true])
    func readsPresentationFormatsOnceForEachTreeOfObjects(moves: Bool) async throws {
        let asked = Asked()
        let story = try await FaultStory.tell(for: 60, staying: 60) { configuration in
            for place in configuration.devices.indices { configuration.devices[place].mode = .release }
        } begin: { story in
            story.deafness.ignores = { call in
                if call.member == GattDescriptor1.readValue.name, call.interface == GattDescriptor1.name {
                    asked.count += 1
                }
                if call.interface == Device1.name, call.member == Device1.connect.name { asked.links += 1 }
                return false
            }
        } end: { story in
            if moves { story.world.moveServices("Probe") }
        }
        // The presentation format of its temperature, and the name from the same device.
        #expect(asked.count == (moves ? 2 : 0))
        #expect(asked.links >= 40)
        let temperatures = story.readings("Probe", SimulatedPeripheral.Vendor.temperature)
        #expect(temperatures.count >= 20)
        #expect(temperatures.allSatisfy { $0.name == "Probe temperature" })
    }

    private final class Asked: @unchecked Sendable {
        var count = 0
        var links = 0
    }
}
