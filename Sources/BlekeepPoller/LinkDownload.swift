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
    ///   - wallTime: returns milliseconds since 1970.
    ///   - onProgress: called after each packet with the number of records so far.
    /// - Returns: the download, and why it isn't complete; `nil` for one of a recipe without a log.
    package func download(
        by recipe: Recipe, since: Int64, of device: DeviceConfiguration, wallTime: @escaping @Sendable () -> Int64,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> (LogDownload, ReadingFailure?)? {
        guard let log = recipe.log else { return nil }
        return await link.core.onLoop { core in
            let loop = core.loop
            var download = LogDownload(log, now: wallTime() / 1000, since: since)
            var lastHeardAt = loop.now
            let asking = recipe.asking(log, for: log.bytes(now: download.now, since: since))
            guard let asking else {
                return (download, ReadingFailure(.badAnswer, "the request would clear the device's memory"))
            }
            let conversation = DeviceConversation(asking, of: device, on: loop, wallTime: wallTime) { exchange in
                guard exchange.kind == .notified, exchange.characteristic.isOne(of: log.source) else { return }
                lastHeardAt = loop.now
                download.receive(exchange.bytes)
                onProgress(download.count)
            }
            defer { conversation.unbind() }
            var outcome = Conversation.Outcome()
            await core.refusals.withAgent(if: !self.link.isPaired) {
                outcome = await conversation.run(on: self.link, until: loop.now + log.session) {
                    !download.isOver && loop.now - lastHeardAt < log.within
                }
            }
            switch download.state {
            case .complete: return (download, nil)
            case .failed: return (download, ReadingFailure(.noAnswer, "the device gave up"))
            case .open: break
            }
            let isSilent = self.link.isUp && loop.now - lastHeardAt >= log.within
            let silence = "the device sent nothing for \(DurationText.text(log.within))"
            return (download, isSilent ? ReadingFailure(.noAnswer, silence) : outcome.failure ?? .usedUp)
        }
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
        asking.steps = [
            Step(.subscribe(log.source)), Step(.write(write)), Step(.loop(RecipeNumber(Self.looks), first: 0, [pause])),
        ]
        return asking
    }

    private static let looks = Conversation.maxRounds
}
