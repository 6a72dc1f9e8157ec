import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Logging
import RunLoop

/// The sinks of a configuration. A new configuration replaces only those whose settings it changes.
struct ConfiguredSinks {
    /// The part of a configuration that a sink depends on: its own settings, and the devices if it describes them or
    /// writes their tags.
    private enum Basis: Equatable {
        case file(SinkConfiguration.File, DeviceTags)
        case metrics(MetricsConfiguration, PollConfiguration)
        case mqtt(MQTTConfiguration, PollConfiguration)
        case influx(InfluxConfiguration, DeviceTags)
        case webhook(WebhookConfiguration, DeviceTags)
    }

    private struct Made<Kind> {
        let basis: Basis
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

    private func parts(of configuration: Configuration) -> [(basis: Basis, make: () -> any Sink)] {
        var parts: [(basis: Basis, make: () -> any Sink)] = []
        let (poll, tags) = (configuration.poll, DeviceTags(configuration.poll.devices))
        if let file = configuration.sinks.file { parts.append((.file(file, tags), { FileSink(file, tags: tags) })) }
        if let metrics = configuration.metrics {
            parts.append((.metrics(metrics, poll), { self.metricsSink(metrics, poll) }))
        }
        return parts
    }

    private func metricsSink(_ metrics: MetricsConfiguration, _ configuration: PollConfiguration) -> any Sink {
        MetricsFileSink(metrics, for: configuration, version: Version.text, on: loop) { [log] error in
            if let error {
                log.warning("can't write metrics: \(error); still retrying")
            } else {
                log.notice("writing metrics again")
            }
        }
    }

    private func remoteParts(of configuration: Configuration) -> [(basis: Basis, make: () -> any RemoteSink)] {
        let secrets = SinkSecrets(configuration, Credentials(environment: environment))
        let (loop, poll, tags) = (loop, configuration.poll, DeviceTags(configuration.poll.devices))
        var parts: [(basis: Basis, make: () -> any RemoteSink)] = []
        if let mqtt = configuration.sinks.mqtt {
            parts.append(
                (
                    .mqtt(mqtt, poll),
                    {
                        MQTTSink(
                            mqtt, for: poll, isComplete: isComplete, version: Version.text, earlier: newest(),
                            on: loop, password: secrets.mqtt)
                    }
                ))
        }
        if let influx = configuration.sinks.influx {
            parts.append(
                (.influx(influx, tags), { HTTPSink(influx, tags: tags, on: loop, password: secrets.influx) }))
        }
        if let webhook = configuration.sinks.webhook {
            parts.append(
                (.webhook(webhook, tags), { HTTPSink(webhook, tags: tags, on: loop, token: secrets.webhook) }))
        }
        return parts
    }
}
