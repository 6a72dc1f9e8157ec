import BlekeepRecords
import RunLoop

/// What the gateways of a fleet retain at the broker, while a command or a page shows it. When the connection ends, it is made
/// again.
package final class FleetWatch {
    package private(set) var view: FleetView
    /// Whether `view` has all that the broker retains.
    package private(set) var isComplete = false
    /// Why there is no connection; `nil` with one, and before the first attempt has ended.
    package private(set) var failure: (any Error)?
    /// Called after each change.
    package var onChange: (() -> Void)?
    package private(set) var visitor: MQTTVisitor
    private let makeVisitor: () -> MQTTVisitor
    private let loop: RunLoop
    private var isConnecting = false
    private var retryAt = Uptime.start

    /// The time between attempts to connect.
    private static let pause: Duration = .seconds(5)

    package init(on loop: RunLoop, makeVisitor: @escaping () -> MQTTVisitor) {
        self.loop = loop
        self.makeVisitor = makeVisitor
        visitor = makeVisitor()
        view = visitor.view
    }

    /// Connects.
    ///
    /// - Parameter done: gets to know whether `view` is complete.
    package func start(_ done: @escaping (Result<Void, any Error>) -> Void = { _ in }) {
        isConnecting = true
        visitor.start { [unowned self] result in
            self.isConnecting = false
            switch result {
            case .success:
                self.failure = nil
                self.isComplete = true
                // Before, the visitor knows only a part of what the broker retains.
                self.visitor.onChange = { [unowned self] in self.update() }
                self.update()
            case .failure(let error): self.fail(error)
            }
            done(result.map { _ in })
        }
    }

    private func update() {
        if let failure = visitor.failure { return fail(failure) }
        view = visitor.view
        onChange?()
    }

    private func fail(_ error: any Error) {
        failure = error
        retryAt = loop.now + Self.pause
        onChange?()
    }

    /// Connects again some time after the connection ended. Call it now and then.
    package func look() {
        guard failure != nil, !isConnecting, loop.now >= retryAt else { return }
        visitor.end()
        visitor = makeVisitor()
        start()
    }

    package func end() {
        onChange = nil
        visitor.end()
    }
}
