import DBus
import RunLoop

/// A polled characteristic on a connection, with the call that reads it and the format of its values.
final class BoundPoint {
    let plan: PointPlan
    private(set) var form: ValueForm
    /// Whether the format needs no more reads of descriptors.
    private(set) var isDescribed: Bool
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    /// - Parameter within: how long a read may take.
    init(_ plan: PointPlan, on link: LinkCore, within: Duration, layout: LayoutDecoder?) {
        self.plan = plan
        self.within = within
        usual = link.reading(plan.path, within: within)
        form = ValueForm(of: plan.characteristic.uuid, layout: layout)
        form.calibration = plan.calibration
        isDescribed = layout != nil || plan.characteristic.descriptors.isEmpty
    }

    /// Returns the call that reads it, with a deadline of at most `end`.
    func read(on link: LinkCore, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return link.reading(plan.path, within: max(.milliseconds(1), end - now))
    }

    /// Reads the descriptors for a format without a layout. If a read fails, the next connection tries again.
    func describe(on link: LinkCore) async {
        guard !isDescribed else { return }
        let descriptors = plan.characteristic.descriptors
        var isComplete = true
        var described = form
        await described.complete { uuid in
            guard let path = descriptors[uuid] else { return nil }
            let bytes = try? await link.read(descriptor: path, within: .seconds(5))
            isComplete = isComplete && bytes != nil
            return bytes
        }
        form = described
        isDescribed = isComplete
    }
}
