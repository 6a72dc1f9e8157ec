import BlekeepBluetooth
import DBus
import RunLoop

/// Asks a device by its recipe: performs the actions of a `Conversation`, one at a time, and passes its notifications on.
final class DeviceConversation {
    let recipe: Recipe
    private let secret: [UInt8]?
    private let loop: RunLoop
    private let wallTime: () -> Int64
    private let news: Gate
    /// The conversation that gets the notifications. One of an ended connection may still wait for its last call.
    private var current: Talk?
    /// The subscriptions of this connection.
    private var listeners: [ObjectPath: NotificationTable.Entry] = [:]
    /// Whether the last conversation ended without its last writes.
    private var owesLast = false
    /// Until when the device needs rest after the last request.
    private var restsUntil = Uptime.start
    /// When a value came last.
    private(set) var heardAt = Uptime.start
    /// Called with each exchange, for a capture; `nil` when nobody records them.
    private var onExchange: ((Exchange) -> Void)?

    private final class Talk {
        var conversation: Conversation
        let link: LinkCore
        /// Those of the device when the conversation began.
        let characteristics: [GattCharacteristic]
        let start: Uptime
        /// Whether one of them is gone.
        var hasMoved = false

        init(
            _ conversation: Conversation, on link: LinkCore, among characteristics: [GattCharacteristic],
            at start: Uptime
        ) {
            self.conversation = conversation
            self.link = link
            self.characteristics = characteristics
            self.start = start
        }

        func handle(_ event: Conversation.Event, at now: Uptime) -> Conversation.Action {
            conversation.handle(event, at: now - start)
        }
    }

    /// - Parameter wallTime: returns milliseconds since 1970.
    init(
        _ recipe: Recipe, of device: DeviceConfiguration, on loop: RunLoop, wallTime: @escaping () -> Int64,
        onExchange: ((Exchange) -> Void)? = nil
    ) {
        self.recipe = recipe
        self.onExchange = onExchange
        secret = device.secret
        self.loop = loop
        self.wallTime = wallTime
        news = Gate(loop)
    }

    /// Call this when the connection ended.
    func unbind() {
        for entry in listeners.values { entry.remove() }
        listeners = [:]
        news.open()
    }

    /// Call this when the device's objects changed. A conversation with objects that are gone ends.
    func objectsChanged() {
        guard let current, !current.hasMoved else { return }
        let paths = Set(current.link.tree.characteristics.map(\.path))
        current.hasMoved = !current.characteristics.allSatisfy { paths.contains($0.path) }
        if current.hasMoved { news.open() }
    }

    /// Holds a conversation on a connection with resolved services.
    ///
    /// - Parameters:
    ///   - deadline: the end of the tick's budget. Only the last writes begin after it.
    ///   - isCurrent: returns whether the connection is still up, and no newer tick began.
    func run(on link: LinkCore, until deadline: Uptime, while isCurrent: () -> Bool) async -> Conversation.Outcome {
        if recipe.needsBond, !link.isPaired {
            var outcome = Conversation.Outcome()
            outcome.failure = .missingPairing(isPaired: false)
            outcome.owesLast = owesLast
            return outcome
        }
        let restEnd = min(restsUntil, deadline)
        while loop.now < restEnd, link.isUp, isCurrent() { await news.wait(until: restEnd) }
        guard loop.now < deadline, link.isUp, isCurrent() else {
            var outcome = Conversation.Outcome()
            outcome.failure = link.isUp && isCurrent() ? .usedUp : .ended
            outcome.owesLast = owesLast
            return outcome
        }
        let characteristics = link.tree.characteristics
        let start = loop.now
        var setting = Conversation.Setting(
            characteristics: characteristics.map { RecipeCharacteristic($0.uuid, in: $0.service) })
        setting.owesLast = owesLast
        setting.secret = secret
        setting.random =
            onExchange == nil ? (0..<Recipe.Piece.maxNonce).map { _ in UInt8.random(in: 0...255) } : RecipeTrial.random
        setting.unixTime = wallTime() / 1000
        setting.timeZone = LocalTime.offset(at: wallTime())
        let talk = Talk(Conversation(recipe, setting), on: link, among: characteristics, at: start)
        current = talk
        defer { if current === talk { current = nil } }
        var action = talk.handle(.begin, at: start)
        var isStopped = false
        while true {
            if case .end(let outcome) = action {
                owesLast = outcome.owesLast
                return outcome
            }
            if case .write(let target, let bytes, _, _) = action {
                record(Exchange(.written, target, bytes, at: loop.now - start), among: setting.characteristics)
            }
            var event = await perform(
                action, among: characteristics, on: link, from: start, until: deadline,
                within: isStopped ? .never : deadline + Timing.beyondBudget, while: isCurrent)
            if case .value = event { heardAt = loop.now }
            record(Exchange(action, event, at: loop.now - start), among: setting.characteristics)
            let isOver = !isCurrent() || !link.isUp
            if isOver || talk.hasMoved {
                let value: [UInt8]? = if case .value(let bytes) = event { bytes } else { nil }
                event = .lost(isOver ? .ended : .moved, value: value)
            } else if loop.now >= deadline, !isStopped {
                isStopped = true
                event = .stop(.usedUp)
            }
            action = talk.handle(event, at: loop.now)
        }
    }

    /// - Parameter characteristics: those of the device; a recipe may name one without its service.
    private func record(_ exchange: Exchange?, among characteristics: [RecipeCharacteristic]) {
        guard var exchange, let onExchange else { return }
        exchange.characteristic =
            characteristics.first { $0.isOne(of: exchange.characteristic) } ?? exchange.characteristic
        onExchange(exchange)
    }

    // MARK: Actions

    /// - Parameters:
    ///   - deadline: the end of a wait.
    ///   - callEnd: the end of a call.
    private func perform(
        _ action: Conversation.Action, among characteristics: [GattCharacteristic], on link: LinkCore,
        from start: Uptime, until deadline: Uptime, within callEnd: Uptime, while isCurrent: () -> Bool
    ) async -> Conversation.Event {
        // Some devices have two with the same UUID: one is for writes, and one for notifications.
        func found(_ wanted: RecipeCharacteristic, for fits: (GattCharacteristic) -> Bool) -> GattCharacteristic? {
            let all = characteristics.filter {
                $0.uuid == wanted.uuid && (wanted.service == nil || wanted.service == $0.service)
            }
            return all.first(where: fits) ?? all.first
        }
        func within(_ end: Duration) -> Duration { max(.milliseconds(1), min(start + end, callEnd) - loop.now) }
        switch action {
        case .read(let wanted, let end):
            guard let characteristic = found(wanted, for: \.isReadable) else { return .failed(.noCharacteristic) }
            return await request(to: characteristic.path, on: link) { () async throws(BusError) in
                .value(try await link.read(link.reading(characteristic.path, within: within(end))))
            }
        case .write(let wanted, let bytes, let withResponse, let end):
            guard let characteristic = found(wanted, for: \.isWritable) else { return .failed(.noCharacteristic) }
            restsUntil = loop.now + recipe.rest
            return await request(to: characteristic.path, on: link) { () async throws(BusError) in
                try await link.write(
                    bytes, to: characteristic.path,
                    withResponse: withResponse ?? characteristic.flags.contains("write"), within: within(end))
                return .done
            }
        case .subscribe(let wanted, let end):
            guard let characteristic = found(wanted, for: \.canNotify) else { return .failed(.noCharacteristic) }
            return await subscribe(to: characteristic, within: within(end), on: link)
        case .listen(let end):
            await news.wait(until: min(start + end, deadline))
            return .resume
        case .pause(let end):
            let end = min(start + end, deadline)
            while loop.now < end, link.isUp, isCurrent(), current?.hasMoved != true { await news.wait(until: end) }
            return .resume
        case .end: return .resume
        }
    }

    private func request(
        to path: ObjectPath, on link: LinkCore, _ call: () async throws(BusError) -> Conversation.Event
    ) async -> Conversation.Event {
        let request = link.core.refusals.begin(path, of: link.device)
        do throws(BusError) {
            let event = try await call()
            link.core.refusals.end(request)
            return event
        } catch {
            // BlueZ asked to pair the device.
            if link.core.refusals.end(request) { return .failed(.missingPairing(isPaired: link.isPaired)) }
            return .failed(ReadingFailure(read: error))
        }
    }

    /// Values may come before the call's reply.
    private func subscribe(
        to characteristic: GattCharacteristic, within: Duration, on link: LinkCore
    ) async -> Conversation.Event {
        let path = characteristic.path
        if listeners[path] != nil { return .done }
        let source = RecipeCharacteristic(characteristic.uuid, in: characteristic.service)
        let entry = link.core.notifications.add(
            at: path, receive: { [unowned self] in notified($0, from: source) },
            end: { [unowned self] in listeners.removeValue(forKey: path)?.remove() })
        listeners[path] = entry
        do throws(BusError) { try await link.adoptRules() } catch {
            entry.remove()
            listeners[path] = nil
            return .failed(ReadingFailure(read: error))
        }
        let event = await request(to: path, on: link) { () async throws(BusError) in
            try await link.startNotify(path, within: within)
            return .done
        }
        if case .failed = event {
            entry.remove()
            listeners[path] = nil
        }
        return event
    }

    private func notified(_ bytes: [UInt8], from source: RecipeCharacteristic) {
        guard let talk = current else { return }
        heardAt = loop.now
        onExchange?(Exchange(.notified, source, bytes, at: loop.now - talk.start))
        talk.conversation.received(bytes, from: source, at: loop.now - talk.start)
        news.open()
    }
}

extension Link {
    /// Holds one conversation with the device, as the poller does at a tick.
    ///
    /// - Parameters:
    ///   - wallTime: returns milliseconds since 1970.
    ///   - onExchange: called with what is sent and what comes, in order.
    package func converse(
        by recipe: Recipe, with device: DeviceConfiguration, wallTime: @escaping @Sendable () -> Int64,
        onExchange: (@Sendable (Exchange) -> Void)? = nil
    ) async -> Conversation.Outcome {
        await link.core.onLoop { core in
            let conversation = DeviceConversation(
                recipe, of: device, on: core.loop, wallTime: wallTime, onExchange: onExchange)
            defer { conversation.unbind() }
            var outcome = Conversation.Outcome()
            await core.refusals.withAgent(if: !self.link.isPaired) {
                outcome = await conversation.run(on: self.link, until: core.loop.now + recipe.timeout) { true }
            }
            return outcome
        }
    }
}

extension Exchange {
    /// What a call brought; `nil` for an action that isn't a call, and for a write, which is recorded when it begins.
    fileprivate init?(_ action: Conversation.Action, _ event: Conversation.Event, at time: Duration) {
        let characteristic: RecipeCharacteristic
        switch action {
        case .read(let source, _), .subscribe(let source, _), .write(let source, _, _, _): characteristic = source
        case .listen, .pause, .end: return nil
        }
        switch (action, event) {
        case (_, .failed(let failure)): self.init(.failed, characteristic, failure: failure.message, at: time)
        case (.read, .value(let bytes)): self.init(.read, characteristic, bytes, at: time)
        case (.subscribe, _): self.init(.subscribed, characteristic, at: time)
        default: return nil
        }
    }
}

extension ReadingFailure {
    fileprivate static let ended = ReadingFailure(.dropped, "the connection ended")
    fileprivate static let moved = ReadingFailure(.services, "the device's services changed meanwhile")
}
