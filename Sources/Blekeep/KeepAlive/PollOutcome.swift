import DBus
import RunLoop

/// What came of one tick's requests: the poll's result, and what is to be written down of those that failed.
struct PollOutcome: Sendable {
    /// Which poll of the device it is, counted with the links that went.
    private let round: Int
    var result = PollResult()
    /// What is to be written down next.
    private var reports: [PollAction.Report] = []

    init(round: Int) { self.round = round }

    /// Whether the link on which the poll began is there, and no other poll has begun since.
    func isCurrent(_ device: DevicePoints) -> Bool { device.round == round }

    /// Takes what is to be written down next.
    mutating func nextReport() -> PollAction.Report? { reports.isEmpty ? nil : reports.removeFirst() }

    mutating func fail(_ subject: PollAction.Report.Subject, _ failure: ReadingFailure) {
        reports.append(PollAction.Report(subject: subject, failure: failure))
        result.fail(failure)
    }

    mutating func park(_ place: Int, _ device: inout DevicePoints, _ isPaired: Bool, until end: Uptime) {
        device[device[place].plan].park(isPaired: isPaired, until: end)
        fail(.point(place), device.pairingFailure(isPaired: isPaired))
    }

    // MARK: Answers

    /// A value was read; it counts also when the link went after it.
    ///
    /// - Parameter misfit: why the bytes don't fit the form that is known of the characteristic.
    mutating func read(
        _ device: inout DevicePoints, _ place: Int, _ plan: PointPlan, _ bytes: [UInt8], _ misfit: ReadingFailure?,
        isPaired: Bool
    ) {
        device[plan].permit(.read, isPaired: isPaired)
        device.take(bytes, of: plan, misfit, &result)
        if isCurrent(device) { device[place].hasValue = true }
    }

    /// A request ended with an error.
    ///
    /// - Parameter isUp: whether BlueZ says that the link is there.
    mutating func failed(
        _ request: PointMemory.Request, _ device: inout DevicePoints, _ place: Int, _ error: BusError, isUp: Bool,
        isPaired: Bool, at now: Uptime
    ) {
        // The link went under the request's feet: that says nothing of the device.
        guard isCurrent(device) else { return }
        let failed = FailedRequest(request, error, isUp: isUp)
        failed.note(in: &device, place, at: now)
        if request == .read {
            result.misfits = device.misfits
            if error == .timedOut { result.silences += 1 }
        }
        guard failed.remedy != .pairing else { return park(place, &device, isPaired, until: now + Timing.parked) }
        if let ending = failed.ending { result.ending = ending }
        fail(.point(place), ReadingFailure(read: error))
    }

    /// BlueZ asked to pair the device during a read. The request is still with BlueZ, which won't end it.
    ///
    /// - Returns: what is to be written down of this point.
    mutating func pairingWanted(
        _ device: inout DevicePoints, _ plan: PointPlan, isPaired: Bool, at now: Uptime
    ) -> ReadingFailure {
        result.ending = .relink
        device[plan].park(isPaired: isPaired, until: now + Timing.parked)
        let failure = device.pairingFailure(isPaired: isPaired)
        result.fail(failure)
        return failure
    }

    /// BlueZ has read of the battery itself, in percent.
    mutating func batteryRead(_ device: inout DevicePoints, _ percentage: UInt8) {
        device.batteryRead(percentage, &result)
    }
}
