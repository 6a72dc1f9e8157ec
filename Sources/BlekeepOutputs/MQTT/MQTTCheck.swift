import BlekeepRecords
import RunLoop

/// Connects to an MQTT broker with the gateway's settings, and publishes a message to `…/GATEWAY/doctor`. A poller that is
/// connected stays so.
package final class MQTTCheck: SinkCheck, @unchecked Sendable {
    package let name = "mqtt"
    private let configuration: MQTTConfiguration
    private let password: () throws -> String?
    private let loop: RunLoop
    private var connection: MQTTConnection?
    private var done: ((Result<String, any Error>) -> Void)?
    private lazy var timer = ClosureTimer { [weak self] in
        if let self { finish(.failure(silence)) }
    }

    package init(_ configuration: MQTTConfiguration, on loop: RunLoop, password: @escaping () throws -> String?) {
        self.configuration = configuration
        self.password = password
        self.loop = loop
    }

    private var broker: String { "\(configuration.host):\(configuration.port)" }
    private var silence: MQTTError {
        MQTTError("\(broker) confirmed nothing for \(DurationText.text(MQTTConnection.timeout))")
    }

    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        self.done = done
        do {
            let connection = try MQTTConnection(
                configuration, password: password(), name: "blekeep-\(configuration.gateway)-doctor", will: nil,
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
            connection?.publish(MQTTTopics(configuration).check, payload: Array("doctor".utf8), isRetained: false)
        case .confirmed: finish(.success("\(broker) takes messages"))
        case .refused(_, let error), .lost(let error): finish(.failure(error))
        case .message: break
        }
    }

    private func finish(_ result: Result<String, any Error>) {
        let done = done
        end()
        done?(result)
    }

    package func end() {
        done = nil
        loop.disarm(timer)
        connection?.close(isPolite: true)
        // The connection may be calling this method.
        if let connection { loop.soon { withExtendedLifetime(connection) {} } }
        connection = nil
    }
}
