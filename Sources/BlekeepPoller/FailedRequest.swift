import DBus
import RunLoop

/// A failed request to a characteristic, and its remedy.
struct FailedRequest: Sendable {
    let request: PointMemory.Request
    let error: BusError
    let remedy: Remedy
    /// Whether BlueZ reports the device as connected.
    let isUp: Bool

    init(_ request: PointMemory.Request, _ error: BusError, isUp: Bool) {
        self.request = request
        self.error = error
        self.isUp = isUp
        remedy = Remedy(error)
    }

    /// The remedy that ends the tick; `nil` when the tick goes on.
    var ending: Remedy? {
        switch remedy {
        case .rediscover where isOnlyTheCharacteristic: nil
        case .relink, .rediscover, .wait: remedy
        case .pairing, .unsupported, .stale: nil
        // For any other error, the connection may have ended.
        default: request == .read && !isUp ? .relink : nil
        }
    }

    /// Whether only the characteristic was removed, or moved to another path.
    private var isOnlyTheCharacteristic: Bool { remedy == .rediscover && request == .read && isUp }

    /// Records the failure in the device's points.
    func note(in device: inout DevicePoints, _ index: Int, at now: Uptime) {
        let plan = device[index].plan
        if request == .read {
            device.failed(plan, error, remedy, at: now)
        } else {
            device[index].isSubscribed = false
        }
        if isOnlyTheCharacteristic { device.isOld = true }
        if remedy == .unsupported { device[plan].unsupported(request, at: now) }
    }
}
