import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import DBus
import Logging
import RunLoop

/// The one place that chooses the real parts: the bus, the files, the sinks.
enum Composition {
    static var environment: [String: String] { ProcessEnvironment.all }

    /// Returns the address of the bus, from `--bus`, the environment, or the system.
    static func busAddress(_ options: GlobalOptions) -> String { options.bus ?? SystemBus.address }

    static func bus(
        _ options: GlobalOptions, on loop: RunLoop, log: Logger
    ) -> @Sendable () async throws(BusError) -> any Bus {
        let address = busAddress(options)
        return { () async throws(BusError) in
            TracedBus.around(try await LibdbusBus.connect(to: address, on: loop), log: log)
        }
    }

    static let characteristicNames = CharacteristicNames.assigned

    static func configurationLoader(
        _ options: GlobalOptions, environment: [String: String] = Self.environment
    ) -> ConfigurationLoader {
        var loader = ConfigurationLoader(
            file: options.configurationFile(in: environment), environment: environment, names: characteristicNames)
        loader.history = { try? HistoryPath.reading($0, environment: environment) }
        return loader
    }

    /// Loads the configuration; `nil` when there are no files.
    ///
    /// - Parameters:
    ///   - mayWait: whether to wait for a program that writes into a pipe.
    ///   - drafts: what files are to have, by their paths.
    static func loadConfiguration(
        _ options: GlobalOptions, environment: [String: String] = Self.environment, mayWait: Bool = true,
        drafts: [String: String] = [:]
    ) throws(Failure) -> LoadedConfiguration? {
        do {
            var loader = configurationLoader(options, environment: environment)
            loader.drafts = drafts
            loader.mayWait = mayWait
            return try loader.load()
        } catch {
            // systemd doesn't start the poller again after a bad configuration.
            throw Failure(error.isPassing ? .allFailed : .badConfiguration, error.description)
        }
    }

    /// Returns the path of the history to write to.
    static func historyPath(_ configuration: Configuration?) throws(Failure) -> String {
        do throws(HistoryPathError) {
            return try HistoryPath.choose(configuration?.history.path, environment: environment)
        } catch { throw Failure(error) }
    }

    /// Returns the path of the history to read from, which may be the service's.
    static func readHistoryPath(
        _ configuration: Configuration?, environment: [String: String] = Self.environment
    ) throws(Failure) -> String {
        do throws(HistoryPathError) {
            return try HistoryPath.reading(configuration?.history.path, environment: environment)
        } catch { throw Failure(error) }
    }

    /// - Parameter isOneOff: whether the process ends by itself, after some ticks. If not, it tries again later when the
    ///   history can't be opened for now.
    static func openHistory(
        _ path: String, limits: HistoryLimits, isOneOff: Bool, log: Logger
    ) throws(Failure) -> History {
        do {
            return try History(path: path, limits: limits, waits: !isOneOff, isOneOff: isOneOff) {
                log.warning("\($0)")
            }
        } catch { throw Failure(error) }
    }

    /// - Parameter tags: those of the devices.
    /// What the configuration adds to readings; without one, the gateway is this machine.
    static func tags(_ configuration: Configuration?) -> DeviceTags {
        let empty = LoadedConfiguration.empty.configuration
        return DeviceTags((configuration ?? empty).poll.devices, gateway: (configuration ?? empty).gateway)
    }

    static func sink(_ format: LineFormat, tags: DeviceTags = DeviceTags()) -> LineSink {
        LineSink(to: StandardOutput.writer, writer: writer(format, tags: tags))
    }

    static func writer(_ format: LineFormat, tags: DeviceTags = DeviceTags()) -> any LineWriter {
        switch format {
        case .human:
            HumanLineWriter(offset: LocalTime.offset, now: { WallClock.milliseconds() })
        case .json: JSONLineWriter(tags: tags)
        case .csv: CSVLineWriter(tags: tags)
        case .influx: InfluxLineWriter(tags: tags)
        case .value: ValueLineWriter()
        }
    }
}
