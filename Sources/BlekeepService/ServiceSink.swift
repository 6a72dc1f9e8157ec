import BlekeepRecords

/// Follows the readings and the ledger for the service. It keeps only the newest values.
package final class ServiceSink: Sink {
    package let name = "dbus"
    package let delivery = SinkDelivery.liveOnly
    package let isReported = false
    /// Called with new readings, and with what the history holds now.
    var onReadings: (([LiveReading]) -> Void)?
    var onChanges: ((LedgerChanges) -> Void)?

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) { onReadings?(readings) }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { onChanges?(changes) }
}
