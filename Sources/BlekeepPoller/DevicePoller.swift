import DBus
import RunLoop

/// Performs the actions of a `PollMachine`: reads a device's points one after another, and takes its notifications.
final class DevicePoller: @unchecked Sendable {
    private let loop: RunLoop
    private let binding: DeviceBinding
    private let readings: ReadingBuilder
    private let throttled: ThrottledReadings
    private var machine: PollMachine
    /// `nil` for a device that just holds values.
    private let conversation: DeviceConversation?
    /// The writes that users asked for, and that wait for a tick.
    let writes: WaitingUsers<WriteRequest>
    /// The device's points on the current connection.
    private var points: [BoundPoint] = []
    /// Its listeners on the current connection.
    private var listening: [NotificationTable.Entry] = []
    private let arrival: Gate
    /// When blekeep first used the current connection; `nil` without one.
    private var linkSince: Uptime?
    /// When the device last sent a value by itself.
    private(set) var notifiedAt: Uptime?

    /// - Parameter throttled: takes all readings.
    init(
        _ setting: DeviceSetting, isOneOff: Bool, loop: RunLoop, wallTime: @escaping () -> Int64,
        throttled: ThrottledReadings
    ) {
        self.loop = loop
        machine = PollMachine(
            readsBattery: setting.readsBattery, isOneOff: isOneOff,
            conversesEvery: setting.recipe == nil ? nil : setting.interval)
        conversation = setting.recipe.map { DeviceConversation($0, of: setting.device, on: loop, wallTime: wallTime) }
        binding = DeviceBinding(setting, loop: loop)
        readings = ReadingBuilder(setting.device, wallTime: wallTime, throttled: throttled)
        self.throttled = throttled
        arrival = Gate(loop)
        writes = WaitingUsers(
            loop, upTo: 8, crowded: "8 other values wait already", late: "the device wasn't connected")
    }

    /// The number of remembered characteristics.
    var memories: Int { machine.remembered }

    /// Call this when the connection ended.
    func unbind() {
        throttled.flush()
        machine.unbind()
        linkSince = nil
        points = []
        binding.unbind()
        endListening()
        conversation?.unbind()
        arrival.open()
    }

    /// Call this when the device's objects changed. The next read searches the points again.
    func treeChanged() {
        machine.objectsChanged()
        binding.forget()
        conversation?.objectsChanged()
    }

    /// Call this after a snapshot of BlueZ's objects. It touches only a device whose objects it changed.
    func snapshotCame() { if binding.isOutdated { treeChanged() } }

    /// Call this when BlueZ removes the device from its cache.
    func forgotten() {
        unbind()
        machine.forgetMisfits()
    }

    /// Records a tick that failed before any read.
    func tickFailed(_ tick: Int, failure: ReadingFailure) {
        readings.failure(failure, tick: tick)
        writes.answer(.failure(failure))
    }

    // MARK: A tick

    /// Does a tick's work on a connection with resolved services.
    ///
    /// - Parameter isHeld: whether the connection stays up afterwards.
    func poll(_ tick: DueTick, on link: LinkCore, isHeld: Bool) async -> PollResult {
        linkSince = linkSince ?? loop.now
        let round = machine.begin(tick, isHeld: isHeld, at: loop.now)
        while true {
            let action = machine.next(in: round, hasWrites: !writes.isEmpty, isPaired: link.isPaired, at: loop.now)
            switch action {
            case .bind: await bind(round, on: link)
            case .report(let report): write(report, tick: tick.number)
            case .follow(let indices): await follow(indices, in: round, on: link)
            case .subscribe(let index, let mayNeedPairing):
                await link.core.refusals.withAgent(if: mayNeedPairing) { await subscribe(index, in: round, on: link) }
            case .write: await write(round, on: link)
            case .read(let index, let mayNeedPairing):
                await read(index, mayNeedPairing: mayNeedPairing, in: round, on: link)
            case .converse: await converse(round, on: link)
            case .readBattery:
                guard let percentage = link.battery else {
                    if !link.hasBattery { machine.batteryMissing(in: round) }
                    break
                }
                machine.batteryRead(percentage, in: round)
                let age = loop.now - (linkSince ?? loop.now)
                readings.battery(PollMachine.level(percentage, afterLinkOf: age), tick: tick.number)
            case .listen(let end): await arrival.wait(until: end)
            case .end(let result): return result
            }
        }
    }

    private func write(_ report: PollAction.Report, tick: Int) {
        switch report.subject {
        case .point(let index): readings.failure(report.failure, of: points[index], tick: tick)
        case .missing(let point):
            readings.failure(report.failure, tick: tick, of: point.characteristic, in: point.service)
        case .recipe: readings.failure(report.failure, tick: tick, by: conversation?.recipe)
        case .device: readings.failure(report.failure, tick: tick)
        }
    }

    private func bind(_ round: PollMachine.Round, on link: LinkCore) async {
        let found = await binding.search(on: link, within: round.tick.budget, until: round.deadline) {
            machine.isCurrent(round)
        }
        guard machine.isCurrent(round) else { return }
        points = found.points
        endListening()
        machine.bound(points.map(\.plan), missing: found.missing, services: found.services, in: round)
    }

    private func follow(_ indices: [Int], in round: PollMachine.Round, on link: LinkCore) async {
        let new = indices.map { index in
            let path = points[index].plan.path
            return link.core.notifications.add(at: path, receive: { [unowned self] in notified(path, bytes: $0) })
        }
        listening += new
        do throws(BusError) { try await link.adoptRules() } catch {
            for entry in new { entry.remove() }
            machine.followRefused(indices, error: error, in: round, at: loop.now)
        }
    }

    private func endListening() {
        for entry in listening { entry.remove() }
        listening = []
    }

    private func subscribe(_ index: Int, in round: PollMachine.Round, on link: LinkCore) async {
        let plan = points[index].plan
        let isPaired = link.isPaired
        do throws(BusError) {
            try await link.startNotify(plan.path, within: link.rest(until: round.end))
            machine.subscribed(to: plan, isPaired: isPaired)
        } catch {
            machine.failed(
                .subscribe, of: index, error: error, isUp: link.isUp, in: round, isPaired: link.isPaired, at: loop.now)
        }
    }

    /// Lets a value wait for the next tick. It replaces one that waits for the same characteristic.
    func write(_ request: WriteRequest, answer: @escaping WaitingUsers<WriteRequest>.Answer) {
        writes.answer(.failure(.refused("a newer value replaced it"))) { $0.wish.hasTarget(of: request) }
        writes.add(request, answer: answer)
    }

    /// Writes the values that wait.
    private func write(_ round: PollMachine.Round, on link: LinkCore) async {
        while machine.mayWrite(in: round, at: loop.now), let write = writes.removeFirst() {
            guard let point = points.first(where: { $0.plan.isTarget(of: write.wish) }) else {
                write.answer(.failure(.refused(ReadingFailure.noCharacteristic.message)))
                continue
            }
            write.answer(await self.write(write.wish.value, to: point, in: round, on: link))
        }
    }

    private func write(
        _ value: ValueText, to point: BoundPoint, in round: PollMachine.Round, on link: LinkCore
    ) async -> Result<[UInt8], ReadingFailure> {
        let flags = point.plan.characteristic.flags
        guard flags.contains(where: { $0.hasPrefix("write") }) else {
            return .failure(.refused("the device doesn't allow to write it"))
        }
        let bytes: [UInt8]
        do throws(UserError) { bytes = try value.bytes(for: point.form, of: point.plan.characteristic.uuid) } catch {
            return .failure(.refused(error.message))
        }
        let request = link.core.refusals.begin(point.plan.path, of: link.device, mayNeedPairing: true)
        do throws(BusError) {
            try await link.write(
                bytes, to: point.plan.path, withResponse: flags.contains("write"), within: link.rest(until: round.end))
            link.core.refusals.end(request)
            return .success(bytes)
        } catch {
            guard link.core.refusals.end(request) else { return .failure(ReadingFailure(read: error)) }
            return .failure(machine.pairingWanted(for: point.plan, in: round, isPaired: link.isPaired, at: loop.now))
        }
    }

    private func read(_ index: Int, mayNeedPairing: Bool, in round: PollMachine.Round, on link: LinkCore) async {
        let point = points[index]
        let isPaired = link.isPaired
        for attempt in 1...Self.busyAttempts where machine.isCurrent(round) {
            let request = link.core.refusals.begin(point.plan.path, of: link.device, mayNeedPairing: mayNeedPairing)
            do throws(BusError) {
                let bytes = try await link.read(point.read(on: link, at: loop.now, until: round.end))
                link.core.refusals.end(request)
                let misfit = readings.value(bytes, of: point, tick: round.tick.number)
                return machine.read(
                    index, plan: point.plan, bytes: bytes, misfit: misfit, in: round, isPaired: isPaired)
            } catch .remote(name: "org.bluez.Error.InProgress", _) where attempt < Self.busyAttempts {
                link.core.refusals.end(request)
                try? await loop.sleep(until: loop.now + .milliseconds(100))
            } catch {
                if link.core.refusals.end(request) {
                    let failure = machine.pairingWanted(
                        for: point.plan, in: round, isPaired: link.isPaired, at: loop.now)
                    return readings.failure(failure, of: point, tick: round.tick.number)
                }
                machine.failed(
                    .read, of: index, error: error, isUp: link.isUp, in: round, isPaired: link.isPaired, at: loop.now)
                // The objects may have changed before BlueZ reports it.
                if machine.isOld { binding.forget() }
                return
            }
        }
    }

    private func converse(_ round: PollMachine.Round, on link: LinkCore) async {
        guard let conversation else { return }
        var outcome = Conversation.Outcome()
        await link.core.refusals.withAgent(if: !link.isPaired) {
            outcome = await conversation.run(on: link, until: round.deadline) { machine.isCurrent(round) }
        }
        readings.answers(
            outcome.answers, by: conversation.recipe, tick: round.tick.number, age: loop.now - conversation.heardAt)
        machine.conversed(outcome, isUp: link.isUp, in: round)
    }

    /// The number of attempts while another program reads the same characteristic.
    private static let busyAttempts = 20

    /// Takes a value that the device sent by itself.
    private func notified(_ path: ObjectPath, bytes: [UInt8]) {
        guard let index = machine.subscriber(of: path) else { return }
        let misfit = readings.value(bytes, of: points[index], tick: 0)
        machine.notified(index, bytes: bytes, misfit: misfit)
        notifiedAt = loop.now
        arrival.open()
    }
}

extension DeviceSetting {
    /// Whether the battery level is configured.
    fileprivate var readsBattery: Bool {
        device.characteristics.isEmpty && recipe == nil || device.characteristics.contains(where: \.isBatteryLevel)
    }
}

extension LinkCore {
    /// The time for a call that ends by a deadline.
    func rest(until end: Uptime) -> Duration { max(.milliseconds(1), min(Timing.read, end - core.loop.now)) }
}
