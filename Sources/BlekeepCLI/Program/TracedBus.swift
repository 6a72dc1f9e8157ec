import Blekeep
import DBus
import Logging
import RunLoop

/// A connection that logs each call: those that fail with `-v`, all with `-vv`.
final class TracedBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let log: Logger

    private init(_ inner: any Bus, _ log: Logger) { (self.inner, self.log) = (inner, log) }

    /// Returns the bus itself when the log leaves its calls out.
    static func around(_ bus: any Bus, log: Logger) -> any Bus { log.logLevel <= .debug ? TracedBus(bus, log) : bus }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let start = loop.now
        do throws(BusError) {
            let reply = try await inner.call(call)
            log.trace("\(Self.name(call)): replied in \(Self.span(loop.now - start))")
            return reply
        } catch {
            log.debug("\(Self.name(call)) failed after \(Self.span(loop.now - start)): \(error.detail)")
            throw error
        }
    }

    func send(_ call: MethodCall) {
        log.trace("\(Self.name(call)): sent")
        inner.send(call)
    }

    func emit(_ signal: Signal) {
        log.trace("\(signal.interface).\(signal.member) of \(signal.path): sent")
        inner.emit(signal)
    }

    private static func name(_ call: MethodCall) -> String { "\(call.interface).\(call.member) of \(call.path)" }

    private static func span(_ span: Duration) -> String {
        DurationText.text(.milliseconds(max(0, span.wholeMilliseconds)))
    }
}
