/// When a device advertises: in a rhythm, or only when something happens, as buttons, doors and leak sensors do.
///
/// The silence of a device that sends when something happens says nothing, however long it lasts. BTHome has a bit for that.
/// In other formats, the fields tell: an event, and nothing that is measured in a rhythm.
package struct SendingHabit: Sendable, Hashable {
    private var hasTrigger = false
    private var hasEvents = false
    private var isRegular = false

    package init(isTriggered: Bool = false) { hasEvents = isTriggered }

    /// Whether the device sends only when something happens.
    package var isTriggered: Bool { hasTrigger || hasEvents && !isRegular }

    // What led to it doesn't matter to whom it is shown or stored for.
    package static func == (left: SendingHabit, right: SendingHabit) -> Bool { left.isTriggered == right.isTriggered }
    package func hash(into hasher: inout Hasher) { hasher.combine(isTriggered) }

    mutating func learn(_ broadcast: Broadcast) {
        if case .bthome(let packet) = broadcast, packet.saysWhenItSends {
            return learn(isTriggered: packet.isTriggered)
        }
        for measurement in broadcast.measurements { learn(measurement) }
    }

    /// Takes a reading of an advertisement.
    ///
    /// - Parameters:
    ///   - service: the service of the packet; `nil` for manufacturer data.
    ///   - packet: the bytes that the reading is of.
    package mutating func learn(_ measurement: Measurement, service: BluetoothUUID?, packet: [UInt8]) {
        if service == BTHome.service, let info = packet.first { return learn(isTriggered: BTHome.isTriggered(info)) }
        learn(measurement)
    }

    private mutating func learn(isTriggered: Bool) {
        if isTriggered { hasTrigger = true } else { isRegular = true }
    }

    private mutating func learn(_ measurement: Measurement) {
        if Self.isEvent(measurement.field) {
            hasEvents = true
        } else if Self.isMeasured(measurement) {
            isRegular = true
        }
    }

    private static func isEvent(_ field: String) -> Bool { events.contains { LimitTable.fits($0, field: field) } }

    /// Of such devices, a charge, the light and times come along.
    private static func isMeasured(_ measurement: Measurement) -> Bool {
        measurement.unit != nil && !companions.contains { LimitTable.fits($0, field: measurement.field) }
    }

    /// The fields of buttons, doors, leaks and the like; `*` matches any text.
    private static let events: [Substring] = [
        "button", "button_*", "dimmer", "command", "door", "opening", "window", "garage_door", "moisture_detected",
        "bottom_submersion", "top_splash", "motion", "vibration", "smoke", "gas_detected", "carbon_monoxide",
    ]
    private static let companions: [Substring] = [
        "battery*", "illuminance", "light*", "duration", "idle_time", "rotation",
    ]
}
