import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepPostgres
import Logging
import RunLoop

/// The sinks of a configuration. A new configuration replaces only those whose settings it changes.
struct ConfiguredSinks {
    /// A sink that the configuration has settings for.
    private struct Registration {
        let settings: Settings
        let check: Check
        let make: (ConfiguredSinks) -> any Sink
    }

    /// What a sink depends on: its own settings, and the devices if it describes them or writes their tags.
    private enum Settings: Equatable {
        case file(SinkConfiguration.File, DeviceTags)
        case metrics(MetricsConfiguration, PollConfiguration)
        case mqtt(MQTTConfiguration, PollConfiguration)
        case influx(InfluxConfiguration, DeviceTags)
        case webhook(WebhookConfiguration, DeviceTags)
        case postgres(PostgresConfiguration, PollConfiguration)
    }

    /// What `blekeep doctor` tries.
    private enum Check {
        case file(FileCheck)
        case server((RunLoop) -> any SinkCheck)
    }

    /// The one place that registers sinks.
    private static func registrations(_ configuration: Configuration, environment: [String: String]) -> [Registration] {
        let (sinks, poll) = (configuration.sinks, configuration.poll)
        let tags = DeviceTags(poll)
        let credentials = Credentials(environment: environment)
        func http(_ settings: Settings, _ format: any RequestFormat, secret file: String?) -> Registration {
            let secret = credentials.reader(of: file)
            return Registration(settings: settings, check: .server { HTTPCheck(format, on: $0, secret: secret) }) {
                BatchSink(format, on: $0.loop, secret: secret)
            }
        }
        let all = [
            sinks.file.map { file in
                let check = FileCheck(
                    name: "file", path: file.path, key: "sinks: file",
                    growth: "its files take up to 'size' times 'keep'")
                return Registration(settings: .file(file, tags), check: .file(check)) { _ in FileSink(file, tags: tags)
                }
            },
            configuration.metrics.map { metrics in
                let check = FileCheck(
                    name: "metrics", path: metrics.path, key: "metrics: textfile", growth: "the file is small")
                return Registration(settings: .metrics(metrics, poll), check: .file(check)) {
                    $0.metricsSink(metrics, configuration: poll)
                }
            },
            sinks.mqtt.map { own in
                let mqtt = Self.installed(own)
                let password = credentials.reader(of: mqtt.passwordFile)
                return Registration(
                    settings: .mqtt(mqtt, poll),
                    check: .server { Self.visitor(own, of: poll.devices, on: $0, environment: environment) }
                ) {
                    MQTTSink(
                        mqtt, for: poll, isComplete: $0.isComplete, version: Version.text,
                        earlier: (try? $0.history.latest().map(\.reading)) ?? [],
                        on: $0.loop, password: password)
                }
            },
            sinks.influx.map { http(.influx($0, tags), InfluxFormat($0, tags: tags), secret: $0.secretFile) },
            sinks.webhook.map { http(.webhook($0, tags), WebhookFormat($0, tags: tags), secret: $0.tokenFile) },
            sinks.postgres.map { own in
                var postgres = own
                postgres.installation = Self.machine
                let password = credentials.reader(of: postgres.passwordFile)
                return Registration(
                    settings: .postgres(postgres, poll),
                    check: .server { PostgresCheck(own, on: $0, password: password) }
                ) { [postgres] in
                    BatchSink(
                        postgres, of: $0.history, devices: poll.devices, version: Version.text, on: $0.loop,
                        applyFleet: $0.applyFleet, password: password)
                }
            },
        ]
        return all.compactMap(\.self)
    }

    /// Sentences about the libraries that sinks need and this machine lacks. Another machine may have them, so the configuration
    /// is good.
    static func missingLibraries(_ sinks: SinkConfiguration) -> [String] {
        let needed: [(name: String, isSet: Bool, library: LoadedLibrary)] = [
            ("influx", sinks.influx != nil, .curl), ("webhook", sinks.webhook != nil, .curl),
            ("postgres", sinks.postgres != nil, .postgres),
        ]
        return needed.filter(\.isSet).compactMap { sink in
            sink.library.missing.map { "sinks: \(sink.name): \($0)" }
        }
    }

    private static func installed(_ mqtt: MQTTConfiguration) -> MQTTConfiguration {
        var mqtt = mqtt
        mqtt.installation = machine
        return mqtt
    }

    static var machine: String? { MQTTConfiguration.installation(ofMachine: SystemFile.line(of: "/etc/machine-id")) }

    /// Returns a further connection to a broker.
    ///
    /// - Parameter devices: all of the configuration.
    static func visitor(
        _ mqtt: MQTTConfiguration, of devices: [DeviceConfiguration], on loop: RunLoop, environment: [String: String]
    ) -> MQTTVisitor {
        MQTTVisitor(
            installed(mqtt), devices: devices, on: loop,
            password: Credentials(environment: environment).reader(of: mqtt.passwordFile))
    }

    private var made: [(settings: Settings, sink: any Sink)] = []
    private let isComplete: Bool
    private let loop: RunLoop
    private let environment: [String: String]
    private let log: Logger
    private let history: History
    private let applyFleet: ApplyFleetConfiguration?

    /// - Parameters:
    ///   - isComplete: whether the configuration has all devices of this gateway.
    ///   - applyFleet: takes the configuration of a fleet's database.
    init(
        _ configuration: Configuration, isComplete: Bool, on loop: RunLoop, environment: [String: String], log: Logger,
        history: History, applyFleet: ApplyFleetConfiguration? = nil
    ) {
        self.applyFleet = applyFleet
        self.isComplete = isComplete
        self.history = history
        self.loop = loop
        self.environment = environment
        self.log = log
        apply(configuration)
    }

    var all: [any Sink] { made.map(\.sink) }

    /// Replaces the sinks that the configuration changes.
    mutating func apply(_ configuration: Configuration) {
        made = Self.registrations(configuration, environment: environment).map { new in
            made.first { $0.settings == new.settings } ?? (new.settings, new.make(self))
        }
    }

    private func metricsSink(_ metrics: MetricsConfiguration, configuration: PollConfiguration) -> any Sink {
        MetricsFileSink(metrics, for: configuration, version: Version.text, on: loop) { [log] error in
            if let error {
                log.warning("can't write metrics: \(error); still retrying")
            } else {
                log.notice("writing metrics again")
            }
        }
    }

    /// Tries the places that readings go to, the files first.
    static func findings(
        _ configuration: Configuration, on loop: RunLoop, environment: [String: String]
    ) async -> [Finding] {
        var (files, servers): ([Finding], [any SinkCheck]) = ([], [])
        for registration in registrations(configuration, environment: environment) {
            switch registration.check {
            case .file(let check): files.append(check.run())
            case .server(let check): servers.append(check(loop))
            }
        }
        return files + (await SinkChecks(checks: servers, loop: loop).run())
    }
}

extension Configuration {
    /// Keeps simulated readings apart from real ones: in all outputs, they come from another gateway.
    mutating func separateSimulated() {
        let name = gateway + "-simulated"
        gateway = name
        sinks.mqtt?.gateway = name
        sinks.mqtt?.fleet? += "-simulated"
        sinks.postgres?.gateway = name
        // In a database, it shares no devices with real ones.
        if sinks.mqtt?.fleet == nil {
            for index in poll.devices.indices { poll.devices[index].gateways = [] }
        }
        metrics?.name += "-simulated"
    }
}
