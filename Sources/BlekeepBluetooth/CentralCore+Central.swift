import DBus
import RunLoop

/// The part of the client that only a `Central` needs: opening, and the connections of its users.
extension CentralCore {
    static func open(
        _ choice: AdapterChoice?, on loop: RunLoop,
        connect: @escaping @Sendable (RunLoop) async throws(BusError) -> any Bus
    ) async throws(BluetoothError) -> CentralCore {
        let opened: Result<CentralCore, BluetoothError> = await withTaskExecutorPreference(loop) {
            do throws(BusError) {
                let core = CentralCore(on: try await connect(loop), using: choice)
                core.follow()
                if let failure = await core.awaitBluez() {
                    core.close()
                    return .failure(failure)
                }
                return .success(core)
            } catch { return .failure(BluetoothError(.noBluez, "\(error)")) }
        }
        return try opened.get()
    }

    private func follow() {
        Task(executorPreference: loop) { [self] in
            do throws(BusError) { try await run() } catch { failure = error }
            waiters.announce()
        }
    }

    /// Waits until BlueZ's objects are known. Asks the bus to start bluetoothd if it isn't running.
    /// Returns the reason when BlueZ isn't available.
    private func awaitBluez() async -> BluetoothError? {
        await wait(until: loop.now + .milliseconds(500)) { isDecided }
        if !isDecided {
            do throws(BusError) { try await activate(within: .seconds(25)) } catch {
                if Remedy(error) == .denied { return .denied }
                if case .remote = error, !isDecided { return BluetoothError(.noBluez, "bluetoothd isn't running") }
            }
        }
        await wait(until: loop.now + .seconds(20)) { isDecided }
        if mirror.isKnown { return nil }
        if isDenied { return .denied }
        return BluetoothError(.noBluez, failure.map { "\($0)" } ?? "bluetoothd doesn't reply")
    }

    /// Whether BlueZ's objects are known, or why they never will be.
    private var isDecided: Bool { mirror.isKnown || failure != nil || isDenied }

    /// Whether the client was closed, or lost its connection to the message bus. It never works again.
    var isOver: Bool { isClosed || failure != nil }

    /// Runs `body` on the loop until it returns, or until the reader drops the sequence. The sequence has the 16 newest of what
    /// `body` yields.
    func sequence<Element: Sendable>(
        _ body: @escaping @Sendable (AsyncStream<Element>.Continuation) async -> Void
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let task = Task(executorPreference: loop) {
                await body(continuation)
                continuation.finish()
            }
            continuation.onTermination = { [self] _ in
                task.cancel()
                loop.perform { self.waiters.announce() }
            }
        }
    }

    // MARK: Connections of users

    /// Adds a user of the connection to a device. `leave` must follow if this returns `true`.
    /// Returns `false` for a connection that another program made, and that stays.
    func use(_ path: ObjectPath) -> Bool { ownLinks.use(path, isConnected: isConnected(path)) }

    func leave(_ path: ObjectPath) {
        if !isClosed, ownLinks.leave(path) { disconnect(path) }
    }

    /// Waits until released connections are down. BlueZ takes 2 s, and a new user would lose the connection then.
    func settle() async {
        await wait(until: loop.now + .seconds(4)) { ownLinks.released.allSatisfy { !isConnected($0) } }
    }
}
