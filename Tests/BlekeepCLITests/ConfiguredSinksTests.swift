import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Logging
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI

/// The sinks that a new configuration replaces.
@Suite struct ConfiguredSinksTests {
    private var configuration: Configuration

    init() {
        configuration = Configuration(
            poll: PollConfiguration(devices: [DeviceConfiguration(address: BluetoothAddress(bits: 1))]))
        configuration.sinks.file = SinkConfiguration.File(path: "/nowhere/readings.json")
        configuration.sinks.mqtt = MQTTConfiguration(host: "b", port: 1883, isEncrypted: false, gateway: "cellar")
        configuration.metrics = MetricsConfiguration(folder: "/nowhere")
    }

    /// Returns the names of the sinks that stay, and of those that are new.
    private func changes(_ change: (inout Configuration) -> Void) throws -> (same: [String], new: [String]) {
        let folder = try TemporaryFolder()
        var sinks = ConfiguredSinks(
            configuration, isComplete: true, on: try RunLoop(), environment: [:], log: Logger(label: "test"),
            history: try History(path: folder.file("history.sqlite")))
        func all() -> [(object: AnyObject, name: String)] {
            sinks.all.map { ($0, $0.name) }
        }
        let before = all()
        var configuration = configuration
        change(&configuration)
        sinks.apply(configuration)
        let after = all().map { now in (now.name, before.contains { $0.object === now.object }) }
        return (after.filter(\.1).map(\.0), after.filter { !$0.1 }.map(\.0))
    }

    @Test func whatASinkDoesNotDependOnLeavesItAlone() throws {
        let (same, new) = try changes {
            $0.history.size *= 2
            $0.notices = []
        }
        #expect(same == ["file", "metrics", "mqtt"] && new.isEmpty)
    }

    @Test func aNewDeviceReplacesSinksThatDescribeDevices() throws {
        let (same, new) = try changes {
            $0.poll.devices.append(DeviceConfiguration(address: BluetoothAddress(bits: 2)))
        }
        #expect(same == ["file"] && new == ["metrics", "mqtt"])
    }

    @Test func newTagsReplaceAllSinks() throws {
        let (same, new) = try changes { $0.poll.devices[0].tags = ["cellar"] }
        #expect(same.isEmpty && new == ["file", "metrics", "mqtt"])
    }

    /// Files, InfluxDB and webhooks have the gateway's name from `DeviceTags`.
    @Test func simulatedReadingsComeFromAnotherGateway() {
        var simulated = configuration
        simulated.gateway = "cellar"
        simulated.separateSimulated()
        #expect(DeviceTags(simulated.poll).gateway == "cellar-simulated")
        #expect(simulated.sinks.mqtt?.gateway == "cellar-simulated")
        #expect(simulated.metrics?.path == "/nowhere/blekeep-simulated.prom")
    }

    @Test func onlyTheChangedSinkIsReplaced() throws {
        let (same, new) = try changes {
            $0.sinks.mqtt?.port = 1884
            $0.sinks.file?.keep = 9
            $0.metrics = nil
        }
        #expect(same.isEmpty && new == ["file", "mqtt"])
    }
}
