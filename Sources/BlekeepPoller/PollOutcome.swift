import DBus
import RunLoop

/// The results of a tick's requests: the poll's result, and the failures to report.
struct PollOutcome: Sendable {
    /// The number of the device's poll or connection.
    private let round: Int
    var result = PollResult()
    /// The failures to report.
    private var reports: [PollAction.Report] = []

    init(round: Int) { self.round = round }

    /// Whether the connection is still up, and no newer poll began.
    func isCurrent(_ device: DevicePoints) -> Bool { device.round == round }

    /// Removes and returns the next failure to report.
    mutating func nextReport() -> PollAction.Report? { reports.isEmpty ? nil : reports.removeFirst() }

    mutating func fail(_ subject: PollAction.Report.Subject, _ failure: ReadingFailure) {
        reports.append(PollAction.Report(subject: subject, failure: failure))
        result.fail(failure)
    }

    mutating func waitForUser(_ index: Int, _ device: inout DevicePoints, _ isPaired: Bool, until end: Uptime) {
        device[device[index].plan].waitForUser(isPaired: isPaired, until: end)
        fail(.point(index), device.pairingFailure(isPaired: isPaired))
    }

    // MARK: Answers

    /// Takes a value. It counts even if the connection ended after it.
    ///
    /// - Parameter misfit: the failure when the bytes don't match the format.
    mutating func read(
        _ device: inout DevicePoints, _ index: Int, _ plan: PointPlan, _ bytes: [UInt8], _ misfit: ReadingFailure?,
        isPaired: Bool
    ) {
        device[plan].permit(.read, isPaired: isPaired)
        device.take(bytes, of: plan, misfit, &result)
        if isCurrent(device) { device[index].hasValue = true }
    }

    /// Takes a failed request.
    ///
    /// - Parameter isUp: whether BlueZ reports the device as connected.
    mutating func failed(
        _ request: PointMemory.Request, _ device: inout DevicePoints, _ index: Int, _ error: BusError, isUp: Bool,
        isPaired: Bool, at now: Uptime
    ) {
        // The connection ended during the request, which proves nothing about the device.
        guard isCurrent(device) else { return }
        let failed = FailedRequest(request, error, isUp: isUp)
        failed.note(in: &device, index, at: now)
        if request == .read {
            result.misfits = device.misfits
            if error == .timedOut { result.silences += 1 }
        }
        guard failed.remedy != .pairing else {
            return waitForUser(index, &device, isPaired, until: now + Timing.waitForUser)
        }
        if let ending = failed.ending { result.ending = ending }
        fail(.point(index), ReadingFailure(read: error))
    }

    /// Takes a read for which BlueZ asked to pair the device. BlueZ doesn't end this request.
    ///
    /// - Returns: the failure to report.
    mutating func pairingWanted(
        _ device: inout DevicePoints, _ plan: PointPlan, isPaired: Bool, at now: Uptime
    ) -> ReadingFailure {
        result.ending = .relink
        device[plan].waitForUser(isPaired: isPaired, until: now + Timing.waitForUser)
        let failure = device.pairingFailure(isPaired: isPaired)
        result.fail(failure)
        return failure
    }

    /// Takes the battery level in percent that BlueZ itself read.
    mutating func batteryRead(_ device: inout DevicePoints, _ percentage: UInt8) {
        device.batteryRead(percentage, &result)
    }
}
