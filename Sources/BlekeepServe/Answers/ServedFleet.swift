import BlekeepConfiguration
import BlekeepOutputs
import BlekeepPostgres
import BlekeepRecords
import RunLoop

/// What the broker of the configuration knows of the fleet. There is a connection only while a browser shows the page.
final class ServedFleet {
    enum State {
        /// The configuration has no fleet.
        case none
        /// - Parameter failure: why that may be old; `nil` with a connection.
        case known(FleetView, failure: String?)
        /// The broker doesn't say anything yet.
        case unknown(failure: String?)
    }

    /// Where the gateways say what they do.
    enum Place: Equatable {
        case broker(MQTTConfiguration)
        case database(PostgresConfiguration)
    }

    private struct Basis: Equatable {
        var place: Place
        var devices: [DeviceConfiguration]
    }

    private let environment: [String: String]
    private let loop: RunLoop
    private var watch: FleetWatch?
    private var basis: Basis?
    /// The requests that wait for the broker.
    private var waiting: [() -> Void] = []
    private lazy var patience = ClosureTimer { [weak self] in self?.answer() }
    private lazy var leaving = ClosureTimer { [weak self] in self?.end() }

    /// What a configuration without a fleet lacks.
    static let missing =
        "this gateway's configuration has no fleet: set `fleet` below `sinks: mqtt:`, or `sinks: postgres:`"
    /// How long a request waits for the broker.
    private static let wait: Duration = .seconds(3)
    /// How long the connection lasts after the last request. An open page asks each few seconds.
    private static let stay: Duration = .seconds(120)

    init(environment: [String: String], on loop: RunLoop) { (self.environment, self.loop) = (environment, loop) }

    /// Calls `ready` when the broker has said what it knows, or when it takes too long.
    func prepare(_ configuration: Configuration, ready: @escaping () -> Void) {
        guard case .unknown(failure: nil) = state(configuration) else { return ready() }
        waiting.append(ready)
        if waiting.count == 1 { loop.arm(patience, at: loop.now + Self.wait) }
    }

    /// Returns what is known now, and keeps the connection.
    func state(_ configuration: Configuration) -> State {
        guard let place = Self.place(configuration.sinks) else {
            end()
            return .none
        }
        let basis = Basis(place: place, devices: configuration.poll.devices)
        if basis != self.basis { end() }
        loop.arm(leaving, at: loop.now + Self.stay)
        let watch = watch ?? begin(basis)
        watch.look()
        let failure = watch.failure.map { "\($0)" }
        return watch.isComplete ? .known(watch.view, failure: failure) : .unknown(failure: failure)
    }

    /// Where the configuration says that gateways say what they do; `nil` when it doesn't.
    static func place(_ sinks: SinkConfiguration) -> Place? {
        sinks.mqtt.flatMap { $0.fleet == nil ? nil : .broker($0) } ?? sinks.postgres.map { .database($0) }
    }

    private func begin(_ basis: Basis) -> FleetWatch {
        let (loop, credentials) = (loop, Credentials(environment: environment))
        let watch = FleetWatch(on: loop) {
            switch basis.place {
            case .broker(let mqtt):
                MQTTVisitor(mqtt, devices: basis.devices, on: loop, password: credentials.reader(of: mqtt.passwordFile))
            case .database(let postgres):
                PostgresFleet(
                    postgres, devices: basis.devices, on: loop, password: credentials.reader(of: postgres.passwordFile))
            }
        }
        (self.watch, self.basis) = (watch, basis)
        watch.start { [weak self] _ in self?.answer() }
        return watch
    }

    private func answer() {
        loop.disarm(patience)
        let ready = waiting
        waiting = []
        for answer in ready { answer() }
    }

    private func end() {
        loop.disarm(leaving)
        watch?.end()
        (watch, basis) = (nil, nil)
        answer()
    }
}
