import DBus
import RunLoop

/// The keeper's requests to BlueZ on a connection to the bus. Their results are posted as events.
final class Session: @unchecked Sendable {
    let central: CentralCore
    let post: (Event) -> Void
    /// The attempts before their Connect is sent.
    private var unsent: [DeviceIndex: Int] = [:]

    init(_ central: CentralCore, post: @escaping (Event) -> Void) {
        self.central = central
        self.post = post
    }

    /// - Parameter repeating: whether BlueZ reports packets that repeat the previous one.
    func startDiscovery(_ path: ObjectPath, repeating: Bool) async {
        do throws(BusError) {
            let refused = try await central.startDiscovery(on: path, repeating: repeating)
            post(.answered(true))
            post(.discovering(path, nil, refused: refused))
        } catch {
            post(.answered(error != .timedOut))
            post(.discovering(path, error))
        }
    }

    func stopDiscovery(_ path: ObjectPath) async {
        do throws(BusError) {
            try await central.stopDiscovery(on: path)
            post(.answered(true))
        } catch {
            post(.answered(error != .timedOut))
        }
        post(.discoveryEnded(path))
    }

    /// Announces a `connect`. If `disconnect` comes first, Connect isn't sent, because it would leave a connection behind.
    func willConnect(_ id: DeviceIndex, _ link: Int) { unsent[id] = link }

    /// - Parameter bearer: whether to use Low Energy only.
    func connect(_ id: DeviceIndex, _ link: Int, _ path: ObjectPath, _ within: Duration, by bearer: Bool) async {
        guard unsent[id] == link else { return }
        // On a new connection to the bus, BlueZ's objects may not be known yet. Connect stays unsent, so that the end of
        // the attempt doesn't disconnect what another program connects meanwhile.
        guard central.mirror.isKnown else { return post(.connected(id, link: link, .disconnected)) }
        unsent[id] = nil
        var failure: BusError?
        do throws(BusError) { try await central.connect(path, within: within, byLowEnergy: bearer) } catch {
            failure = error
        }
        post(.connected(id, link: link, failure))
    }

    /// Ends the connection, or the attempt to make it.
    func disconnect(_ id: DeviceIndex, _ path: ObjectPath) {
        if unsent.removeValue(forKey: id) == nil { central.disconnect(path) }
    }

    func ping() async {
        do throws(BusError) {
            try await central.ping()
            post(.alive(true))
        } catch { post(.alive(error != .timedOut && !error.isLimitExceeded)) }
    }
}
