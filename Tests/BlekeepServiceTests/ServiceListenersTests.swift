import RunLoop
import Testing

@testable import BlekeepService

/// The programs that get signals.
@Suite struct ServiceListenersTests {
    private var listeners = ServiceListeners()

    @Test mutating func thereIsNothingToCheckWithoutAny() {
        #expect(listeners.isEmpty && listeners.nextCheck == .never)
        listeners.heard(":1.5", at: .start)
        listeners.heard(":1.5", at: .start + .seconds(1))
        #expect(listeners.names == [":1.5"] && listeners.nextCheck == .start + ServiceListeners.pause)
        let later = Uptime.start + .seconds(400)
        #expect(listeners.check(at: later) == [":1.5"])
        #expect(listeners.nextCheck == later + ServiceListeners.pause)
        listeners.left(":1.5")
        #expect(listeners.isEmpty && listeners.nextCheck == .never)
    }

    @Test mutating func theOldestMakesRoom() {
        for number in 0...ServiceListeners.maxListeners {
            listeners.heard(.init(unchecked: ":1.\(number)"), at: .start)
        }
        #expect(listeners.names.count == ServiceListeners.maxListeners && listeners.names.first == ":1.1")
    }
}
