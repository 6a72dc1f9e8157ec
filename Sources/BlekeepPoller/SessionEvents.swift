import DBus
import RunLoop

/// Turns the events of the client of BlueZ into the keeper's events.
final class SessionEvents: @unchecked Sendable {
    private let workers: DeviceWorkers
    private let post: (Event) -> Void
    /// The owner of BlueZ's name on the connection that this one replaces.
    private var former: BusName?
    private var isFirstSnapshot = true
    /// Opens when BlueZ's objects are known.
    let arrival: Gate

    init(
        _ workers: DeviceWorkers, replacing former: BusName?, on loop: RunLoop, post: @escaping (Event) -> Void
    ) {
        self.workers = workers
        self.former = former
        self.post = post
        arrival = Gate(loop)
    }

    func take(_ event: CentralEvent, of central: CentralCore) {
        switch event {
        case .snapshot: snapshot(of: central)
        case .lost: post(.lost(.bluez))
        case .refused(let error): refused(error)
        case .adapters: postAll(of: central)
        case .device(let id, let facts): post(.device(id, facts))
        case .services(let id): workers.pollers[id].treeChanged()
        case .heard(let id): post(.heard(id))
        case .advertised(let id, let heard):
            guard let reader = workers.readers[id], let hearing = reader.hear(heard) else { return }
            for remark in reader.takeRemarks() { post(.remark(id, remark)) }
            post(.broadcast(id, hearing))
        case .ended(let id, let end): post(.ended(id, end))
        }
    }

    private func snapshot(of central: CentralCore) {
        if let former, former != central.mirror.owner { post(.lost(.bluez)) }
        former = nil
        for poller in workers.pollers { poller.treeChanged() }
        postAll(of: central)
        central.watched?.lookForMissing()
        arrival.open()
    }

    private func postAll(of central: CentralCore) {
        var found = workers.pollers.indices.compactMap { id in central.facts(of: id).map { (id, $0) } }
        if isFirstSnapshot {
            isFirstSnapshot = false
            for index in found.indices where found[index].1.isConnected {
                found[index].1.isSubscribed = central.isSubscribed(found[index].1.path)
            }
        }
        post(.bluez(central.adapters.filter { !$0.isBroken }, Dictionary(uniqueKeysWithValues: found)))
    }

    /// Handles a bluetoothd that didn't report its objects.
    private func refused(_ error: BusError) {
        switch Remedy(error) {
        case .denied: post(.lost(.denied("\(error)")))
        case .relink: post(.lost(.hung))
        default: break
        }
    }
}
