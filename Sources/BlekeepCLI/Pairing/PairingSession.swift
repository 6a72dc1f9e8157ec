import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepLog
import BlekeepOutputs
import DBus
import Glibc
import Logging
import RunLoop

/// The loop and the central of `pair` and `forget`. Ctrl-C and `--timeout` end them cleanly.
final class PairingSession: @unchecked Sendable {
    let loop: RunLoop
    private(set) var device: DeviceConfiguration
    private let options: GlobalOptions
    private let configuration: Configuration?
    private var cancel: (() -> Void)?
    /// The failure of a command that must end before it's done.
    private var ending: (any Error)?

    init(_ name: String, _ options: GlobalOptions) throws {
        self.options = options
        // An address needs no configuration. An alias needs one without mistakes.
        let isAddress = (try? DeviceName.resolve(name, among: [])) != nil
        configuration =
            isAddress
            ? (try? Composition.loadConfiguration(options))?.configuration
            : try Composition.loadConfiguration(options)?.configuration
        let configured = configuration?.poll.devices ?? []
        loop = try RunLoop()
        do throws(Failure) { device = try DeviceName.resolve(name, among: configured) } catch {
            guard error.code == .usage, OwnNames.mayBe(name, among: configured) else { throw error }
            device = DeviceConfiguration(address: BluetoothAddress(bits: 0))
            device = try search(name, among: configured, otherwise: error)
        }
    }

    private func search(
        _ name: String, among configured: [DeviceConfiguration], otherwise failure: Failure
    ) throws -> DeviceConfiguration {
        let named = try run("searching for \(Untrusted(name))") {
            try await OwnNames.resolve(name, on: $0, otherwise: failure)
        }
        return configured.first { $0.address == named.address } ?? named
    }

    var adapter: AdapterChoice? { options.adapter ?? device.adapter ?? configuration?.poll.adapter }

    /// Runs `body` with a central, on the calling thread.
    ///
    /// - Parameter work: what it does, such as `removing greenhouse`, for a message when it takes too long.
    func run<T: Sendable>(_ work: String, body: @escaping @Sendable (Central) async throws -> T) throws -> T {
        if let limit = options.timeout?.duration {
            loop.schedule(at: loop.now + limit) { [unowned self] in
                let failure = Failure(after: limit, while: work)
                self.end(failure) { failure.exit() }
            }
        }
        do {
            return try loop.runCommand(onEnd: { [unowned self] number in
                self.end(ExitCode(128 + number)) { exit(128 + number) }
            }) { [self] in try await perform(body) }
        } catch {
            throw ending ?? Failure(pairing: error, device.address)
        }
    }

    /// Cancels the work, and ends the process when the work doesn't end soon.
    private func end(_ failure: any Error, exit: @escaping () -> Void) {
        guard ending == nil else { return }
        ending = failure
        cancel?()
        loop.schedule(at: loop.now + CommandContext.maxEnd, exit)
    }

    private func perform<T: Sendable>(_ body: @escaping @Sendable (Central) async throws -> T) async throws -> T {
        let loop = loop
        let log = Logger.standardError(level: options.level)
        let central = try await Central.open(adapter, on: loop, connect: Composition.bus(options, on: loop, log: log))
        defer { central.close() }
        let work = Task(executorPreference: loop) { try await body(central) }
        cancel = { work.cancel() }
        if ending != nil { work.cancel() }
        let outcome = await work.result
        await central.settle()
        return try outcome.get()
    }
}

extension Failure {
    /// Creates the failure of a pairing, with the next step for the user.
    init(pairing error: any Error, _ address: BluetoothAddress) {
        switch error {
        case let error as PairingError: self.init(error, address)
        case let error as BluetoothError: self.init(error)
        case let failure as Failure: self = failure
        default: self.init(.allFailed, Untrusted("\(error)", limit: 1000).description)
        }
    }

    init(_ error: PairingError, _ address: BluetoothAddress) {
        let hint: String? =
            switch error.reason {
            case .needsPasskey:
                "run 'blekeep pair \(address)' at a terminal, or pass it: 'blekeep pair \(address) --passkey-stdin'"
            case .needsUser: "run 'blekeep pair \(address)' at a terminal"
            case .passkeyNotNeeded: "'blekeep pair \(address)'"
            case .bondLost: "'blekeep forget \(address)', then 'blekeep pair \(address)'"
            case .blocked: "'bluetoothctl unblock \(address)'"
            default: nil
            }
        self.init(
            error.reason == .noBluez ? .noBluez : .pairing,
            Untrusted(error.description, limit: 1000).description + (hint.map { ": \($0)" } ?? ""))
    }
}
