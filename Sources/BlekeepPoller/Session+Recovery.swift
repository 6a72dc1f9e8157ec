import DBus
import RunLoop

/// The recovery actions on BlueZ and systemd. Their results are posted as events.
extension Session {
    func recover(_ act: Recovery) async {
        switch act {
        case .countLinks: post(.recovered(.linksCounted(await central.watched?.queryExternalLinks())))
        case .cycle(let path): await cycle(path)
        case .switchOn(let path): central.switchOnAtOnce(path)
        case .restartBluez:
            post(.recovered(.restarted(await failure { () throws(BusError) in try await central.restartBluez() })))
        case .forget(let id, let path):
            let failure = await failure { () throws(BusError) in try await central.remove(path) }
            post(.recovered(.forgotten(id, failure)))
        case .preferLowEnergy(let id, let path):
            let failure = await failure { () throws(BusError) in
                try await central.set(Device1.preferredBearer, of: path, to: Bluez.lowEnergy)
            }
            post(.recovered(.preferred(id, failure)))
        }
    }

    private func failure(_ work: () async throws(BusError) -> Void) async -> BusError? {
        do throws(BusError) {
            try await work()
            return nil
        } catch { return error }
    }

    /// Turns an adapter off for 2 s, which some adapters need, and on again.
    private func cycle(_ path: ObjectPath) async {
        do throws(BusError) {
            try await central.switchAdapter(path, on: false, within: .seconds(10))
            try? await central.loop.sleep(until: central.loop.now + .seconds(2))
            // An adapter that disappeared is turned on when it is back.
            guard central.hasAdapter(path) else { return post(.recovered(.cycled(path, .vanished))) }
            try await central.switchAdapter(path, on: true, within: .seconds(20))
            try? await central.loop.sleep(until: central.loop.now + .seconds(3))
            post(.recovered(.cycled(path, nil)))
        } catch { post(.recovered(.cycled(path, error))) }
    }
}
