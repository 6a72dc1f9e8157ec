import DBus
import RunLoop

/// The state of a connection that ``Peripheral/keepConnected()`` keeps.
public enum ConnectionState: Sendable, CustomStringConvertible {
    /// blekeep searches for the device, or connects it, for the first time.
    case connecting
    /// The device is connected, and BlueZ knows its services. Use the link until the next state.
    case connected(Link)
    /// The connection ended, or an attempt to connect failed.
    case disconnected(Disconnection)
    /// blekeep tries again.
    case reconnecting

    /// The state in words, with the reason of a disconnection.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnected(let disconnection): "disconnected: \(disconnection)"
        case .reconnecting: "reconnecting"
        }
    }
}

/// The reason why a device isn't connected, and the time of the next attempt.
public struct Disconnection: Sendable, Hashable, CustomStringConvertible {
    /// The failure: `link` when the connection ended or an attempt failed; `notFound` when blekeep doesn't hear the device;
    /// `timedOut`; `adapterOff`, `noAdapter` or `noBluez`; `pairing` when the keys of a pairing are lost.
    public var error: BluetoothError
    /// The cause that BlueZ reports for the end of an open connection; `nil` when BlueZ is older than 5.83, or when an attempt
    /// failed.
    public var end: LinkEnd?
    /// The time until the next attempt; `nil` when blekeep waits until the adapter is on and bluetoothd runs.
    public var pause: Duration?

    /// A sentence for users.
    public var description: String { error.description }
}

/// The cause of a connection's end, from BlueZ's signal `Device1.Disconnected`, since 5.83.
public enum LinkEnd: String, Sendable, Hashable, CaseIterable {
    /// The device fell silent: it is out of range or off.
    case timeout
    /// Another program on this machine ended it, or turned the adapter off.
    case local
    /// The device ended it.
    case remote
    /// Encryption failed. Perhaps one side lost the keys of the pairing.
    case authentication
    /// This machine is about to sleep.
    case suspend
    /// BlueZ doesn't say.
    case unknown

    /// - Parameter reason: such as `org.bluez.Reason.Timeout`.
    init(_ reason: String) {
        // The word after the last dot.
        let begin = reason.utf8.lastIndex(of: UInt8(ascii: ".")).map(reason.utf8.index(after:)) ?? reason.startIndex
        self = LinkEnd(rawValue: reason[begin...].lowercased()) ?? .unknown
    }

    /// The shortest pause before the next attempt.
    package var pause: Duration {
        switch self {
        // The device disconnected on purpose.
        case .remote: .seconds(5)
        // Another program on this machine disconnected.
        case .local: .seconds(60)
        case .timeout, .authentication, .suspend, .unknown: .seconds(1)
        }
    }

    package var message: String {
        switch self {
        case .timeout: "the device stopped responding"
        case .local: "another program on this machine ended it"
        case .remote: "the device ended it"
        case .authentication: "the keys of the pairing didn't match"
        case .suspend: "the machine was about to sleep"
        case .unknown: "it ended, and BlueZ gave no reason"
        }
    }
}

extension Peripheral {
    /// Connects to the device, and connects it again whenever the connection ends, for as long as you have the sequence.
    ///
    /// ```swift
    /// for await state in central.peripheral(address).keepConnected() {
    ///     print(state)
    ///     guard case .connected(let link) = state else { continue }
    ///     print(try await link.read(BluetoothUUID(0x2A19)))
    /// }
    /// ```
    ///
    /// The states come in this order: `connecting`; then `connected`, unless the attempt fails; `disconnected` with the reason;
    /// `reconnecting`; `connected` or `disconnected`; and so on. blekeep tries for ever, also after `pairing`, and an attempt
    /// takes as long as one of `withLink`.
    ///
    /// Pauses between attempts grow from 1 s to 40 s, and start at 1 s again after a connection of a minute. They are at least
    /// 5 s after the device disconnected, and 60 s after another program disconnected it. When the adapter is off or missing,
    /// or bluetoothd doesn't run, blekeep waits for them instead; if that happens during a pause, `disconnected` comes again,
    /// with that reason.
    ///
    /// The sequence buffers 16 states, and drops the oldest when your loop falls behind. It ends with the central's connection
    /// to the message bus: make a new `Central` then. When you drop the sequence, or cancel its task, blekeep disconnects.
    /// As in `withLink`, a connection of another program is used, and stays open.
    public func keepConnected() -> AsyncStream<ConnectionState> {
        core.sequence { states in await KeptConnection(self, states).run() }
    }
}

/// A connection that is made again whenever it ends. On the loop.
final class KeptConnection: @unchecked Sendable {
    private let peripheral: Peripheral
    private let states: AsyncStream<ConnectionState>.Continuation
    private var pause = RetryPause()
    /// The device's object during an attempt and a connection, and whether the central must end that connection.
    private var use: (path: ObjectPath, isOwn: Bool)?
    private var end: LinkEnd?

    /// After a connection of this length, the pauses start at 1 s again.
    static let steady: Duration = .seconds(60)

    init(_ peripheral: Peripheral, _ states: AsyncStream<ConnectionState>.Continuation) {
        self.peripheral = peripheral
        self.states = states
    }

    private var core: CentralCore { peripheral.core }

    /// Keeps the connection until the task is cancelled, or until the client of BlueZ is closed.
    func run() async {
        core.kept[ObjectIdentifier(self)] = self
        defer { core.kept[ObjectIdentifier(self)] = nil }
        states.yield(.connecting)
        while true {
            let error = await withTaskCancellationHandler {
                await connect()
            } onCancel: {
                core.loop.perform { self.release() }
            }
            if Task.isCancelled { return }
            if outage == nil {
                let time = max(pause.next(), end?.pause ?? .zero)
                states.yield(.disconnected(Disconnection(error: error, end: end, pause: time)))
                await core.wait(until: core.loop.now + time) { outage != nil }
            }
            if Task.isCancelled { return }
            if let outage {
                states.yield(.disconnected(Disconnection(error: outage, end: end)))
                await awaitAdapter()
            }
            if Task.isCancelled || core.isOver { return }
            states.yield(.reconnecting)
        }
    }

    /// BlueZ reports why a connection is about to end.
    func ended(_ path: ObjectPath, because end: LinkEnd) { if use?.path == path { self.end = end } }

    /// Connects once, and waits for the end of the connection. Returns the reason why there is no connection any more.
    private func connect() async -> BluetoothError {
        end = nil
        defer { release() }
        do throws(BluetoothError) {
            let path = try await peripheral.find()
            if Task.isCancelled { return BluetoothError(.link, "cancelled") }
            use = (path, core.use(path))
            try await peripheral.connect(path)
            if Task.isCancelled { return BluetoothError(.link, "cancelled") }
            states.yield(.connected(Link(LinkCore(core, path))))
            let start = core.loop.now
            await core.wait(until: .never) { core.isOver || !core.isConnected(path) }
            if core.loop.now - start >= Self.steady { pause.succeed() }
            return BluetoothError(.link, "the connection ended" + (end.map { ": \($0.message)" } ?? ""))
        } catch { return error }
    }

    /// Waits until the adapter is on, and asks the message bus to start bluetoothd if it doesn't run.
    private func awaitAdapter() async {
        while !Task.isCancelled, !core.isOver, let kind = outage?.code {
            let isBluezGone = kind == .noBluez
            await core.wait(until: isBluezGone ? core.loop.now + pause.next() : .never) {
                core.isOver || outage?.code != kind
            }
            guard isBluezGone, outage?.code == kind, !Task.isCancelled, !core.isOver else { continue }
            try? await core.activate(within: .seconds(25))
        }
    }

    /// Gives up the connection, which ends it when no other user has it.
    private func release() {
        if let use, use.isOwn { core.leave(use.path) }
        use = nil
    }

    /// The reason why no device can be connected now; `nil` when the adapter is on.
    private var outage: BluetoothError? {
        if core.adapterState == .noBluez {
            return BluetoothError(.noBluez, core.failure.map { "\($0)" } ?? "bluetoothd stopped")
        }
        do throws(BluetoothError) {
            _ = try core.adapter()
            return nil
        } catch { return error }
    }
}
