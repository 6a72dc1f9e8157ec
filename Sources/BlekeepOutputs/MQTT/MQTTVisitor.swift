import BlekeepRecords
import Glibc
import RunLoop

/// A further connection to the gateway's MQTT broker, for `doctor` and for the commands for several gateways. A poller that
/// is connected stays so.
package final class MQTTVisitor: SinkCheck, @unchecked Sendable {
    package let name = "mqtt"
    /// What gateways retain.
    package var view: FleetView { said.at(WallClock.milliseconds()) }
    private var said: FleetView
    /// Called after each message of the broker, and when the connection ends.
    package var onChange: (() -> Void)?
    /// Why the connection ended; `nil` before.
    package private(set) var failure: (any Error)?
    package let configuration: MQTTConfiguration
    private let topics: MQTTTopics
    private let password: () throws -> String?
    private let loop: RunLoop
    private var connection: MQTTConnection?
    /// What waits for the confirmation of a message.
    private var waiting: [Int: (Result<Void, any Error>) -> Void] = [:]
    private var done: ((Result<String, any Error>) -> Void)?
    private lazy var timer = ClosureTimer { [weak self] in
        if let self { finish(.failure(silence)) }
    }

    /// - Parameter devices: all of this machine's configuration.
    package init(
        _ configuration: MQTTConfiguration, devices: [DeviceConfiguration] = [], on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.configuration = configuration
        self.password = password
        self.loop = loop
        topics = MQTTTopics(configuration)
        said = FleetView(configuration, devices: devices)
    }

    private var broker: String { "\(configuration.host):\(configuration.port)" }
    private var silence: MQTTError {
        MQTTError("\(broker) confirmed nothing for \(DurationText.text(MQTTConnection.timeout))")
    }

    package var warnings: [String] {
        [configuration.versionWarning()].compactMap(\.self) + (configuration.fleet == nil ? [] : view.warnings)
    }

    /// Connects, and publishes a message to `…/GATEWAY/doctor`. When the broker confirms it, `view` has all that it retains.
    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        self.done = done
        do {
            // A broker ends an older connection of the same name.
            let connection = try MQTTConnection(
                configuration, password: password(), name: "blekeep-\(configuration.gateway)-\(getpid())", will: nil,
                on: loop
            ) { [unowned self] in self.handle($0) }
            self.connection = connection
            loop.arm(timer, at: loop.now + MQTTConnection.timeout + .seconds(1))
            connection.open()
        } catch { loop.soon { self.finish(.failure(error)) } }
    }

    private func handle(_ event: MQTTConnection.Event) {
        switch event {
        case .connected:
            for topic in topics.ofGateways { connection?.subscribe(topic, isConfirmed: false) }
            publish(topics.check, payload: "doctor", isRetained: false) { [unowned self] result in
                self.finish(result.map { "\(self.broker) takes messages" })
            }
        case .confirmed(let message): waiting.removeValue(forKey: message)?(.success(()))
        case .refused(let message, let error): waiting.removeValue(forKey: message)?(.failure(error))
        case .lost(let error):
            failure = error
            finish(.failure(error))
            let all = waiting
            waiting = [:]
            for done in all.values { done(.failure(error)) }
            onChange?()
        case .message(let message):
            said.received(message.topic, payload: message.payload ?? [], sent: sent(message))
            onChange?()
        }
    }

    /// When a gateway published a message, by this machine's clock. It gives each the same time to live.
    private func sent(_ message: MQTTMessage) -> Int64? {
        guard let rest = message.rest, rest <= MQTTSink.lifetime else { return nil }
        return WallClock.milliseconds() - (MQTTSink.lifetime - rest).components.seconds * 1000
    }

    private func finish(_ result: Result<String, any Error>) {
        loop.disarm(timer)
        let done = done
        self.done = nil
        done?(result)
    }

    // MARK: Messages

    /// Lets a gateway of the fleet read a device that several may read.
    package func move(_ device: DeviceID, to gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        publish(topics.move(device), payload: gateway, isRetained: false, done)
    }

    /// Says in a gateway's name that it is offline. If it isn't, it says so.
    package func doubt(_ gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        publish("\(topics.base)/\(gateway)/status", payload: "offline", isRetained: true, done)
    }

    /// Gives a gateway's name to this machine.
    package func adopt(_ gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        publish(
            "\(topics.base)/\(gateway)/installation", payload: configuration.installation ?? "", isRetained: true, done)
    }

    private func publish(
        _ topic: String, payload: String, isRetained: Bool, _ done: @escaping (Result<Void, any Error>) -> Void
    ) {
        let number = connection?.publish(
            topic, payload: Array(payload.utf8), isRetained: isRetained, lifetime: isRetained ? MQTTSink.lifetime : nil)
        guard let number else {
            let error = failure ?? silence
            return loop.soon { done(.failure(error)) }
        }
        waiting[number] = done
    }

    package func end() {
        done = nil
        waiting = [:]
        onChange = nil
        loop.disarm(timer)
        connection?.close(isPolite: true)
        // The connection may be calling this method.
        if let connection { loop.soon { withExtendedLifetime(connection) {} } }
        connection = nil
    }
}
