import BlekeepRecords
import Glibc
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
        let part = ConfigurationPart(Self.text, file: "f", names: names)
        #expect(part.problems.isEmpty)
        var configuration = ConfigurationMerge([part]).configuration
        let folder = try TemporaryFolder()
        if let credential { try folder.write(credential, to: "attic-key") }
        let problems = configuration.readKeys(Credentials(environment: ["CREDENTIALS_DIRECTORY": folder.path]))
        return (configuration.poll.devices, problems)
    }

    @Test func aDeviceCanBeListenedToAndItsKeyIsACredential() throws {
        let (devices, problems) = try read(Self.hex + "\n")
        #expect(devices.map(\.mode) == [.passive, .heard])
        #expect(devices.map(\.keyFile) == ["attic-key", nil])
        #expect(devices[0].key == AdvertisementKey(hex: Self.hex))
        #expect(devices[0].key != nil && problems == [])
    }

    @Test func anUnreadableKeyIsReportedButNotPrinted() throws {
        #expect(
            try read(nil).problems == [
                "attic: systemd passed no readable credential 'attic-key'; check LoadCredential= in the unit"
            ])
        let (devices, problems) = try read("231d39c1")
        #expect(
            problems == [
                "attic: the credential 'attic-key' isn't a key; write 32 hex digits, or 24 for old Xiaomi devices, into its first line"
            ])
        #expect(devices[0].key == nil)
        var configuration = Configuration(poll: PollConfiguration(devices: devices))
        #expect(
            configuration.readKeys(Credentials(environment: [:]))
                == [
                    "attic: systemd passed no credentials; use LoadCredential= in the unit, or name a file by its whole path"
                ])
    }

    @Test func aKeyMayBeInAFileThatOtherUsersCanNeitherReadNorReplace() throws {
        let folder = try TemporaryFolder()
        try folder.write("\(Self.hex)\n", to: "key")
        let path = "\(folder.path)/key"
        let part = ConfigurationPart(
            "devices: [{address: F0:00:00:00:00:02, alias: attic, mode: passive, key: \(path)}]", file: "f",
            names: names)
        #expect(part.problems.isEmpty)
        var configuration = ConfigurationMerge([part]).configuration
        let credentials = Credentials(environment: [:])
        func problem(mode: mode_t) -> String? {
            chmod(path, mode)
            return configuration.namedFiles.first?.problem(credentials).map { "\($0)" }
        }
        #expect(configuration.namedFiles.map(\.place) == ["attic: `key`"])
        #expect(problem(mode: 0o600) == nil && problem(mode: 0o640) == nil)
        #expect(
            configuration.readKeys(credentials) == []
                && configuration.poll.devices[0].key == AdvertisementKey(hex: Self.hex)
        )
        #expect(problem(mode: 0o644) == "every user can read \(path); protect it with 'chmod o= \(path)'")
        #expect(problem(mode: 0o602) == "every user can read \(path); protect it with 'chmod o= \(path)'")
        #expect(configuration.readKeys(credentials).count == 1 && configuration.poll.devices[0].key == nil)
        chmod(path, 0o600)
        try folder.write("231d39c1", to: "key")
        #expect(
            problem(mode: 0o600)
                == "\(path) isn't a key; write 32 hex digits, or 24 for old Xiaomi devices, into its first line")
        try folder.write("", to: "key")
        #expect(problem(mode: 0o600) == "\(path) is empty; write the secret into its first line")
        unlink(path)
        #expect(
            problem(mode: 0o600)
                == "can't read \(path): No such file or directory; write the secret into this file")
        #expect(configuration.namedFiles.first?.problem(credentials)?.isOnlyHere == false)
    }

    @Test func configCheckTellsWhereAFileIsNamedThatCannotBeRead() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            devices:
              - address: F0:00:00:00:00:02
                alias: attic
                mode: passive
                key: \(folder.path)/key
            sinks:
              mqtt: {url: mqtt://b, user: u, password_file: /nowhere/password}
            """, to: "config.yaml")
        let path = "\(folder.path)/config.yaml"
        let loaded = try #require(try ConfigurationLoader(file: path, environment: [:], names: names).load())
        let error = #expect(throws: ConfigurationErrors.self) {
            try loaded.checkFiles(Credentials(environment: [:]))
        }
        #expect(
            error?.problems.map(\.description) == [
                "\(path):5:5: attic: `key`: can't read \(folder.path)/key: No such file or directory; write the secret into this file",
                "\(path):7:34: sinks: mqtt: `password_file`: can't read /nowhere/password: No such file or directory; write the secret into this file",
            ])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to others")) func aKeyOfAnotherUserIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("\(Self.hex)\n", to: "key")
        let path = "\(folder.path)/key"
        chmod(path, 0o600)
        chown(path, 12_345, 0)
        let error = #expect(throws: CredentialError.self) { try Credentials(environment: [:]).secret(path) }
        #expect(error?.description == "\(path) belongs to another user; protect it with 'chown root \(path)'")
    }

    @Test func theConfigurationTellsWhichFilesItNames() {
        let part = ConfigurationPart(
            """
            sinks:
              mqtt: {url: "mqtts://b", user: u, password_file: /p, ca_file: /ca, cert_file: /c, key_file: /k}
              webhook: {url: "https://h", token_file: hook}
            """, file: "f", names: names)
        #expect(part.problems.isEmpty)
        let named = ConfigurationMerge([part]).configuration.namedFiles
        #expect(named.map(\.file) == ["/p", "/ca", "/c", "/k", "hook"])
        #expect(named.map(\.kind) == [.password, .certificates, .certificates, .certificates, .password])
        #expect(named.allSatisfy { $0.problem(Credentials(environment: [:])) != nil })
    }

    @Test func aFormatIsOneThatBlekeepDecodesOfAPassiveDevice() {
        let good = parse("mode: passive, format: thermopro")
        #expect(good.configuration.poll.devices.first?.format == .thermopro)
        #expect(good.messages == [])
        let misspelled = parse("mode: passive, format: termopro")
        #expect(misspelled.messages == ["`termopro` isn't a format; did you mean `thermopro`?"])
        let connected = parse("format: govee")
        #expect(connected.messages == ["`format` has no effect without `mode: passive`"])
    }

    private func parse(_ keys: String) -> (configuration: Configuration, messages: [String]) {
        let part = ConfigurationPart(
            "devices: [{address: F0:00:00:00:00:02, \(keys)}]", file: "c.yaml", names: names)
        let merge = ConfigurationMerge([part])
        return (merge.configuration, (part.problems + merge.problems).map(\.message))
    }

    @Test func aMediumIsForTankSensorsAndAModelForSwitchBots() throws {
        let good = parse("mode: passive, medium: water")
        #expect(good.configuration.poll.devices.first?.medium == .water && good.messages == [])
        #expect(parse("mode: passive, format: mopeka, medium: air").messages == [])
        #expect(
            parse("mode: passive, medium: beer").messages
                == ["`beer` isn't a medium; write propane, air or water"])
        #expect(
            parse("medium: air").messages == ["`medium` has no effect without `mode: passive`"])
        #expect(
            parse("mode: passive, format: govee, medium: air").messages
                == ["`medium` has no effect with `format: govee`; it is for mopeka"])
        let meter = parse("mode: passive, model: meter_pro_co2")
        #expect(meter.configuration.poll.devices.first?.model == .meterProCO2 && meter.messages == [])
        let chosen = parse(
            "mode: passive, fields: [temperature, humidity], calibration: [{name: temperature, offset: -0.3}], derive: [dew_point]"
        )
        let device = try #require(chosen.configuration.poll.devices.first)
        #expect(chosen.messages == [] && device.fields == ["temperature", "humidity"])
        #expect(device.calibration.first?.calibration?.offset == DecimalNumber("-0.3") && device.derived == [.dewPoint])
        #expect(
            parse("mode: passive, fields: [{name: temperature, offset: -0.3}]").messages
                == ["`fields` has only names; `calibration` corrects fields"])
        #expect(
            parse("mode: passive, calibration: [{name: temprature, offset: 1}]").messages
                == ["no advertising format has a field `temprature`; did you mean `temperature`?"])
        #expect(
            parse("mode: passive, format: mopeka, calibration: [{name: humidity, offset: 1}]").messages
                == ["`format: mopeka` has no field `humidity`"])
        #expect(
            parse("calibration: [{name: temprature, offset: 1}]").messages
                == ["no value of this device has a field `temprature`; did you mean `temperature`?"])
        #expect(parse("calibration: [{name: temperature, offset: 1}, {name: zzz_9, offset: 1}]").messages == [])
        #expect(
            parse("mode: passive, fields: [Temp]").messages
                == ["`Temp` isn't the name of a field; write one such as temperature"])
        #expect(
            parse("mode: passive, fields: [humidity, humidity]").messages
                == ["the field `humidity` is listed already; keep one"])
        #expect(
            parse("mode: passive, fields: [temprature]").messages
                == ["no advertising format has a field `temprature`; did you mean `temperature`?"])
        #expect(parse("mode: passive, format: ruuvi, fields: [humidity], derive: [dew_point]").messages == [])
        #expect(
            parse("mode: passive, format: ruuvi, fields: [moisture, temprature]").messages == [
                "no advertising format has a field `temprature`; did you mean `temperature`?",
                "`format: ruuvi` has no field `moisture`",
            ])
        #expect(
            parse("mode: passive, format: mopeka, derive: [dew_point]").messages
                == ["`derive` needs a temperature and a humidity; `format: mopeka` has no humidity"])
        #expect(
            parse("mode: passive, model: curtain, fields: [positon]").messages
                == ["no advertising format has a field `positon`; did you mean `position`?"])
        #expect(
            parse("mode: passive, model: curtain, fields: [humidity]").messages
                == ["a SwitchBot `curtain` has no field `humidity`"])
        #expect(
            parse("mode: passive, derive: [dew_pont]").messages
                == [
                    "`dew_pont` isn't a derived value; `derive` can have dew_point, absolute_humidity and vapor_pressure_deficit"
                ])
        #expect(parse("fields: [humidity]").messages == ["`fields` has no effect without `mode: passive`"])
        #expect(parse("model: meter").messages == ["`model` has no effect without `mode: passive`"])
    }

    @Test func aKeyDoesNotShowWhatItHolds() throws {
        let (devices, _) = try read(Self.hex)
        #expect(!"\(devices[0])".lowercased().contains("231d"))
        var dumped = ""
        dump(devices[0], to: &dumped)
        #expect(dumped.contains("key") && !dumped.lowercased().contains("231d") && !dumped.contains("193"))
    }
}
