import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Logging
import RunLoop

/// The sinks of a configuration. A new configuration replaces only those whose settings it changes.
struct ConfiguredSinks {
    /// A sink, and the part of the configuration that it depends on.
    private struct Made<Kind> {
        let basis: Configuration
        let sink: Kind
    }

    private var made: [Made<any Sink>] = []
    private var madeRemote: [Made<any RemoteSink>] = []
    private let isComplete: Bool
    private let loop: RunLoop
    private let environment: [String: String]
    private let log: Logger
    private let newest: () -> [Reading]

    /// - Parameters:
    ///   - isComplete: whether the configuration has all devices of this gateway.
    ///   - newest: returns the newest readings in the history.
    init(
        _ configuration: Configuration, isComplete: Bool, on loop: RunLoop, environment: [String: String], log: Logger,
        newest: @escaping () -> [Reading]
    ) {
        self.isComplete = isComplete
        self.newest = newest
        self.loop = loop
        self.environment = environment
        self.log = log
        take(configuration)
    }

    var all: [any Sink] { made.map(\.sink) }

    /// Those that are servers.
    var remote: [any RemoteSink] { madeRemote.map(\.sink) }

    mutating func take(_ configuration: Configuration) {
        made = parts(of: configuration).map { basis, make in
            made.first { $0.basis == basis } ?? Made(basis: basis, sink: make())
        }
        madeRemote = remoteParts(of: configuration).map { basis, make in
            madeRemote.first { $0.basis == basis } ?? Made(basis: basis, sink: make())
        }
    }

    private func parts(of configuration: Configuration) -> [(basis: Configuration, make: () -> any Sink)] {
        var parts: [(basis: Configuration, make: () -> any Sink)] = []
        let tags = DeviceTags(configuration.devices)
        if let file = configuration.sinks.file {
            parts.append((tagged(SinkConfiguration(file: file), tags), { FileSink(file, tags: tags) }))
        }
        if let metrics = configuration.metrics {
            var basis = basis(SinkConfiguration(), with: configuration)
            basis.metrics = metrics
            parts.append((basis, { self.metricsSink(metrics, configuration) }))
        }
        return parts
    }

    private func metricsSink(_ metrics: MetricsConfiguration, _ configuration: Configuration) -> any Sink {
        MetricsFileSink(metrics, for: configuration, version: Version.text, on: loop) { [log] error in
            if let error {
                log.warning("can't write metrics: \(error); still retrying")
            } else {
                log.notice("writing metrics again")
            }
        }
    }

    private func remoteParts(
        of configuration: Configuration
    ) -> [(basis: Configuration, make: () -> any RemoteSink)] {
        let secrets = SinkSecrets(configuration, Credentials(environment: environment))
        let (loop, tags) = (loop, DeviceTags(configuration.devices))
        var parts: [(basis: Configuration, make: () -> any RemoteSink)] = []
        if let mqtt = configuration.sinks.mqtt {
            parts.append(
                (
                    basis(SinkConfiguration(mqtt: mqtt), with: configuration),
                    {
                        MQTTSink(
                            mqtt, for: configuration, isComplete: isComplete, version: Version.text,
                            earlier: newest(), on: loop, password: secrets.mqtt)
                    }
                ))
        }
        if let influx = configuration.sinks.influx {
            parts.append(
                (
                    tagged(SinkConfiguration(influx: influx), tags),
                    { HTTPSink(influx, tags: tags, on: loop, password: secrets.influx) }
                ))
        }
        if let webhook = configuration.sinks.webhook {
            parts.append(
                (
                    tagged(SinkConfiguration(webhook: webhook), tags),
                    { HTTPSink(webhook, tags: tags, on: loop, token: secrets.webhook) }
                ))
        }
        return parts
    }

    /// - Parameter devices: the configuration of the devices, for a sink that describes them.
    private func basis(_ sink: SinkConfiguration, with devices: Configuration? = nil) -> Configuration {
        var basis = devices ?? Configuration()
        basis.sinks = sink
        basis.metrics = nil
        basis.history = HistoryConfiguration()
        basis.notices = []
        return basis
    }

    /// - Parameter tags: those of the devices, for a sink that writes them.
    private func tagged(_ sink: SinkConfiguration, _ tags: DeviceTags) -> Configuration {
        var devices = Configuration()
        devices.devices = tags.devices
        return basis(sink, with: devices)
    }
}
