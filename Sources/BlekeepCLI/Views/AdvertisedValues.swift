import Blekeep
import BlekeepOutputs

/// The decoded values of an advertisement, or the device's maker when the format is unknown.
struct AdvertisedValues {
    private(set) var broadcasts: [(name: String, measurements: [Measurement])] = []
    private var makers: [String] = []

    /// The company number that is reserved for tests.
    private static let nobody: UInt16 = 0xFFFF

    /// What keeps encrypted values secret.
    private static let words: [DecodeError: String] = [
        .key: "encrypted", .authentication: FailureCode.badKey.rawValue, .plain: FailureCode.notEncrypted.rawValue,
    ]

    /// - Parameter packets: the newest of each source.
    init(_ packets: [BroadcastDecoder.Packet]) {
        for packet in packets {
            switch packet.result {
            case .success(let found)?:
                add(found)
                continue
            case .failure(let error)?:
                guard let word = Self.words[error] else { break }
                broadcasts.append((packet.format?.name ?? "", [Measurement(field: word, value: nil, state: word)]))
            case nil: break
            }
            if case .company(let company) = packet.source, company != Self.nobody {
                makers.append(CompanyNames.text(company))
            }
        }
    }

    /// Adds values to those of the same format from another source. Of two with the same name, the last one counts.
    private mutating func add(_ found: Broadcast) {
        let new = found.measurements
        guard let index = broadcasts.firstIndex(where: { $0.name == found.format.name }) else {
            return broadcasts.append((found.format.name, new))
        }
        broadcasts[index].measurements.removeAll { old in new.contains { $0.field == old.field } }
        broadcasts[index].measurements += new
    }

    /// The values of what BlueZ shows of a device.
    init(_ data: AdvertisedData, key: AdvertisementKey? = nil) {
        var decoder = BroadcastDecoder(key: key)
        self.init(decoder.decode(data, change: .known))
    }

    /// Whether there are values, and not only encrypted ones.
    var isReadable: Bool {
        broadcasts.contains { $0.measurements.contains { value in !Self.words.values.contains { $0 == value.state } } }
    }

    /// Whether there are values of a known format, encrypted or not.
    var isKnown: Bool { !broadcasts.isEmpty }

    /// Whether all values are encrypted, with another key if one was given.
    var isEncrypted: Bool { isKnown && !isReadable }

    var formats: [String] { broadcasts.map(\.name) }

    /// One line of text; empty when nothing is known.
    var text: String {
        let values = broadcasts.map { name, measurements in "\(name): \(MeasurementText.text(measurements))" }
        return (values + makers).joined(separator: "; ")
    }

    /// The items for a narrow column: the climate first, long values and the format last. A temperature needs no name.
    var items: [String] {
        let climate = ["temperature", "humidity"]
        let measurements = broadcasts.flatMap(\.measurements)
        let sorted =
            climate.flatMap { field in measurements.filter { $0.field == field } }
            + measurements.filter { !climate.contains($0.field) }
        let values = sorted.filter { !$0.isFlags && $0.field != "mac" }.map { value in
            let isClear = value.field == "temperature" || value.state != nil && value.state == value.field
            let text = MeasurementText.text([value])
            return isClear ? text : "\(Untrusted(value.field)) \(text)"
        }
        let isShort = { (item: String) in DisplayWidth.of(item) <= 24 }
        return values.filter(isShort) + values.filter { !isShort($0) } + broadcasts.map(\.name) + makers
    }

    /// `[{"format":"Ruuvi","fields":{"temperature":{"value":24.3,"unit":"°C"}}}]`; `nil` when no format is known.
    var json: JSON? {
        guard !broadcasts.isEmpty else { return nil }
        return .array(
            broadcasts.map { name, measurements in
                .object([
                    "format": .text(name),
                    "fields": .fields(measurements),
                ])
            })
    }
}

/// The names of companies, or the numbers of companies without a name.
enum CompanyNames {
    static func text(_ company: UInt16) -> String {
        AssignedNumbers.companyName(company) ?? "company 0x\(String(hex: company, width: 4))"
    }

    /// Returns names by number, for the numbers in `manufacturer_data`; `nil` when none has a name.
    static func json(_ data: [UInt16: [UInt8]]) -> JSON? {
        let names = data.keys.sorted().compactMap { company in
            AssignedNumbers.companyName(company).map { name in
                (key: String(hex: company, width: 4), value: JSON?.some(.text(name)))
            }
        }
        return names.isEmpty ? nil : .object(names)
    }
}
