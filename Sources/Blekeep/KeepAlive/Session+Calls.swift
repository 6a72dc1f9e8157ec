import DBus

/// What is asked of BlueZ; how it went is told as events.
extension Session {
    /// - Parameter repeating: whether packets that say the same as the one before are of interest.
    func startDiscovery(_ path: ObjectPath, repeating: Bool) async {
        do throws(BusError) {
            try await Discovery(on: bus, path).start(repeating: repeating, check: checkGeneration)
            post(.answered(true))
            post(.discovering(path, nil))
        } catch {
            post(.answered(error != .timedOut))
            post(.discovering(path, error))
        }
    }

    func stopDiscovery(_ path: ObjectPath) async {
        do throws(BusError) {
            try await Discovery(on: bus, path).stop()
            post(.answered(true))
        } catch {
            post(.answered(error != .timedOut))
        }
        post(.discoveryEnded(path))
    }

    /// - Parameter bearer: whether by Low Energy alone.
    func connect(_ id: DeviceID, _ link: Int, _ path: ObjectPath, _ within: Duration, by bearer: Bool) async {
        var failure: BusError?
        do throws(BusError) {
            try checkGeneration()
            let method = bearer ? BearerLE1.connect : Device1.connect
            _ = try await bus.object(Bluez.service, path).call(method, within: within)
            // The property is told before the answer, or never: where the socket is up before the kernel's word of it,
            // bluetoothd says `Device … is already connected` in its log and nothing on the bus.
            if facts(of: id)?.isConnected == false { mirror.refresh() }
        } catch { failure = error }
        post(.connected(id, link: link, failure))
    }

    /// Between a decision and its call bluetoothd may have become another one, of which nothing is known yet: what was
    /// meant for the one before would go on in it without anybody minding it.
    private func checkGeneration() throws(BusError) {
        guard mirror.isKnown else { throw .disconnected }
    }

    /// Every D-Bus service answers this, unless it is stuck.
    func askForLife() async {
        do throws(BusError) {
            _ = try await bus.object(Bluez.service, .root).call(Peer.ping, within: .seconds(5))
            post(.alive(true))
        } catch { post(.alive(error != .timedOut && !error.isLimitExceeded)) }
    }
}
