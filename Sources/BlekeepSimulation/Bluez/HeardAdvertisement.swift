/// A device's last advertisement and signal strength.
struct HeardAdvertisement {
    /// The signal strength in dBm; `nil` after discovery.
    private(set) var strength: Int16?
    /// The changing part of the advertisement.
    private(set) var broadcast = SimulatedBroadcast()
    private(set) var wasHeard = false

    /// The properties that an advertisement changes, as BlueZ reports them.
    struct News: Equatable {
        var strength = false
        var manufacturerData = false
        var serviceData = false
    }

    /// Takes an advertisement.
    ///
    /// - Parameter tellsDuplicates: whether BlueZ also reports data that is the same as before.
    mutating func hear(_ strength: Int16, _ broadcast: SimulatedBroadcast, tellsDuplicates: Bool) -> News {
        let tellsAll = !wasHeard || tellsDuplicates
        let news = News(
            strength: strength != self.strength,
            manufacturerData: tellsAll || broadcast.manufacturerData != self.broadcast.manufacturerData,
            serviceData: tellsAll || broadcast.serviceData != self.broadcast.serviceData)
        self.strength = strength
        self.broadcast = broadcast
        wasHeard = true
        return news
    }

    /// Removes the signal strength, because discovery ended.
    ///
    /// - Returns: whether there was one.
    mutating func endDiscovery() -> Bool { strength.take() != nil }
}
