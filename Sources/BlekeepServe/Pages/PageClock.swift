import BlekeepOutputs
import BlekeepRecords

/// Times on a page. A browser shows them in the reader's zone and ages as they pass; without JavaScript, they stay in the
/// gateway's zone.
struct PageClock: Sendable {
    /// How the script shows a time.
    enum Form: String {
        /// `21:16:05`, with the date unless it is today.
        case moment
        /// `8 s ago`
        case age
        /// `in 22 s`
        case wait
        /// `for 2 h`, and without JavaScript `since 21:16:05`
        case span
    }

    let now: Int64
    /// Returns the seconds that the gateway's clock is ahead of UTC at a time.
    let offset: @Sendable (Int64) -> Int
    /// The gateway's zone, such as `CET, UTC+01:00`.
    let zone: String

    init(now: Int64, offset: @escaping @Sendable (Int64) -> Int = LocalTime.offset, zone: String? = nil) {
        self.now = now
        self.offset = offset
        self.zone = zone ?? Self.zone(LocalTime.zoneName(at: now), offset: offset(now))
    }

    func time(_ time: Int64, as form: Form) -> Markup {
        """
        <time datetime="\(UTCTime(milliseconds: time).iso)" data-as="\(form.rawValue)">\(form == .span ? "since " : "")\(local(time))</time>
        """
    }

    /// Returns the gateway's time, with the date unless it is today.
    func local(_ time: Int64) -> String {
        UTCTime(milliseconds: time, offset: offset).clock(now: UTCTime(milliseconds: now, offset: offset))
    }

    static func zone(_ name: String, offset: Int) -> String {
        guard offset != 0 else { return name.isEmpty ? "UTC" : name }
        let minutes = offset.magnitude / 60
        let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let distance = "UTC\(offset < 0 ? "-" : "+")\(digits)"
        return name.isEmpty ? distance : "\(name), \(distance)"
    }
}
