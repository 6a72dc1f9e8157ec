import Logging

/// A log that only counts: what a person would see is held against the budget.
struct SwarmLog: LogHandler {
    let witness: Witness
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    init(_ witness: Witness) {
        self.witness = witness
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { witness.logged() }
}
