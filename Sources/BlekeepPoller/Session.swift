import DBus
import RunLoop

/// The poller's requests to BlueZ on a connection to the bus. Their results are posted as events.
final class Session: @unchecked Sendable {
    let central: CentralCore
    let post: (Event) -> Void

    init(_ central: CentralCore, post: @escaping (Event) -> Void) { (self.central, self.post) = (central, post) }

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

    func startMonitors(_ path: ObjectPath, for patterns: [AdvertisementPattern]) async {
        let post = post
        do throws(BluetoothError) {
            try await central.startMonitors(patterns, on: path) { post(.monitors(path, $0)) }
            post(.monitors(path, nil))
        } catch { post(.monitors(path, error)) }
    }

    func queryDiscovery(_ path: ObjectPath) async {
        do throws(BusError) {
            let isDiscovering = try await central.isDiscovering(on: path)
            post(.answered(true))
            post(.searches(path, isDiscovering, isAsked: true))
        } catch { post(.answered(error != .timedOut)) }
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

    /// Sends Connect, unless the attempt ended before.
    ///
    /// - Parameter bearer: whether to use Low Energy only.
    func connect(_ request: ConnectRequest, within: Duration, by bearer: Bool) async {
        guard request.state != .over else { return }
        func post(_ error: BusError?) { self.post(.device(request.device, .connected(link: request.link, error))) }
        // On a new connection to the bus, BlueZ's objects may not be known yet.
        guard central.mirror.isKnown else { return post(.disconnected) }
        request.state = .sent
        do throws(BusError) {
            try await central.connect(request.path, within: within, byLowEnergy: bearer)
            post(nil)
        } catch { post(error) }
    }

    /// Ends the connection, or the attempt to make it. Of an unsent Connect there is nothing to end: the connection is
    /// another program's.
    ///
    /// - Parameters:
    ///   - link: the number of the connection or attempt.
    ///   - request: the last one to connect the device.
    func disconnect(_ path: ObjectPath, link: Int, after request: ConnectRequest?) {
        guard let request, request.link == link, request.state != .sent else { return central.disconnect(path) }
        request.state = .over
    }

    func ping() async {
        do throws(BusError) {
            try await central.ping()
            post(.alive(true))
        } catch { post(.alive(error != .timedOut && !error.isLimitExceeded)) }
    }
}

/// An attempt's request to connect a device. It outlives the connection to the bus, which may be renewed before Connect is
/// sent.
final class ConnectRequest: @unchecked Sendable {
    // Used only on the loop's thread.
    let device: DeviceNumber
    let path: ObjectPath
    /// The number of the attempt.
    let link: Int
    fileprivate var state = State.unsent

    /// An attempt that is over before Connect is sent doesn't send it, because it would leave a connection behind.
    fileprivate enum State { case unsent, sent, over }

    init(_ device: DeviceNumber, link: Int, _ path: ObjectPath) {
        self.device = device
        self.link = link
        self.path = path
    }
}

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

/// Turns the events of the client of BlueZ into the poller's events.
final class SessionEvents: @unchecked Sendable {
    private let workers: DeviceWorkers
    private let post: (Event) -> Void
    /// The owner of BlueZ's name on the connection that this one replaces.
    private var former: BusName?
    private var isFirstSnapshot = true
    /// Opens when BlueZ's objects are known.
    let arrival: Gate

    init(_ workers: DeviceWorkers, replacing former: BusName?, on loop: RunLoop, post: @escaping (Event) -> Void) {
        self.workers = workers
        self.former = former
        self.post = post
        arrival = Gate(loop)
    }

    func handle(_ event: CentralEvent, of central: CentralCore) {
        switch event {
        case .snapshot: snapshot(of: central)
        case .lost: post(.lost(.bluez))
        case .refused(let error): refused(error)
        case .adapters: postAll(of: central)
        case .discovering(let path, let isDiscovering): post(.searches(path, isDiscovering))
        case .device(let number, let facts): post(.device(number, .reported(facts)))
        case .services(let number): workers[number]?.poller.treeChanged()
        case .heard(let number, let path):
            let adapter = central.hasSeveralAdapters ? path.parent : nil
            post(.device(number, .heard(with: adapter, rssi: adapter == nil ? nil : central.rssi(of: path))))
        case .advertised(let number, let path, let heard):
            guard let reader = workers[number]?.reader else { return }
            workers.packets += 1
            let before = reader.identity.habit.isTriggered
            let hearing = reader.hear(heard)
            let isTriggered = reader.identity.habit.isTriggered
            if isTriggered != before { post(.device(number, .habit(isTriggered: isTriggered))) }
            guard let hearing else { return }
            for remark in reader.drainRemarks() { post(.device(number, .remark(remark))) }
            post(.device(number, .broadcast(hearing, with: central.hasSeveralAdapters ? path.parent : nil)))
        case .ended(let number, let end): post(.device(number, .ended(end)))
        }
    }

    private func snapshot(of central: CentralCore) {
        if let former, former != central.mirror.owner { post(.lost(.bluez)) }
        former = nil
        for worker in workers.all { worker.poller.snapshotCame() }
        postAll(of: central)
        central.watched?.lookForMissing()
        arrival.open()
    }

    private func postAll(of central: CentralCore) {
        var found = central.watchedFacts
        if isFirstSnapshot {
            isFirstSnapshot = false
            for (number, known) in found {
                for (place, facts) in known.enumerated() where facts.isConnected {
                    found[number]?[place].isSubscribed = central.isSubscribed(facts.path)
                }
            }
        }
        post(.bluez(central.adapters.filter { !$0.isBroken }, found))
    }

    /// Handles a bluetoothd that didn't report its objects.
    private func refused(_ error: BusError) {
        if let outage = Remedy(error).policy.outage { post(.lost(outage)) }
    }
}
