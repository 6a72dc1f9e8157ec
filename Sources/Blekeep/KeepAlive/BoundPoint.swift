import DBus
import RunLoop

/// A characteristic that is polled, with the call that reads it and what is known of its values.
final class BoundPoint {
    let plan: PointPlan
    private(set) var form: ValueForm
    /// Whether the device was asked what no layout says.
    private(set) var isDescribed: Bool
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    /// - Parameter within: how long a read may take.
    init(_ plan: PointPlan, on link: LinkCore, within: Duration, layout: LayoutDecoder?) {
        self.plan = plan
        self.within = within
        usual = link.reading(plan.path, within: within)
        form = ValueForm(of: plan.characteristic.uuid, layout: layout)
        isDescribed = layout != nil || plan.characteristic.descriptors.isEmpty
    }

    /// The call that reads it, to end by then at the latest.
    func read(on link: LinkCore, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return link.reading(plan.path, within: max(.milliseconds(1), end - now))
    }

    /// Asks the device itself what its value means, where no layout says so; again on the next link if it does not tell.
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
