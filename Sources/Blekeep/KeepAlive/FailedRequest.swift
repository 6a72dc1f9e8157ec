import DBus
import RunLoop

/// A request that ended with an error, and what that asks for.
struct FailedRequest: Sendable {
    let request: PointMemory.Request
    let error: BusError
    let remedy: Remedy
    /// Whether BlueZ says that the link is there.
    let isUp: Bool

    init(_ request: PointMemory.Request, _ error: BusError, isUp: Bool) {
        self.request = request
        self.error = error
        self.isUp = isUp
        remedy = Remedy(error)
    }

    /// How the tick ends with it, if it does.
    var ending: Remedy? {
        switch remedy {
        case .rediscover where isOnlyTheCharacteristic: nil
        case .relink, .rediscover, .wait: remedy
        case .pairing, .unsupported, .stale: nil
        // Whatever the answer says: the link may have gone, with it or before it.
        default: request == .read && !isUp ? .relink : nil
        }
    }

    /// Whether only the characteristic went: the others are there, or it is, in another place.
    private var isOnlyTheCharacteristic: Bool { remedy == .rediscover && request == .read && isUp }

    /// Writes down what it says of a characteristic, and of the device's objects.
    func note(in device: inout DevicePoints, _ place: Int, at now: Uptime) {
        let plan = device[place].plan
        if request == .read {
            device.failed(plan, error, remedy, at: now)
        } else {
            device[place].isSubscribed = false
        }
        if isOnlyTheCharacteristic { device.isOld = true }
        if remedy == .unsupported { device[plan].unsupported(request, at: now) }
    }
}
