import Blekeep
import Testing

@testable import BlekeepConfiguration

@Suite struct ListeningConfigurationTests {
    private static let text = """
        devices:
          - address: F0:00:00:00:00:01
            alias: attic
            mode: passive
            key: attic-key
          - {address: F0:00:00:00:00:02, mode: heard}
        """
    private static let hex = "231D39C1d7cc1ab1aee224cd096db932"

    private func read(_ credential: String?) throws -> (devices: [DeviceConfiguration], problems: [String]) {
        let parser = ConfigurationParser(Self.text, file: "f", names: names)
        #expect(parser.problems.isEmpty)
        var configuration = ConfigurationMerge([parser.part]).configuration
        let folder = try TemporaryFolder()
        if let credential { try folder.write(credential, to: "attic-key") }
        let problems = configuration.readKeys(Credentials(environment: ["CREDENTIALS_DIRECTORY": folder.path]))
        return (configuration.devices, problems)
    }

    @Test func `a device can be listened to, and its key is a credential`() throws {
        let (devices, problems) = try read(Self.hex + "\n")
        #expect(devices.map(\.mode) == [.passive, .heard])
        #expect(devices.map(\.keyName) == ["attic-key", nil])
        #expect(devices[0].key == AdvertisementKey(hex: Self.hex))
        #expect(devices[0].key != nil && problems == [])
    }

    @Test func `an unreadable key is reported, but not printed`() throws {
        #expect(try read(nil).problems == ["attic: systemd passed no readable credential 'attic-key'"])
        let (devices, problems) = try read("231d39c1")
        #expect(
            problems == [
                "attic: the credential 'attic-key' isn't a key of 32 hex digits, or of 24 for old Xiaomi devices"
            ])
        #expect(devices[0].key == nil)
        var configuration = Configuration(devices: devices)
        #expect(
            configuration.readKeys(Credentials(environment: [:]))
                == ["attic: systemd passed no credentials: use LoadCredential= in the unit"])
    }

    @Test func `a format is one that blekeep decodes, of a passive device`() {
        func parse(_ lines: String) -> ConfigurationParser {
            ConfigurationParser(
                "devices: [{address: F0:00:00:00:00:02, \(lines)}]", file: "c.yaml", names: names)
        }
        let good = parse("mode: passive, format: thermopro")
        #expect(ConfigurationMerge([good.part]).configuration.devices.first?.format == .thermopro)
        #expect(good.problems == [])
        let misspelled = parse("mode: passive, format: termopro")
        #expect(misspelled.problems.map(\.message) == ["`termopro` isn't a format; did you mean `thermopro`?"])
        let connected = parse("format: govee")
        #expect(connected.problems.map(\.message) == ["`format` has no effect without `mode: passive`"])
    }

    @Test func `a key does not show what it holds`() throws {
        let (devices, _) = try read(Self.hex)
        #expect(!"\(devices[0])".lowercased().contains("231d"))
        var dumped = ""
        dump(devices[0], to: &dumped)
        #expect(dumped.contains("key") && !dumped.lowercased().contains("231d") && !dumped.contains("193"))
    }
}
