import RunLoop

/// A connection that forwards all calls to another one, unless it overrides them.
package protocol ForwardingBus: Bus {
    var inner: any Bus { get }
}

extension ForwardingBus {
    package var loop: RunLoop { inner.loop }
    package var name: BusName { inner.name }
    package var onClose: (() -> Void)? {
        get { inner.onClose }
        set { inner.onClose = newValue }
    }
    package var onPressure: ((ReplyPressure) -> Void)? {
        get { inner.onPressure }
        set { inner.onPressure = newValue }
    }
    package var admits: ((_ sender: BusName) -> Admission)? {
        get { inner.admits }
        set { inner.admits = newValue }
    }
    package func release(_ sender: BusName, answering: Bool) { inner.release(sender, answering: answering) }

    package var isDeaf: Bool {
        get { inner.isDeaf }
        set { inner.isDeaf = newValue }
    }

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] { try await inner.call(call) }
    package func send(_ call: MethodCall) { inner.send(call) }
    package func abandonCalls(below path: ObjectPath) { inner.abandonCalls(below: path) }
    package func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await inner.follow(service, handler: handler)
    }
    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try await inner.followOwner(of: service, handler)
    }
    package func checkOwner(of service: BusName) async throws(BusError) { try await inner.checkOwner(of: service) }
    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        try await inner.listen(service, for: matches)
    }
    package func ignore(_ service: BusName, matches: [SignalMatch]) { inner.ignore(service, matches: matches) }
    package func emit(_ signal: Signal) { inner.emit(signal) }
    package func export(_ object: ExportedObject) { inner.export(object) }
    package func withdraw(_ path: ObjectPath) { inner.withdraw(path) }
    package func own(_ name: BusName) async throws(BusError) -> Bool { try await inner.own(name) }
    package func release(_ name: BusName) async throws(BusError) { try await inner.release(name) }
    package func close() { inner.close() }
}
