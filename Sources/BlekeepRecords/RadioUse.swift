/// What blekeep has a sensor's radio do in a time, and an estimate of the charge that this takes from its battery.
///
/// Nobody can measure it from here: a sensor doesn't say how long its connection's interval is, nor how often it advertises. So
/// the charge is a range, a factor of four either way.
package struct RadioUse: Sendable, Hashable {
    /// The time in which all of it was done.
    package var length: Duration
    /// How long adapters scanned actively, and the sensor answered.
    package var scanned: Duration = .zero
    package var connects = 0.0
    /// How long connections were up.
    package var onAir: Duration = .zero
    /// Requests over connections, besides those that find the services.
    package var exchanges = 0.0

    package init(length: Duration) { self.length = length }

    /// What a sensor's radio needs for an event, in µC at 3 V, 0 dBm and 1 Mbit/s. Two makers' chips differ by a factor of two.
    private enum Charge {
        /// Computed from the lengths of the packets; it agrees with "by a quarter" of an advertisement (ATC_MiThermometer#783).
        static let scanAnswer = 3.5
        /// An event of a connection without data: 4.5 to 10 (Espruino#2635, TI's AN092).
        static let connectionEvent = 8.0
        /// Making a connection: 20 to 60; computed.
        static let connection = 30.0
        /// A request and its reply: 4 to 8; computed.
        static let exchange = 5.0
    }

    /// BlueZ asks for 30 to 50 ms, unless main.conf says otherwise.
    private static let connectionInterval: Duration = .milliseconds(40)
    /// Most sensors advertise each one to five seconds.
    private static let advertisingInterval: Duration = .seconds(2)
    /// What finding the services of a device takes.
    private static let exchangesPerConnect = 20.0
    private static let uncertainty = 4.0
    /// A connection for a read, with the 2 s after which BlueZ ends it.
    private static let shortConnection: Duration = .seconds(3)

    /// In mAh a year.
    package var chargePerYear: ClosedRange<Double> {
        // A sensor that is connected mostly doesn't advertise.
        let answered = max(0, scanned / Self.advertisingInterval) * (1 - min(1, onAir / length))
        let microcoulombs =
            answered * Charge.scanAnswer + onAir / Self.connectionInterval * Charge.connectionEvent
            + connects * (Charge.connection + Self.exchangesPerConnect * Charge.exchange) + exchanges * Charge.exchange
        // 3.6 C are 1 mAh. A damaged history may have any counts, also negative ones.
        let perYear = max(0, microcoulombs / 3_600_000 / (length / .seconds(86_400)) * 365)
        return perYear / Self.uncertainty...perYear * Self.uncertainty
    }

    package static let held: RadioUse = {
        var use = RadioUse(length: .seconds(86_400))
        use.onAir = use.length
        return use
    }()

    /// A connection for each read.
    ///
    /// - Parameters:
    ///   - interval: from one read to the next.
    ///   - values: those of a read.
    package static func released(every interval: Duration, values: Double = 2) -> RadioUse {
        var use = RadioUse(length: max(interval, .milliseconds(1)))
        (use.connects, use.onAir, use.exchanges) = (1, min(use.length, shortConnection), values)
        return use
    }
}

/// What a sensor runs on, so that the charge that reading takes is a share of that.
package enum Battery: String, Sendable, CaseIterable {
    case cr2032, cr2450, cr2477
    case twoAAA = "2xaaa"
    case twoAA = "2xaa"
    /// Mains, or a cell of the sun: what reading takes doesn't matter.
    case mains = "none"

    /// What most sensors run on.
    package static let usual = cr2032

    /// Its name on the cell.
    package var label: String {
        switch self {
        case .cr2032, .cr2450, .cr2477: rawValue.uppercased()
        case .twoAAA: "2 AAA"
        case .twoAA: "2 AA"
        case .mains: "mains"
        }
    }

    /// What it holds at 3 V, in mAh: less in the cold, and with pulses; `nil` for mains.
    package var charge: Double? {
        switch self {
        case .cr2032: 220
        case .cr2450: 600
        case .cr2477: 1000
        case .twoAAA: 1000
        case .twoAA: 2500
        case .mains: nil
        }
    }

    /// Returns a charge as a share, without more digits than an estimate has: `0.9 to 14 % of CR2032`.
    ///
    /// - Parameter charge: in mAh.
    package func text(_ charge: ClosedRange<Double>) -> String {
        guard let whole = self.charge else { return label }
        func text(_ share: Double) -> String {
            let percent = max(0, min(1e9, share / whole * 100))
            guard percent < 10 else { return "\(Int((percent / 10).rounded()) * 10)" }
            let tenths = Int((percent * 10).rounded())
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        }
        guard charge.upperBound / whole >= 0.01 else { return "less than 1 % of \(label)" }
        return "\(text(charge.lowerBound)) to \(text(charge.upperBound)) % of \(label)"
    }
}
