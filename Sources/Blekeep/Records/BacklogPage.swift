/// What a sink gets next of a page of the history.
enum BacklogPage: Sendable {
    /// The history holds none of these.
    case gap(ClosedRange<Int64>)
    /// The readings up to the number `last`, which is `nil` if there are none.
    case readings([LiveReading], last: Int64?, isFollowedByHeld: Bool)

    /// - Parameters:
    ///   - page: readings of the history after the cursor, in order.
    ///   - isHeld: whether a reading waits for the machine's clock; then those after it wait, too.
    init(_ page: [StoredReading], after cursor: BacklogCursor, isHeld: (StoredReading) -> Bool) {
        let next = cursor.position + 1
        let first = page.first?.sequence ?? cursor.newest + 1
        if first > next {
            self = .gap(next...first - 1)
            return
        }
        var batch: [LiveReading] = []
        for reading in page {
            guard reading.sequence == next + Int64(batch.count) else { break }
            guard !isHeld(reading) else {
                self = .readings(batch, last: batch.last?.sequence, isFollowedByHeld: true)
                return
            }
            batch.append(LiveReading(reading))
        }
        self = .readings(batch, last: batch.last?.sequence, isFollowedByHeld: false)
    }
}
