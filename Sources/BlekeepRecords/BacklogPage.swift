/// The part of a page of the history that a sink gets next.
enum BacklogPage: Sendable {
    /// The history lacks the readings with these numbers.
    case gap(ClosedRange<Int64>)
    /// The readings up to the number `last`, which is `nil` without readings.
    case readings([LiveReading], last: Int64?, isFollowedByHeld: Bool)

    /// - Parameters:
    ///   - page: readings of the history after the cursor, in order.
    ///   - isHeld: whether a reading waits until the machine's clock is set. The readings after it then wait, too.
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
