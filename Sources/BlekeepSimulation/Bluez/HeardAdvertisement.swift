/// What BlueZ shows of a device's advertisements: the last signal strength, and all that it heard.
struct HeardAdvertisement {
    /// The signal strength in dBm; `nil` after discovery.
    private(set) var strength: Int16?
    /// The device's name; `nil` until it was heard.
    private(set) var name: String?
    /// The data that BlueZ shows. It keeps earlier keys, unless a client wants repeated data.
    private(set) var shown = SimulatedBroadcast()

    /// The properties that an advertisement changes, as BlueZ reports them.
    struct News: Equatable {
        var strength = false
        var name = false
        var manufacturerData = false
        var serviceData = false
    }

    /// Takes an advertisement.
    ///
    /// - Parameters:
    ///   - name: `nil` when the advertisement lacks it.
    ///   - tellsDuplicates: whether BlueZ also reports data that is the same as before. Then it shows only what it just heard.
    mutating func hear(_ strength: Int16, name: String?, broadcast: SimulatedBroadcast, tellsDuplicates: Bool) -> News {
        func merge<Key>(_ shown: inout [Key: [UInt8]], heard: [Key: [UInt8]]) -> Bool {
            if heard.isEmpty { return false }
            let before = shown
            shown = tellsDuplicates ? heard : shown.merging(heard) { $1 }
            return tellsDuplicates || shown != before
        }
        let news = News(
            strength: strength != self.strength, name: name.map { $0 != self.name } ?? false,
            manufacturerData: merge(&shown.manufacturerData, heard: broadcast.manufacturerData),
            serviceData: merge(&shown.serviceData, heard: broadcast.serviceData))
        self.strength = strength
        self.name = name ?? self.name
        return news
    }

    /// Removes the signal strength, because discovery ended. Returns whether there was one.
    mutating func endDiscovery() -> Bool { strength.take() != nil }
}
