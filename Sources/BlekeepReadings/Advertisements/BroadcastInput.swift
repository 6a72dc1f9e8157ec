/// What a format decodes.
struct BroadcastInput {
    let bytes: [UInt8]
    let source: AdvertisedData.Source
    /// The whole advertisement.
    let data: AdvertisedData
    let key: AdvertisementKey?
    /// Whether a user chose the format.
    let isChosen: Bool

    /// The company number; `nil` for service data.
    var company: UInt16? { if case .company(let number) = source { number } else { nil } }

    /// The manufacturer data with its company number. Some devices send values instead of the number.
    var bytesWithCompany: [UInt8] {
        guard let company else { return bytes }
        return [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + bytes
    }
}
