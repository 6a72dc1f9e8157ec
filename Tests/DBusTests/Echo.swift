import BusBench
import DBus
import RunLoop

/// An interface to try a bus with.
enum Echo: Interface {
    static let name: InterfaceName = "test.Echo"
    static let echo: Method<Variant, Variant> = method("Echo")
    static let wait: Method<UInt32, UInt32> = method("Wait")
    static let fail: Method<Nothing, String, String> = method("Fail")
    static let nest: Method<Variant, UInt32> = method("Nest")
    static let pad: Method<[UInt8], UInt32> = method("Pad")
    static let count: Property<UInt32> = property("Count", access: .readwrite)
    static let label: Property<String> = property("Label")

    static let members: [any Member] = [echo, wait, fail, nest, pad, count, label]
}

/// A service with one such object.
final class EchoService: @unchecked Sendable {
    static let service: BusName = "test.service"
    static let path: ObjectPath = "/test/echo"

    let bus: any Bus
    private(set) var inProgress = 0
    private(set) var maxUnderWay = 0
    var count: UInt32 = 0
    /// Whether it dies as soon as it has answered.
    var answersOnce = false

    private init(_ bus: any Bus) { self.bus = bus }

    /// On a connection of its own, with its name.
    static func make(_ bench: Bench) async throws -> EchoService {
        let service = EchoService(try await bench.connect())
        service.bus.export(ExportedObject(.root, isManager: true))
        service.bus.export(ExportedObject(path, [service.makeInterface()]))
        _ = try await service.bus.own(Self.service)
        return service
    }

    private func makeInterface() -> ExportedInterface {
        let interface = ExportedInterface(Echo.self)
        interface.handle(Echo.echo) { [unowned self] call in
            call.reply(call.arguments)
            if self.answersOnce { self.bus.close() }
        }
        interface.handle(Echo.wait) { [unowned self] in self.wait($0) }
        interface.handle(Echo.fail) { call in
            call.fail(String(call.arguments[0]) ?? "", message: String(call.arguments[1]) ?? "")
        }
        interface.handle(Echo.nest) { call in
            let depth = UInt32(call.arguments[0]) ?? 0
            call.reply([(1..<max(1, depth)).reduce(Value.variant(.byte(0))) { value, _ in .variant(value) }])
        }
        interface.handle(Echo.pad) { $0.reply([UInt8](repeating: 7, count: Int(UInt32($0.arguments[0]) ?? 0))) }
        interface.serveOwned(Echo.count.name) { [unowned self] _ in self.count.value }
        interface.serveOwned(Echo.label.name) { _ in "label".value }
        interface.accept(Echo.count) { [unowned self] count in
            self.count = count
            return count < 100
        }
        return interface
    }

    /// Answers with the number of milliseconds, after them; never when they are too many for 32 bits.
    private func wait(_ call: Invocation) {
        inProgress += 1
        maxUnderWay = max(maxUnderWay, inProgress)
        guard let pause = UInt32(call.arguments[0]), pause < .max else { return }
        bus.loop.schedule(at: bus.loop.now + .milliseconds(Int(pause))) { [self] in
            inProgress -= 1
            call.reply(pause)
        }
    }

    func tell(_ count: UInt32) {
        self.count = count
        bus.emit(Self.change(count))
    }

    /// Returns a signal that any program could forge for this object.
    static func change(_ count: UInt32) -> Signal {
        let properties: Properties = [Echo.count.name.text: Variant(count)]
        return Signal(
            path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
            arguments: [Echo.name.text.value, properties.value, [String]().value])
    }
}

extension Duration {
    /// Longer than any answer takes, also on a machine that has much else to do.
    static var patience: Duration { .seconds(120) }
}

extension Bus {
    /// The echo object as a client sees it.
    var echo: RemoteObject { object(EchoService.service, at: EchoService.path) }
}

/// Returns the BusError of an action; `nil` when it succeeds.
func failure(_ action: () async throws(BusError) -> Void) async -> BusError? {
    do throws(BusError) {
        try await action()
        return nil
    } catch { return error }
}
