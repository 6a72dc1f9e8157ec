import BlekeepRecords
import RunLoop

/// Where gateways say what they do.
package protocol FleetSource: AnyObject {
    /// What they say.
    var view: FleetView { get }

    /// Why the connection ended; `nil` before.
    var failure: (any Error)? { get }

    /// Called after each news, and when the connection ends.
    var onChange: (() -> Void)? { get set }

    /// Connects, and calls `done` later, once, when `view` has all.
    func start(_ done: @escaping (Result<String, any Error>) -> Void)

    /// Lets a device go to a gateway. `done` says whether the gateways will hear of it.
    func move(_ device: DeviceID, to gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void)

    func end()
}

extension MQTTVisitor: FleetSource {}

/// What the gateways of a fleet say at their broker or in their database, while a command or a page shows it. When the
/// connection ends, it is made again.
package final class FleetWatch {
    package private(set) var view: FleetView
    /// Whether `view` has all that the gateways say.
    package private(set) var isComplete = false
    /// Why there is no connection; `nil` with one, and before the first attempt has ended.
    package private(set) var failure: (any Error)?
    /// Called after each change.
    package var onChange: (() -> Void)?
    private var source: any FleetSource
    private let makeSource: () -> any FleetSource
    private let loop: RunLoop
    private var isConnecting = false
    private var retryAt = Uptime.start

    /// The time between attempts to connect.
    private static let pause: Duration = .seconds(5)

    package init(on loop: RunLoop, makeSource: @escaping () -> any FleetSource) {
        self.loop = loop
        self.makeSource = makeSource
        source = makeSource()
        view = source.view
    }

    /// Connects.
    ///
    /// - Parameter done: gets to know whether `view` is complete.
    package func start(_ done: @escaping (Result<Void, any Error>) -> Void = { _ in }) {
        isConnecting = true
        source.start { [unowned self] result in
            self.isConnecting = false
            switch result {
            case .success:
                self.failure = nil
                self.isComplete = true
                // Before, the source knows only a part of what there is.
                self.source.onChange = { [unowned self] in self.update() }
                self.update()
            case .failure(let error): self.fail(error)
            }
            done(result.map { _ in })
        }
    }

    private func update() {
        if let failure = source.failure { return fail(failure) }
        view = source.view
        onChange?()
    }

    private func fail(_ error: any Error) {
        failure = error
        retryAt = loop.now + Self.pause
        onChange?()
    }

    /// Connects again some time after the connection ended, and notices who says nothing any more. Call it now and
    /// then.
    package func look() {
        if isComplete, failure == nil { view = source.view }
        guard failure != nil, !isConnecting, loop.now >= retryAt else { return }
        source.end()
        source = makeSource()
        start()
    }

    package func move(_ device: DeviceID, to gateway: String, _ done: @escaping (Result<Void, any Error>) -> Void) {
        source.move(device, to: gateway, done)
    }

    package func end() {
        onChange = nil
        source.end()
    }
}
