import Blekeep
import DBus
import RunLoop

struct SimulatedWorld {
    let historyPath: String; var configuration: Configuration { Configuration() }
    init(_ name: String, on loop: RunLoop) throws { historyPath = "" }
    func connect() async throws(BusError) -> any Bus { throw .disconnected }
    func start() async throws {}
    func removeHistory() {}
}
