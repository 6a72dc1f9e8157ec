import BlekeepBluetooth
import RunLoop

extension Link {
    /// Asks a device for what it keeps in its own memory since a time.
    ///
    /// The download has what came until the device said that it is over, until nothing came any more, or until the connection
    /// or the log's `session` ended.
    ///
    /// - Parameters:
    ///   - recipe: one with a log.
    ///   - since: seconds since 1970.
    ///   - limit: when it ends at the latest.
    ///   - wallTime: returns milliseconds since 1970.
    ///   - onProgress: called after each packet with the number of records so far.
    /// - Returns: the download, and why it isn't complete; `nil` for one of a recipe without a log.
    package func download(
        by recipe: Recipe, since: Int64, of device: DeviceConfiguration, until limit: Uptime,
        wallTime: @escaping @Sendable () -> Int64,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> (LogDownload, ReadingFailure?)? {
        guard let log = recipe.log else { return nil }
        return await link.core.onLoop { core in
            let loop = core.loop
            let end = min(limit, loop.now + log.session)
            await self.awaitQuiet(log, of: device, until: end, wallTime: wallTime)
            var download = LogDownload(log, now: wallTime() / 1000, since: since)
            guard let asking = recipe.asking(log, for: log.bytes(now: download.now, since: since)) else {
                return (download, ReadingFailure(.badAnswer, "the request would clear the device's memory"))
            }
            var lastHeardAt = loop.now
            let outcome = await self.listen(by: asking, to: log, of: device, until: end, wallTime: wallTime) {
                lastHeardAt = loop.now
                download.receive($0, isControl: $1)
                onProgress(download.count)
                guard let alive = log.keepAlive, !$1, !download.isOver, download.packets % alive.packets == 0 else {
                    return
                }
                self.letGoOn(alive, log.request)
            } while: {
                !download.isOver && loop.now - lastHeardAt < log.within
            }
            switch download.state {
            case .complete: return (download, nil)
            case .failed: return (download, ReadingFailure(.noAnswer, "the device gave up, or packets got lost"))
            case .open: break
            }
            let isSilent = self.link.isUp && loop.now - lastHeardAt >= log.within
            let silence = "the device sent nothing for \(DurationText.text(log.within))"
            return (download, isSilent ? ReadingFailure(.noAnswer, silence) : outcome.failure ?? .usedUp)
        }
    }
}

extension Link {
    /// Waits until nothing comes any more: the device may still answer the request of a program that was killed, and the end of
    /// that would look like the end of this one's.
    private func awaitQuiet(
        _ log: Recipe.Log, of device: DeviceConfiguration, until end: Uptime, wallTime: @escaping @Sendable () -> Int64
    ) async {
        var listening = Recipe(name: "", title: "")
        listening.steps = [Recipe.Step(.subscribe(log.source)), Recipe.Step(.pause(Self.quiet))]
        var isQuiet = false
        while !isQuiet, link.isUp, link.core.loop.now < end {
            isQuiet = true
            _ = await listen(by: listening, to: log, of: device, until: end, wallTime: wallTime) { packet, _ in
                if !log.skips(packet) { isQuiet = false }
            } while: {
                true
            }
        }
    }

    private static let quiet: Duration = .seconds(1)

    /// Lets the device go on. One that doesn't get it stops, and so the download ends by its silence.
    ///
    /// - Parameter request: that of the log, which goes to the same characteristic.
    private func letGoOn(_ alive: Recipe.Log.KeepAlive, _ request: Recipe.Write) {
        let target = link.tree.characteristics.first {
            $0.isWritable && RecipeCharacteristic($0.uuid, in: $0.service).isOne(of: request.characteristic)
        }
        guard let target else { return }
        let withResponse = request.withResponse ?? target.flags.contains("write")
        Task(executorPreference: link.core.loop) {
            try? await self.link.write(alive.sent, to: target.path, withResponse: withResponse)
        }
    }

    /// Holds a conversation, and passes on what the log's characteristics notify. On the loop.
    private func listen(
        by recipe: Recipe, to log: Recipe.Log, of device: DeviceConfiguration, until end: Uptime,
        wallTime: @escaping @Sendable () -> Int64, receive: @escaping ([UInt8], _ isControl: Bool) -> Void,
        while goesOn: () -> Bool
    ) async -> Conversation.Outcome {
        let conversation = DeviceConversation(recipe, of: device, on: link.core.loop, wallTime: wallTime) { exchange in
            guard exchange.kind == .notified else { return }
            if exchange.characteristic.isOne(of: log.source) { return receive(exchange.bytes, false) }
            if let control = log.control, exchange.characteristic.isOne(of: control) { receive(exchange.bytes, true) }
        }
        defer { conversation.unbind() }
        var outcome = Conversation.Outcome()
        await link.core.refusals.withAgent(if: !link.isPaired) {
            outcome = await conversation.run(on: self.link, until: end, while: goesOn)
        }
        return outcome
    }
}

extension Recipe {
    /// The conversation that asks for a log, and then only listens; `nil` for a request that would clear the memory.
    fileprivate func asking(_ log: Log, for request: [UInt8]) -> Recipe? {
        guard !mayClear([.bytes(request)]) else { return nil }
        var write = log.request
        write.bytes = [.bytes(request)]
        var asking = Recipe(name: name, title: title)
        (asking.needsBond, asking.timeout, asking.tries) = (needsBond, log.session, 1)
        // Each notification wakes a pause, which looks whether that was all.
        let pause = Step(.pause(log.session / Self.looks))
        asking.steps = ([log.source] + (log.control.map { [$0] } ?? [])).map { Step(.subscribe($0)) }
        asking.steps += [
            Step(.write(write)), Step(.loop(RecipeNumber(Self.looks), first: 0, [pause])),
        ]
        return asking
    }

    private static let looks = Conversation.maxRounds
}
