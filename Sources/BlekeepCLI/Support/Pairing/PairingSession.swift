import ArgumentParser
import Blekeep
import BlekeepOutputs
import DBus
import Glibc
import Logging
import RunLoop

/// The loop and the central of `pair`, `forget` and `trust`. Ctrl-C ends them cleanly.
final class PairingSession: @unchecked Sendable {
    let loop: RunLoop
    let device: DeviceConfiguration
    private let options: GlobalOptions
    private let configuration: Configuration?
    private var cancel: (() -> Void)?
    private var signal: Int32?

    init(_ name: String, _ options: GlobalOptions) throws {
        self.options = options
        // An address needs no configuration. An alias needs one without mistakes.
        let isAddress = (try? DeviceName.resolve(name, among: [])) != nil
        configuration =
            isAddress
            ? (try? Composition.loadConfiguration(options))?.configuration
            : try Composition.loadConfiguration(options)?.configuration
        device = try DeviceName.resolve(name, among: configuration?.devices ?? [])
        loop = try RunLoop()
    }

    var layouts: [OwnLayout] { configuration?.layouts ?? [] }
    var adapter: AdapterChoice? { options.adapter ?? device.adapter ?? configuration?.adapter }

    /// Runs `body` with a central, on the calling thread.
    func run<T: Sendable>(_ body: @escaping @Sendable (Central) async throws -> T) throws -> T {
        let end: (Int32) -> Void = { [unowned self] number in
            self.signal = number
            self.cancel?()
            loop.schedule(at: loop.now + CommandContext.longestEnd) { exit(128 + number) }
        }
        do {
            return try loop.runCommand(onEnd: end) { [self] in try await perform(body) }
        } catch {
            if let signal { throw ExitCode(128 + signal) }
            throw Failure(pairing: error, device.address)
        }
    }

    private func perform<T: Sendable>(_ body: @escaping @Sendable (Central) async throws -> T) async throws -> T {
        let loop = loop
        let log = Logger.standardError(level: options.level)
        let central = try await Central.open(
            adapter, on: loop, connect: Composition.bus(options, on: loop, log: log))
        defer { central.close() }
        let work = Task(executorPreference: loop) { try await body(central) }
        cancel = { work.cancel() }
        if signal != nil { work.cancel() }
        let outcome = await work.result
        await central.settle()
        return try outcome.get()
    }
}
